/**
 * A rule that Raft's safety rests on does not hold. The replica that meets one must stop: a stopped replica is repaired by the others,
 * a wrong one is not. Never caught inside the core.
 */
class InvariantViolation extends Error {
  readonly code = 'RAFT_INVARIANT';
  override readonly name = 'InvariantViolation';

  constructor(
    readonly rule: string,
    readonly facts: Readonly<Record<string, unknown>>,
  ) {
    super(`${rule} (${JSON.stringify(facts)})`);
  }
}

/** Checked in production too. `rule` says what must hold, as a sentence; `facts` are the values that show it does not. */
export function invariant(holds: boolean, rule: string, facts: () => Readonly<Record<string, unknown>>): asserts holds {
  if (!holds) throw new InvariantViolation(rule, facts());
}
