/** What kept an evaluation from a verdict: nothing, an expression that cannot be compiled, one that fails, or the budget of all of them. */
export type EvaluationError = 'no_error' | 'compile_error' | 'invalid_error' | 'out_of_budget';

/** One evaluation of a policy, for metrics. */
export interface Evaluated {
  readonly policy: string;
  readonly binding: string;
  readonly error: EvaluationError;
  readonly seconds: number;
}

/** Where evaluations of policies are counted. */
export interface PolicyMetrics {
  /** `action` is what the binding does about it; `allow` where a failure is ignored. */
  validated(evaluated: Evaluated & { readonly action: 'allow' | 'deny' | 'warn' | 'audit' }): void;
  mutated(evaluated: Evaluated): void;
}

export const uncounted: PolicyMetrics = { validated: () => undefined, mutated: () => undefined };
