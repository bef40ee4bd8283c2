import type { Prng } from '../../simulation/prng.js';
import type { Scene } from './scene.js';

/** Whom a fault meets. Who leads is seen only when the time has come; among followers the plan's own number chooses. */
export type Target = { readonly role: 'leader' } | { readonly role: 'follower'; readonly nth: number };

/** A kind of thing that goes wrong, or that operators do meanwhile. `P` is what the plan decides about one of them; times are milliseconds. */
export interface FaultType<P extends object> {
  /** How often it is drawn, beside the weights of the other kinds. */
  readonly weight: number;
  readonly draw: (prng: Prng) => P;
  /** Resolves when the fault is over: with what it met, or null when there was nobody to meet. */
  readonly inject: (scene: Scene, parameters: P) => Promise<string | null>;
}

/** A fault type whose parameters only it knows: it is given back what it drew. */
export type AnyFaultType = FaultType<object>;

export function faultType<P extends object>({ weight, draw, inject }: FaultType<P>): AnyFaultType {
  return { weight, draw, inject: (scene, parameters) => inject(scene, parameters as P) };
}

export interface Span {
  readonly min: number;
  readonly max: number;
}

export const drawSpan = (prng: Prng, { min, max }: Span): number => prng.between(min, max);

export const drawTarget = (prng: Prng): Target => (prng.chance(500) ? { role: 'leader' } : { role: 'follower', nth: prng.below(2) });
