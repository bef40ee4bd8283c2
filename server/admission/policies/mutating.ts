import { turns } from '../../../workers/turns/turns.js';
import { type Steps } from '../../../api/steps.js';
import { endedOf } from '../../registry/turns.js';
import { copyOf } from '../../../api/json/copy.js';
import type { ApiObject, JsonValue } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { forbidden, StatusError, type StatusCause } from '../../../api/status.js';
import { AdmissionEvaluation } from '../../../cel/admission.js';
import { requestCostMax } from '../../../cel/eval/budget.js';
import { outOfBudget } from '../../../cel/matchConditions.js';
import { unknown, type Schema } from '../../patch/apply/schema.js';
import { schemaOfKind } from '../../patch/apply/typeSchema.js';
import { sameValue } from '../../../api/json/equality.js';
import type { AdmissionPlugin, AdmissionRequest, MutationPass } from '../../registry/admission.js';
import { shownAs } from '../matching/versions.js';
import { onceSynced } from '../synced.js';
import { putBackWithDefaults, received } from '../webhooks/mutating.js';
import { policiesFor, type Bound, type FollowedPolicies } from './following.js';
import { outcomeOf } from './judgement.js';
import type { EvaluationError } from './metrics.js';
import { plan, Views, type Invocation, type PolicyParts } from './matching.js';
import { applyConfiguration, applyOperations, type Patched } from './patches.js';
import type { Binding, MutatingPolicy } from './policy.js';
import { nameIn } from './refusal.js';

type Mutation = MutatingPolicy['mutations'][number];

const pluginName = 'MutatingAdmissionPolicy';

/** State that the second run needs from the first. */
interface Progress {
  /** Policies with reinvocation that have run since the last change. */
  readonly reinvocable: Set<string>;
  /** Those of them that a change followed. */
  readonly due: Set<string>;
  output: ApiObject | null;
}

/** Runs bound mutating policies in sequence, each with earlier changes. */
export function mutatingPolicies(followed: FollowedPolicies<MutatingPolicy>, parts: PolicyParts): AdmissionPlugin {
  return {
    name: pluginName,
    resources: null,
    admit: onceSynced(followed.synced, (request: AdmissionRequest, pass: MutationPass) => {
      // A deletion has no object to change (mutating/plugin.go).
      if (request.operation === 'DELETE') return undefined;
      const candidates = policiesFor(followed, request);
      return candidates.length > 0 ? new Mutating(request, pass, parts).run(candidates) : undefined;
    }),
  };
}

const idOf = ({ policy, binding, param }: Invocation<MutatingPolicy>): string => {
  const { namespace = '', name = '' } = (param as ApiObject | null)?.metadata ?? {};
  return [policy.name, binding.name, namespace, name].join('/');
};

class Mutating {
  readonly #request: AdmissionRequest;
  readonly #pass: MutationPass;
  readonly #parts: PolicyParts;
  readonly #progress: Progress;
  #isPatched = false;
  readonly #problems: { readonly message: string; readonly reason: string }[] = [];

  constructor(request: AdmissionRequest, pass: MutationPass, parts: PolicyParts) {
    this.#request = request;
    this.#pass = pass;
    this.#parts = parts;
    const known = pass.notes.get(pluginName) as Progress | undefined;
    this.#progress = known ?? { reinvocable: new Set(), due: new Set(), output: null };
    pass.notes.set(pluginName, this.#progress);
  }

  async run(candidates: readonly Bound<MutatingPolicy>[]): Promise<void> {
    const request = this.#request;
    const pass = this.#pass;
    if (pass.again && !sameValue(this.#progress.output as JsonValue, request.object as JsonValue)) this.#changed();
    for (const invocation of await this.#planned(candidates)) await this.#invoke(invocation);
    // Plugins run again even where nothing has changed.
    if (this.#isPatched) {
      this.#changed();
      pass.repeat();
    }
    this.#progress.output = copyOf(request.object as JsonValue) as ApiObject | null;
    if (this.#problems.length > 0) throw this.#refusal();
  }

  /** Matches all policies against the original object: earlier changes make no later one match. */
  async #planned(candidates: readonly Bound<MutatingPolicy>[]): Promise<readonly Invocation<MutatingPolicy>[]> {
    const { subject } = new Views(this.#request, this.#parts);
    const invocations: Invocation<MutatingPolicy>[] = [];
    for (const bound of candidates)
      for await (const planned of plan(bound, subject, this.#parts)) {
        if ('problem' in planned) this.#fail(planned.problem.policy, planned.problem.binding, planned.problem.message, 'Forbidden');
        else invocations.push(...planned.invocations);
      }
    return invocations;
  }

  async #invoke(invocation: Invocation<MutatingPolicy>): Promise<void> {
    const { policy, binding } = invocation;
    const views = new Views(this.#request, this.#parts);
    const matched = await policy.conditions.evaluate(await views.values(invocation));
    if (matched.outcome === 'error') return this.#fail(policy, binding, matched.message, 'Invalid');
    const id = idOf(invocation);
    if (matched.outcome === 'noMatch' || (this.#pass.again && !this.#progress.due.has(id))) return;
    const before = copyOf(this.#request.object as JsonValue);
    for (const mutation of this.#request.object === null ? [] : policy.mutations) await this.#counted(invocation, mutation);
    if (!sameValue(before, this.#request.object as JsonValue)) this.#changed();
    if (policy.reinvoked) this.#progress.reinvocable.add(id);
  }

  #changed(): void {
    const { reinvocable, due } = this.#progress;
    for (const id of reinvocable) due.add(id);
    reinvocable.clear();
  }

  async #counted(invocation: Invocation<MutatingPolicy>, mutation: Mutation): Promise<void> {
    const began = performance.now();
    const error = await this.#mutate(invocation, mutation);
    if (error === 'no_error') this.#isPatched = true;
    const by = { policy: invocation.policy.name, binding: invocation.binding.name };
    this.#parts.metrics.mutated({ ...by, error, seconds: (performance.now() - began) / 1000 });
  }

  async #mutate(invocation: Invocation<MutatingPolicy>, { patchType, patch }: Mutation): Promise<EvaluationError> {
    const request = this.#request;
    const parts = this.#parts;
    const { policy, binding, matched } = invocation;
    const evaluation = new AdmissionEvaluation(await new Views(request, parts).values(invocation), requestCostMax, policy.variables);
    const { value, problem } = await outcomeOf(patch, evaluation);
    if (problem !== null || evaluation.exhausted) {
      this.#fail(policy, binding, evaluation.exhausted ? outOfBudget : (problem ?? ''), 'Invalid');
      return evaluation.exhausted ? 'out_of_budget' : patch.program === null ? 'compile_error' : 'invalid_error';
    }
    const before = await shownAs(matched.kind, request.object, request, parts.convert);
    if (before === null) return 'no_error';
    const patching: Steps<Patched> =
      patchType === 'JSONPatch' ? applyOperations(before, value) : applyConfiguration(before, value, this.#schemaOf(invocation));
    const patched = await turns.run(patching, endedOf(request));
    if (!patched.ok) {
      this.#fail(policy, binding, patched.message, 'Invalid');
      return 'invalid_error';
    }
    if (sameValue(before as JsonValue, patched.object)) return 'no_error';
    const { catalogue, convert } = parts;
    await putBackWithDefaults(
      matched,
      await received(patched.object, before, { request, matched, catalogue, strict: patchType === 'JSONPatch' }),
      request,
      convert,
    );
    return 'no_error';
  }

  #schemaOf({ matched }: Invocation<MutatingPolicy>): Schema {
    const request = this.#request;
    return (
      (request.form === null ? request.resource.behaviour.versions.schemaOf(apiVersionOf(matched.kind)) : schemaOfKind(matched.kind)) ??
      unknown
    );
  }

  #fail(policy: MutatingPolicy, binding: Binding | null, message: string, reason: string): void {
    const by = binding === null ? `policy "${policy.name}"` : `policy '${policy.name}' with binding '${binding.name}'`;
    if (!policy.ignoresFailures) this.#problems.push({ reason, message: `${by} denied request: ${message}` });
  }

  /** The first problem names the refusal; its message lists the others. */
  #refusal(): StatusError {
    const [first] = this.#problems;
    const causes: StatusCause[] = this.#problems.map(({ message }) => ({ message }));
    const { code, details } = forbidden(this.#request.resource, nameIn(this.#request), '', causes);
    return new StatusError(code, first?.reason ?? 'Forbidden', first?.message ?? '', details);
  }
}
