/** The replica must stop: other replicas repair a stopped one, but not a wrong one. Never caught in the core. */
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

/** Checks in production, too. `rule` must hold; `facts` are the violating values. */
export function invariant(holds: boolean, rule: string, facts: () => Readonly<Record<string, unknown>>): asserts holds {
  if (!holds) throw new InvariantViolation(rule, facts());
}
