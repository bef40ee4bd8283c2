import type { JsonMembers } from '../../../workers/codecs/value.js';
import { turns } from '../../../workers/turns/turns.js';
import { checkStructure } from '../../../workers/schema/structure.js';
import { copyOf } from '../../../api/json/copy.js';
import { memberAt } from '../../../api/json/members.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { internalError, StatusError } from '../../../api/status.js';
import { typeOfKind } from '../../../api/catalogue/types.js';
import { applyJsonPatch } from '../../patch/jsonPatch.js';
import { PatchError } from '../../patch/patchError.js';
import { withMetadata, type Received } from '../../registry/behaviour.js';
import { sameValue } from '../../../api/json/equality.js';
import type { Catalogue } from '../../registry/resources.js';
import { endedOf } from '../../registry/turns.js';
import type { AdmissionPlugin, AdmissionRequest, MutationPass } from '../../registry/admission.js';
import { timed } from '../../../program/tracing/requestLatency.js';
import { subjectOf } from '../matching/match.js';
import type { Addressed } from '../matching/rules.js';
import { putBack, shownAs, type ConvertObject } from '../matching/versions.js';
import { onceSynced } from '../synced.js';
import { HookCaller, type CallerParts } from './caller.js';
import { hooksFor, type FollowedHooks } from './configurations.js';
import type { Hook } from './hook.js';
import { inOneGo } from '../../../api/steps.js';
import { outcomeOf } from '../../registry/stepwise.js';

const pluginName = 'MutatingAdmissionWebhook';

/** State that the second run needs from the first. */
interface Invocations {
  /** Webhooks with reinvocation that were called since the last change. */
  readonly reinvocable: Set<string>;
  /** Those of them that a change followed. */
  readonly due: Set<string>;
  output: ApiObject | null;
}

/** Calls mutating webhooks in sequence, each with earlier changes. */
export function mutatingWebhooks(followed: FollowedHooks, parts: CallerParts): AdmissionPlugin {
  const caller = new HookCaller('mutating', parts);
  return {
    name: pluginName,
    resources: null,
    connects: true,
    admit: onceSynced(followed.synced, (request: AdmissionRequest, pass: MutationPass) => {
      const hooks = hooksFor(followed, request);
      return hooks.length > 0
        ? timed(request.latency, 'mutating-webhook', () => new Mutation(request, pass, caller, parts).run(hooks))
        : undefined;
    }),
  };
}

interface Place {
  readonly round: number;
  readonly index: number;
}

class Mutation {
  readonly #request: AdmissionRequest;
  readonly #pass: MutationPass;
  readonly #caller: HookCaller;
  readonly #parts: CallerParts;
  readonly #invocations: Invocations;

  constructor(request: AdmissionRequest, pass: MutationPass, caller: HookCaller, parts: CallerParts) {
    this.#request = request;
    this.#pass = pass;
    this.#caller = caller;
    this.#parts = parts;
    const known = pass.notes.get(pluginName) as Invocations | undefined;
    this.#invocations = known ?? { reinvocable: new Set(), due: new Set(), output: null };
    pass.notes.set(pluginName, this.#invocations);
  }

  async run(hooks: readonly Hook[]): Promise<void> {
    const request = this.#request;
    const pass = this.#pass;
    const { output } = this.#invocations;
    if (pass.again && !sameValue(output as JsonValue, request.object as JsonValue)) this.#changed();
    for (const [position, hook] of hooks.entries()) await this.#ask(hook, position);
    this.#invocations.output = copyOf(request.object as JsonValue) as ApiObject | null;
  }

  /** The second run does not call a webhook that was not called in the first, even if it would match now. */
  async #ask(hook: Hook, index: number): Promise<void> {
    const request = this.#request;
    const pass = this.#pass;
    if (pass.again && !this.#invocations.due.has(hook.id)) return;
    // Made anew for each webhook, because labels for matching may have changed.
    const subject = subjectOf(request, this.#parts);
    const matched = await this.#caller.wants(hook, subject);
    if (matched === null) return;
    const place = { round: pass.again ? 1 : 0, index };
    const answer = await this.#caller.call(hook, matched, subject, place);
    if (answer.outcome === 'refused') throw answer.error;
    const mutated = answer.outcome === 'allowed' && answer.patch !== null && (await this.#apply(hook, matched, answer.patch, place));
    request.annotate(
      `mutation.webhook.admission.k8s.io/round_${place.round}_index_${index}`,
      JSON.stringify({ configuration: hook.configuration, webhook: hook.name, mutated }),
    );
    if (mutated) {
      this.#changed();
      pass.repeat();
    }
    if (hook.reinvoked) this.#invocations.reinvocable.add(hook.id);
  }

  #changed(): void {
    const { reinvocable, due } = this.#invocations;
    for (const id of reinvocable) due.add(id);
    reinvocable.clear();
  }

  /** Applies a patch in the webhook's version. Returns whether it changed anything. */
  async #apply(hook: Hook, matched: Addressed, patch: JsonValue, { round, index }: Place): Promise<boolean> {
    const request = this.#request;
    const { convert, catalogue } = this.#parts;
    if (Array.isArray(patch) && patch.length === 0) return false;
    const before = await shownAs(matched.kind, request.object, request, convert);
    if (before === null)
      throw internalError(
        new Error(
          `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
        ),
      );
    const made = await patched(before, patch, request);
    const ownsNothing = isEmptyList(memberAt(made, 'metadata', 'managedFields'));
    const after = await received(made, before, { request, matched, catalogue });
    // A client's empty list is a request, recorded by an empty entry; here it is just empty.
    if (ownsNothing) after.metadata.managedFields = [];
    request.annotate(
      `patch.webhook.admission.k8s.io/round_${round}_index_${index}`,
      JSON.stringify({ configuration: hook.configuration, webhook: hook.name, patch, patchType: 'JSONPatch' }),
      'Request',
    );
    if (sameValue(before as JsonValue, after as JsonValue)) return false;
    await putBackWithDefaults(matched, after, request, convert);
    return true;
  }
}

const isEmptyList = (value: JsonValue | undefined): boolean => Array.isArray(value) && value.length === 0;

async function patched(before: ApiObject, patch: JsonValue, request: AdmissionRequest): Promise<JsonObject> {
  try {
    return await turns.run(applyJsonPatch(before, patch), endedOf(request));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    // Shows the failed operation to authors of webhooks, but not to clients with their own patches.
    throw internalError(error instanceof PatchError && error.cause instanceof Error ? error.cause : error);
  }
}

export interface Whereabouts {
  readonly request: AdmissionRequest;
  readonly matched: Addressed;
  readonly catalogue: Catalogue;
  readonly strict?: boolean;
}

/** Checks a patched object and converts it to stored form. Drops unknown fields of a built-in type, unless `strict`. Throws 500. */
export async function received(
  after: JsonObject,
  before: ApiObject,
  { request, matched, catalogue, strict = false }: Whereabouts,
): Promise<ApiObject> {
  if (after['kind'] !== before.kind || after['apiVersion'] !== before.apiVersion)
    throw internalError(new Error('the patch of a webhook may not change what kind of object it is'));
  const resource = request.form === null ? catalogue.resource(matched.group, matched.version, matched.resource) : null;
  const result =
    resource === null ? structured(after, matched) : await turns.run(outcomeOf(resource.behaviour.receive(after)), endedOf(request));
  if (!result.ok) throw internalError(new Error(result.message));
  if (strict && result.strict.length > 0 && resource?.behaviour.selfDescribed !== true)
    throw internalError(new Error(`strict decoding error: ${result.strict.join(', ')}`));
  return result.object;
}

function structured(object: JsonObject, { kind }: Addressed): Received {
  const known = typeOfKind(kind);
  const checked = known === undefined ? null : checkStructure(object as JsonMembers, known, { unknownFields: 'report' });
  if (checked?.ok === false) return checked;
  return { ok: true, object: withMetadata((checked?.value ?? object) as JsonObject), strict: checked?.strict ?? [] };
}

export async function putBackWithDefaults(
  { kind }: Addressed,
  shown: ApiObject,
  request: AdmissionRequest,
  convert: ConvertObject,
): Promise<void> {
  await putBack(kind, shown, request, convert);
  if (request.form === null && request.object !== null)
    inOneGo(outcomeOf(request.resource.behaviour.strategy.read.defaults(request.object)));
}
