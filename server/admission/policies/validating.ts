import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import { onceSynced } from '../synced.js';
import { policiesFor, type Bound, type FollowedPolicies } from './following.js';
import { judge, type Denial, type Judgement } from './judgement.js';
import { plan, Views, type Invocation, type PolicyParts } from './matching.js';
import type { Binding, ValidatingPolicy } from './policy.js';
import { refusal } from './refusal.js';

const annotationBytesMax = 10 * 1024;
const countedActions: Readonly<Record<string, 'deny' | 'warn' | 'audit'>> = { Deny: 'deny', Warn: 'warn', Audit: 'audit' };

/** Runs all bound validating policies; the client receives the first refusal. */
export function validatingPolicies(followed: FollowedPolicies<ValidatingPolicy>, parts: PolicyParts): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    resources: null,
    connects: true,
    validate: onceSynced(followed.synced, (request: AdmissionRequest) => {
      const candidates = policiesFor(followed, request);
      return candidates.length > 0 ? new Validating(request, parts).run(candidates) : undefined;
    }),
  };
}

class Validating {
  readonly #request: AdmissionRequest;
  readonly #parts: PolicyParts;
  readonly #views: Views;
  #first: { readonly message: string; readonly reason: string } | null = null;

  constructor(request: AdmissionRequest, parts: PolicyParts) {
    this.#request = request;
    this.#parts = parts;
    this.#views = new Views(request, parts);
  }

  async run(candidates: readonly Bound<ValidatingPolicy>[]): Promise<void> {
    for (const bound of candidates) await this.#policy(bound);
    if (this.#first !== null) throw refusal(this.#request, this.#first.reason, this.#first.message);
  }

  async #policy(bound: Bound<ValidatingPolicy>): Promise<void> {
    const annotations = new Map<string, Set<string>>();
    for await (const planned of plan(bound, this.#views.subject, this.#parts)) {
      if ('problem' in planned) {
        const { policy, binding, message } = planned.problem;
        if (!policy.ignoresFailures) this.#deny(policy, binding, { message, reason: '' });
      } else
        for (const invocation of planned.invocations)
          this.#follow(invocation, await judge(invocation.policy, await this.#views.values(invocation)), annotations);
    }
    for (const [key, values] of annotations) this.#request.annotate(`${bound.policy.name}/${key}`, [...values].join(', '));
  }

  #follow(
    { policy, binding }: Invocation<ValidatingPolicy>,
    { denials, ignored, annotations, errors }: Judgement,
    found: Map<string, Set<string>>,
  ): void {
    const by = { policy: policy.name, binding: binding.name };
    for (const { error, seconds } of ignored) this.#parts.metrics.validated({ ...by, error, seconds, action: 'allow' });
    for (const denial of denials) for (const action of binding.actions) this.#act(action, policy, binding, denial);
    for (const error of errors) this.#deny(policy, binding, error);
    for (const { key, value } of annotations) {
      const values = found.get(key) ?? new Set();
      found.set(key, values.add(Buffer.from(value).subarray(0, annotationBytesMax).toString()));
    }
  }

  #act(action: string, policy: ValidatingPolicy, binding: Binding, denial: Denial): void {
    const { message, index, error, seconds } = denial;
    const counted = countedActions[action];
    if (counted !== undefined)
      this.#parts.metrics.validated({ policy: policy.name, binding: binding.name, error, seconds, action: counted });
    if (action === 'Deny') this.#deny(policy, binding, denial);
    else if (action === 'Warn')
      this.#request.warn(`Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`);
    else if (action === 'Audit') {
      const failure = { message, policy: policy.name, binding: binding.name, expressionIndex: index, validationActions: binding.actions };
      this.#request.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([failure]));
    }
  }

  #deny(policy: ValidatingPolicy, binding: Binding | null, { message, reason }: Pick<Denial, 'message' | 'reason'>): void {
    const by = binding === null ? '' : ` with binding '${binding.name}'`;
    this.#first ??= { reason, message: `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}` };
  }
}
