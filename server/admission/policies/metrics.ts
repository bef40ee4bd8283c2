import { Counter, Histogram, type Registry } from 'prom-client';

export type EvaluationError = 'no_error' | 'compile_error' | 'invalid_error' | 'out_of_budget';

export interface Evaluated {
  readonly policy: string;
  readonly binding: string;
  readonly error: EvaluationError;
  readonly seconds: number;
}

export interface PolicyMetrics {
  /** `action` is the binding's; `allow` where a failure is ignored. */
  validated(evaluated: Evaluated & { readonly action: 'allow' | 'deny' | 'warn' | 'audit' }): void;
  mutated(evaluated: Evaluated): void;
}

export const uncounted: PolicyMetrics = { validated: () => undefined, mutated: () => undefined };

export function createPolicyMetrics(registry: Registry): PolicyMetrics {
  const family = <Label extends string>(
    kind: string,
    labelNames: readonly Label[],
  ): ((labels: Record<Label, string>, seconds: number) => void) => {
    const parts = { labelNames, registers: [registry] };
    const total = new Counter({
      ...parts,
      name: `apiserver_${kind}_admission_policy_check_total`,
      help: `Evaluations of ${kind} admission policies that had consequences.`,
    });
    const duration = new Histogram({
      ...parts,
      name: `apiserver_${kind}_admission_policy_check_duration_seconds`,
      help: `Time that evaluations of ${kind} admission policies took, in seconds.`,
      buckets: [0.0000005, 0.001, 0.01, 0.1, 1],
    });
    return (labels, seconds) => {
      total.inc(labels);
      duration.observe(labels, seconds);
    };
  };
  const common = ({ policy, binding, error }: Evaluated): Record<'policy' | 'policy_binding' | 'error_type', string> => ({
    policy,
    policy_binding: binding,
    error_type: error,
  });
  const validating = family('validating', ['policy', 'policy_binding', 'error_type', 'enforcement_action']);
  const mutating = family('mutating', ['policy', 'policy_binding', 'error_type']);
  return {
    validated: ({ action, ...evaluated }) => {
      validating({ ...common(evaluated), enforcement_action: action }, evaluated.seconds);
    },
    mutated: (evaluated) => {
      mutating(common(evaluated), evaluated.seconds);
    },
  };
}
