import { Prng } from '../../simulation/prng.js';
import { drawSpan } from './fault.js';
import { faultKindsOver, faultTypes, type FaultKind } from './table.js';

export interface Fault {
  readonly kind: FaultKind;
  readonly parameters: object;
}

export interface PlannedFault {
  /** Time after the start of the round. */
  readonly atMs: number;
  readonly fault: Fault;
}

/** The time between the starts of two faults: often shorter than a fault, so faults overlap. */
const gapMs = { min: 500, max: 6_000 };

/** The faults of a round, determined by the seed. It begins with one of each of `first`, in order. */
export function planFaults(
  seed: number,
  durationMs: number,
  kinds: readonly FaultKind[] = faultKindsOver('raft'),
  first: readonly FaultKind[] = [],
): readonly PlannedFault[] {
  const prng = new Prng(seed);
  const planned: PlannedFault[] = [];
  for (let atMs = drawSpan(prng, gapMs); atMs < durationMs; atMs += drawSpan(prng, gapMs)) {
    const kind = first[planned.length] ?? drawKind(prng, kinds);
    planned.push({ atMs, fault: { kind, parameters: faultTypes[kind].draw(prng) } });
  }
  return planned;
}

function drawKind(prng: Prng, kinds: readonly FaultKind[]): FaultKind {
  let left = prng.below(kinds.reduce((sum, kind) => sum + faultTypes[kind].weight, 0));
  return kinds.find((kind) => (left -= faultTypes[kind].weight) < 0) ?? 'kill';
}

/** Deals all kinds to the rounds in an order from the seed, so that together they begin with one of each. */
export function dealKinds(
  seed: number,
  rounds: number,
  kinds: readonly FaultKind[] = faultKindsOver('raft'),
): readonly (readonly FaultKind[])[] {
  const prng = new Prng(seed);
  const left = [...kinds];
  const shuffled = kinds.map(() => left.splice(prng.below(left.length), 1)[0]!);
  return Array.from({ length: rounds }, (_, round) => shuffled.filter((_, at) => at % rounds === round));
}
