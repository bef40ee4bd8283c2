import type { Prng } from '../../simulation/prng.js';
import type { Scene } from './scene.js';

/** The member that a fault hits. The leader is looked up at the time; `nth` selects among followers. */
export type Target = { readonly role: 'leader' } | { readonly role: 'follower'; readonly nth: number };

/** A kind of fault or operation. `P` are the parameters that the plan draws; times are milliseconds. */
export interface FaultType<P extends object> {
  readonly weight: number;
  readonly draw: (prng: Prng) => P;
  /** Resolves at the end with what was hit, or null for nothing. */
  readonly inject: (scene: Scene, parameters: P) => Promise<string | null>;
}

/** A fault type with hidden parameters: it receives what it drew. */
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
