import { Prng } from '../../simulation/prng.js';

/** Whom a fault meets. Who leads is seen only when the time has come; among followers the plan's own number chooses. */
export type Target = { readonly role: 'leader' } | { readonly role: 'follower'; readonly nth: number };

/** One thing that goes wrong, or that operators do meanwhile. Times are milliseconds. */
export type Fault =
  | { readonly kind: 'kill'; readonly target: Target; readonly ms: number }
  | { readonly kind: 'killAll'; readonly ms: number }
  | { readonly kind: 'pause'; readonly target: Target; readonly ms: number }
  | { readonly kind: 'partition'; readonly target: Target; readonly direction: 'both' | 'in' | 'out'; readonly ms: number }
  | { readonly kind: 'slowNetwork'; readonly delayMs: number; readonly breaksPermille: number; readonly ms: number }
  | { readonly kind: 'disk'; readonly target: Target; readonly state: 'slow' | 'syncFails' | 'full'; readonly syncMs: number; readonly ms: number }
  | { readonly kind: 'rollingRestart' }
  | { readonly kind: 'addAndRemoveMember'; readonly ms: number }
  | { readonly kind: 'replaceWiped'; readonly target: Target };

export type FaultKind = Fault['kind'];

export interface PlannedFault {
  /** After the start of the round. */
  readonly atMs: number;
  readonly fault: Fault;
}

/** Of 100 faults, so many are of this kind. */
const weights: Readonly<Record<FaultKind, number>> = { kill: 20, killAll: 6, pause: 18, partition: 20, slowNetwork: 10, disk: 10, rollingRestart: 4, addAndRemoveMember: 5, replaceWiped: 7 };
const pauseMs = { min: 100, max: 10_000 };
const downMs = { min: 0, max: 4_000 };
const cutMs = { min: 200, max: 8_000 };
/** From the start of one fault to that of the next: often shorter than a fault, so that faults meet. */
const gapMs = { min: 500, max: 6_000 };
const delayMsMax = 200;
const syncMsMax = 500;
const breaksPermilleMax = 100;

/** The faults of a round: the same for the same seed, on every machine. */
export function planFaults(seed: number, durationMs: number, kinds: readonly FaultKind[] = Object.keys(weights) as FaultKind[]): readonly PlannedFault[] {
  const prng = new Prng(seed);
  const planned: PlannedFault[] = [];
  for (let atMs = prng.between(gapMs.min, gapMs.max); atMs < durationMs; atMs += prng.between(gapMs.min, gapMs.max)) {
    planned.push({ atMs, fault: makers[drawKind(prng, kinds)](prng) });
  }
  return planned;
}

function drawKind(prng: Prng, kinds: readonly FaultKind[]): FaultKind {
  let left = prng.below(kinds.reduce((sum, kind) => sum + weights[kind], 0));
  return kinds.find((kind) => (left -= weights[kind]) < 0) ?? 'kill';
}

const span = (prng: Prng, { min, max }: { readonly min: number; readonly max: number }): number => prng.between(min, max);
const target = (prng: Prng): Target => prng.chance(500) ? { role: 'leader' } : { role: 'follower', nth: prng.below(2) };

const makers: { readonly [Kind in FaultKind]: (prng: Prng) => Extract<Fault, { kind: Kind }> } = {
  kill: (prng) => ({ kind: 'kill', target: target(prng), ms: span(prng, downMs) }),
  killAll: (prng) => ({ kind: 'killAll', ms: span(prng, downMs) }),
  pause: (prng) => ({ kind: 'pause', target: target(prng), ms: span(prng, pauseMs) }),
  partition: (prng) => ({ kind: 'partition', target: target(prng), direction: prng.pick(['both', 'in', 'out']), ms: span(prng, cutMs) }),
  slowNetwork: (prng) => ({ kind: 'slowNetwork', delayMs: prng.below(delayMsMax), breaksPermille: prng.below(breaksPermilleMax), ms: span(prng, cutMs) }),
  disk: (prng) => ({ kind: 'disk', target: target(prng), state: prng.pick(['slow', 'syncFails', 'full']), syncMs: prng.between(10, syncMsMax), ms: span(prng, cutMs) }),
  rollingRestart: () => ({ kind: 'rollingRestart' }),
  addAndRemoveMember: (prng) => ({ kind: 'addAndRemoveMember', ms: span(prng, downMs) }),
  replaceWiped: (prng) => ({ kind: 'replaceWiped', target: target(prng) }),
};
