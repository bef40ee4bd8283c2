import type { ValuePath } from '../../../api/json/valuePath.js';
import { quoted } from '../../../workers/codecs/goQuotes.js';
import { isObject } from '../../../api/json/json.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { comparePaths, untypedNumbers } from '../../../workers/decode.js';
import type { Spelling } from '../../../workers/codecs/contract.js';
import type { Json } from '../../../workers/codecs/value.js';
import { turns } from '../../../workers/turns/turns.js';
import { type Steps } from '../../../api/steps.js';
import { printed } from '../../patch/printed.js';
import { goType } from '../../../api/goTypes.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { badRequest, invalidObject, plainError, StatusError, unsupportedBody, unsupportedPatch } from '../../../api/status.js';
import { applyJsonPatch, checkOperations } from '../../patch/jsonPatch.js';
import { applyMergePatch } from '../../patch/mergePatch.js';
import { sortedThrough } from '../../patch/openedOrder.js';
import { PatchError } from '../../patch/patchError.js';
import { patchTypeOfKind } from '../../patch/patchType.js';
import { placeInMerge, placeInOperations, withSpelledTests, withSpellings, type PlaceOf } from '../../patch/spellings.js';
import { applyStrategicPatch } from '../../patch/strategic.js';
import type { ServedResource } from '../../registry/resources.js';
import { orderedMetadata } from '../../registry/metadata.js';
import { outcomeOf } from '../../registry/stepwise.js';
import { endedOf } from '../../registry/turns.js';
import { checkIdentity } from '../../registry/writes.js';
import { sendObject } from '../answers.js';
import { patchMediaType, type DecodedBody } from '../body.js';
import type { RequestContext } from '../context.js';
import { negotiateWrite } from '../negotiation.js';
import { parsePatchParameters } from '../options/writeOptions.js';
import type { Route } from '../routing.js';
import { applyEncodingOf, applyMediaTypes, applyPatch } from './apply.js';
import { patchedKind } from './patchedKind.js';
import { readLater } from './readLater.js';
import { targetOf, writeOptions, type VerbDeps, type VerbHandler } from './deps.js';
import { formOf, putThrough, sendShown, type View } from './view.js';

interface Patcher {
  /** Patches the current object, with kind and apiVersion. Throws PatchError or StatusError. */
  readonly apply: (current: JsonObject, patch: JsonValue, resource: ServedResource) => Steps<JsonValue>;
  readonly unreadable: (message: string, validated: boolean) => string;
  /** `duplicates` are its repeated members. Throws PatchError. */
  readonly check?: (patch: JsonValue, duplicates: readonly string[]) => readonly string[];
  readonly spelled?: (patch: JsonValue, spellings: readonly Spelling[]) => JsonValue;
  /** Absent where the reference patches values, not texts. */
  readonly placeOf?: (patch: JsonValue) => PlaceOf;
}

const undecodable = (message: string): string => `error decoding patch: ${message}`;

function patchObject(patch: JsonValue, explain = undecodable): JsonObject {
  if (isObject<JsonObject>(patch)) return patch;
  throw badRequest(explain(`json: cannot unmarshal ${goType(patch)} into Go value of type map[string]interface {}`));
}

const strategicType = 'application/strategic-merge-patch+json';
/** The message of the reference's merge patch library for every invalid patch. */
const noMergePatch = 'Invalid JSON Patch';

/** Patch types by media type; server-side apply has its own verb. */
const patchers: ReadonlyMap<string, Patcher> = new Map(
  Object.entries<Patcher>({
    'application/merge-patch+json': {
      apply(current, patch) {
        if (patch === null) throw badRequest(noMergePatch);
        return applyMergePatch(current, patchObject(patch));
      },
      unreadable: (message, validated) => (validated ? undecodable(message) : noMergePatch),
      placeOf: () => placeInMerge,
    },
    'application/json-patch+json': {
      apply: (current, patch) => applyJsonPatch(current, patch),
      unreadable: (message, validated) => (validated ? undecodable(message) : message),
      check: (patch, duplicates) => [...checkOperations(patch), ...duplicates].map((found) => `json patch ${found}`),
      spelled: withSpelledTests,
      placeOf: placeInOperations,
    },
    [strategicType]: {
      apply(current, patch, resource) {
        const type = patchTypeOfKind(resource);
        if (type === null) throw new Error(`broken invariant: nobody knows how lists of ${resource.kind} merge`);
        return applyStrategicPatch(
          current,
          patchObject(patch ?? {}, (message) => message),
          type,
        );
      },
      unreadable: (message) => message,
    },
  }),
);

/** Throws 415. A strategic merge patch of custom resources is refused before any look-up; only there the reference lists the accepted types. */
export function patcherFor(
  mediaType: string,
  resource: Pick<ServedResource, 'group' | 'version' | 'kind'>,
  applied: readonly string[],
): Patcher {
  const builtIn = patchTypeOfKind(resource) !== null;
  const patcher = builtIn || mediaType !== strategicType ? patchers.get(mediaType) : undefined;
  if (patcher !== undefined) return patcher;
  throw builtIn ? unsupportedPatch() : unsupportedBody(['application/json-patch+json', 'application/merge-patch+json', ...applied]);
}

/** Retried when the object changed meanwhile. */
export const patch: VerbHandler = async (context, route, deps) => {
  const applies = applyEncodingOf(context);
  return applies === null ? patchThrough(null, context, route, deps) : applyPatch(applies)(context, route, deps);
};

export const patchView =
  (view: View): VerbHandler =>
  async (context, route, deps) => {
    const applies = applyEncodingOf(context);
    return applies === null ? patchThrough(view, context, route, deps) : applyPatch(applies, view)(context, route, deps);
  };

async function patchThrough(view: View | null, context: RequestContext, route: Route, { registry, reader }: VerbDeps): Promise<void> {
  const resource = view?.type(route.resource) ?? route.resource;
  const mediaType = patchMediaType(context);
  const patcher = patcherFor(mediaType, route.resource, applyMediaTypes(context));
  const representation = negotiateWrite(context, route.resource);
  const { dryRun, fieldManager, fieldValidation } = parsePatchParameters(context.query, false);
  const [strategic, validated] = [mediaType === strategicType, fieldValidation !== 'Ignore'];
  const body = await readPatch({ context, patcher, validated }, resource, reader);
  const options = writeOptions(context, dryRun, fieldManager);
  let respelled: readonly ValuePath[] = [];
  function* applied(current: ApiObject | null): Steps<ApiObject> {
    const seen = view === null || current === null ? current : view.before(current, current.metadata.resourceVersion ?? '', route.resource);
    const sent = { ...body(), before: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...seen }, validated };
    const { after, odd } = yield* patched(patcher, sent, resource);
    yield;
    const refusal = (why: string): Steps<StatusError> => refusalOf({ patcher, strategic, resource }, sent, why);
    const { object, unknown, otherKind } = yield* patchedKind(after, resource, { strategic, refusal });
    const checked = yield* outcomeOf(receiverOf(resource, strategic)(object));
    if (!checked.ok) throw yield* refusal(checked.message);
    respelled = checked.respelled ?? [];
    const strict = [...odd, ...[...unknown, ...checked.strict].sort(spellingOrder(mediaType, resource))];
    if (fieldValidation === 'Strict' && strict.length > 0) throw yield* refusal(`strict decoding error: ${strict.join(', ')}`);
    if (fieldValidation === 'Warn') strict.forEach(options.warn);
    if (otherKind !== null) refuseOtherKind(otherKind, checked.object, route);
    if (view === null || current === null) return checked.object;
    return putShown(checked.object, { view, current, route, manager: options.manager });
  }
  const change = {
    apply: (current: ApiObject | null) => turns.run(applied(current), endedOf(options)),
    subresource: route.subresource?.name ?? '',
    uid: null,
    mayCreate: null,
    respelled: () => (view === null ? respelled : []),
    ...(view === null ? {} : { applies: true, form: formOf(view, route.resource) }),
  };
  const written = await registry.update(targetOf(route), change, options);
  await context.turn?.();
  if (view === null) sendObject(context, representation, { resource, stored: written.object });
  else sendShown(context, representation, view, { resource: route.resource, stored: written.object });
}

function putShown(
  patched: ApiObject,
  { view, current, route, manager }: { view: View; current: ApiObject; route: Route; manager: string },
): ApiObject {
  checkIdentity(patched.metadata, targetOf(route));
  return putThrough(view, current, patched, { resource: route.resource, manager });
}

const receiverOf = ({ behaviour: { receive, receiveApplied } }: ServedResource, strategic: boolean): typeof receive =>
  (strategic ? receiveApplied : null) ?? receive;

/** An object without a version reaches no validation. */
function refuseOtherKind(error: StatusError, { metadata }: ApiObject, route: Route): void {
  if (error.code === 500) throw error;
  checkIdentity(metadata, targetOf(route));
  if (route.subresource?.name !== 'status') throw error;
}

const readPatch = (
  sent: { context: RequestContext; patcher: Patcher; validated: boolean },
  resource: ServedResource,
  reader: VerbDeps['reader'],
) =>
  readLater(
    reader
      .json(sent.context, sent.validated, (message) => badRequest(sent.patcher.unreadable(message, sent.validated)))
      .then((body) => sentTo(resource, body)),
  );

/** Integers beyond 64 bits are floating point in custom objects. */
const sentTo = (resource: ServedResource, body: DecodedBody): DecodedBody =>
  patchTypeOfKind(resource) === null ? { ...body, value: untypedNumbers(body.value as Json) as JsonValue, spellings: [] } : body;

/** A strategic merge is read by member, a merge in order, a custom object as it finds its fields. */
const spellingOrders: Readonly<Record<string, ((a: string, b: string) => number) | undefined>> = {
  [strategicType]: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  'application/merge-patch+json': comparePaths,
};
const unchanged = (): number => 0;
const spellingOrder = (mediaType: string, { behaviour }: ServedResource) =>
  behaviour.selfDescribed ? unchanged : (spellingOrders[mediaType] ?? unchanged);

interface Patch {
  readonly before: JsonObject;
  readonly value: JsonValue;
  /** Repeated members of the patch. */
  readonly duplicates: readonly string[];
  readonly validated: boolean;
  readonly spellings: readonly Spelling[];
}

function* patched(
  { apply, check, spelled, placeOf }: Patcher,
  { before, value, duplicates, spellings, validated }: Patch,
  resource: ServedResource,
): Steps<{ readonly after: JsonObject; readonly odd: readonly string[] }> {
  try {
    const doubled = (validated ? duplicates : []).map((path) => `duplicate field ${quoted(path)}`);
    const odd = check === undefined || !validated ? doubled : check(value, doubled);
    const after = patchObject(yield* apply(before, spelled === undefined ? value : spelled(value, spellings), resource));
    return { after: placeOf === undefined ? after : withSpellings(after, spellings, placeOf(value)), odd };
  } catch (error) {
    if (error instanceof PatchError) throw patchFailure(error);
    throw error;
  }
}

/** The reference shows the patched object, or a strategic patch. Receiving changes an object, so it is patched again. */
function* refusalOf(
  { patcher, strategic, resource }: { readonly patcher: Patcher; readonly strategic: boolean; readonly resource: ServedResource },
  sent: Patch,
  why: string,
): Steps<StatusError> {
  if (strategic) return invalidPatch(printed(sent.value), why);
  const { metadata } = sent.before as JsonObject & Partial<ApiObject>;
  const before = resource.behaviour.selfDescribed
    ? yield* sortedThrough(sent.before)
    : { ...sent.before, ...(metadata === undefined ? {} : { metadata: orderedMetadata(metadata) }) };
  return invalidPatch(writeJson((yield* patched(patcher, { ...sent, before }, resource)).after), why);
}

const invalidPatch = (shown: string, why: string): StatusError =>
  invalidObject({ group: '', kind: '' }, '', [
    { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(shown)}: ${why}`, field: 'patch' },
  ]);

const patchFailures: Readonly<Record<PatchError['kind'], (error: PatchError) => StatusError>> = {
  malformed: (error) => badRequest(error.message, error),
  failed: (error) => new StatusError(422, 'Invalid', error.message, {}, { cause: error }),
  directive: (error) => plainError(500, error.message),
  tooLarge: (error) => new StatusError(413, 'RequestEntityTooLarge', error.message, {}, { cause: error }),
};

const patchFailure = (error: PatchError): StatusError => patchFailures[error.kind](error);
