import { converting, type Eventually } from '../../registry/conversions.js';
import { turns } from '../../../workers/turns/turns.js';
import { type Steps } from '../../../api/steps.js';
import { isObject } from '../../../api/json/json.js';
import type { EncodingName } from '../../../workers/codecs/contract.js';
import { copyInSteps } from '../../../api/json/copy.js';
import { goType } from '../../../api/goTypes.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { badRequest, conflict, plainError } from '../../../api/status.js';
import { applyConfiguration, describedObject, gvkText, type ApplyRequest } from '../../registry/applied.js';
import type { Change } from '../../registry/contract.js';
import { sameValue } from '../../../api/json/equality.js';
import { ownersOfScale, ownersOfScaled } from '../../registry/ownership.js';
import type { ServedResource } from '../../registry/resources.js';
import { outcomeOf } from '../../registry/stepwise.js';
import { endedOf } from '../../registry/turns.js';
import { checkIdentity } from '../../registry/writes.js';
import { sendObject } from '../answers.js';
import { patchMediaType, type DecodedBody } from '../body.js';
import type { RequestContext } from '../context.js';
import { cborEncoder } from '../encoders/cbor.js';
import { negotiateWrite } from '../negotiation.js';
import { parsePatchParameters } from '../options/writeOptions.js';
import { timestamp } from '../pods/binding.js';
import type { Route } from '../routing.js';
import { creationCheck } from './creationCheck.js';
import { readLater } from './readLater.js';
import { targetOf, writeOptions, type VerbHandler } from './deps.js';
import { formOf, sendShown, type View } from './view.js';

/** JSON is YAML, so the first accepts both. */
const applyEncodings: ReadonlyMap<string, EncodingName> = new Map<string, EncodingName>([
  ['application/apply-patch+yaml', 'yaml'],
  ['application/apply-patch+cbor', 'cbor'],
]);

export const applyMediaTypes = (context: RequestContext): string[] =>
  [...applyEncodings]
    .filter(([, encoding]) => encoding !== 'cbor' || context.encoders?.includes(cborEncoder) === true)
    .map(([mediaType]) => mediaType);

/** Null when the request is not a known server-side apply. */
export function applyEncodingOf(context: RequestContext): EncodingName | null {
  const mediaType = patchMediaType(context);
  return applyMediaTypes(context).includes(mediaType) ? (applyEncodings.get(mediaType) ?? null) : null;
}

/** `view`: the configuration's form, if a subresource has its own. */
export const applyPatch =
  (encoding: EncodingName, view: View | null = null): VerbHandler =>
  async (context, route, { registry, reader, authorize }) => {
    const resource = view?.type(route.resource) ?? route.resource;
    const representation = negotiateWrite(context, route.resource);
    const parameters = parsePatchParameters(context.query, true);
    const body = await readLater(
      reader.configuration(context, encoding, parameters.fieldValidation !== 'Ignore', (message) =>
        badRequest(unreadable(encoding, message)),
      ),
    );
    const applying = new Applying({ context, route, resource, parameters, body });
    const change: Change =
      view === null
        ? {
            apply: (live) => applying.stored(live),
            subresource: applying.subresource,
            uid: null,
            mayCreate: creationCheck(context, route, authorize),
            applies: true,
          }
        : {
            apply: (current) => applying.through(view, current ?? { metadata: {} }),
            subresource: applying.subresource,
            uid: null,
            mayCreate: null,
            applies: true,
            form: formOf(view, route.resource),
          };
    const options = writeOptions(context, parameters.dryRun, parameters.fieldManager);
    const written = await registry.update(targetOf(route), change, options);
    await context.turn?.();
    if (view === null) sendObject(context, representation, { resource, stored: written.object }, written.created ? 201 : 200);
    else sendShown(context, representation, view, { resource: route.resource, stored: written.object });
  };

interface ApplyingOptions {
  readonly context: RequestContext;
  readonly route: Route;
  readonly resource: ServedResource;
  readonly parameters: ReturnType<typeof parsePatchParameters>;
  readonly body: () => DecodedBody;
}

class Applying {
  readonly #options: ApplyingOptions;
  readonly #ended: ReturnType<typeof endedOf>;

  constructor(options: ApplyingOptions) {
    const { context } = options;
    this.#options = options;
    this.#ended = endedOf({ waiter: context, deadline: context.deadline });
  }

  get subresource(): string {
    return this.#options.route.subresource?.name ?? '';
  }

  stored(live: ApiObject | null): Eventually<ApiObject> {
    const request = this.#request();
    const { name } = this.#options.route;
    return converting(request.resource, (versions) => this.#strictly(applied(live, { ...request, versions }, name)), this.#ended);
  }

  through(view: View, current: ApiObject): Eventually<ApiObject> {
    const { route } = this.#options;
    const apply = (live: ApiObject): Steps<ApiObject> => this.#strictly(applied(live, this.#request(), route.name));
    return turns.run(applyThrough(view, current, apply, route), this.#ended);
  }

  #request(): ApplyRequest {
    const { resource, parameters, body } = this.#options;
    const config = configuration(body().value, resource);
    const { fieldManager, force } = parameters;
    return { resource, config, manager: fieldManager, subresource: this.subresource, force, now: timestamp() };
  }

  /** Errors of applying come before duplicate fields. */
  *#strictly(applying: Steps<ApiObject>): Steps<ApiObject> {
    const object = yield* applying;
    const { context, parameters, body } = this.#options;
    const { duplicates } = body();
    if (parameters.fieldValidation === 'Strict' && duplicates.length > 0)
      throw badRequest(
        `error strict decoding YAML: ${notJson}yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`,
      );
    if (parameters.fieldValidation === 'Warn') context.warnings.push(...duplicates);
    return object;
  }
}

/** A uid implies that the object exists. Throws 409. */
function refuseIdentity({ metadata: { uid = '' } }: ApiObject, resource: ServedResource, name: string): void {
  if (uid !== '')
    throw conflict(resource, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
}

/** `name` is the request's: a configuration may have none. */
function* applied(current: ApiObject | null, request: ApplyRequest, name: string): Steps<ApiObject> {
  const { resource, config } = request;
  const live = current === null ? null : { apiVersion: apiVersionOf(resource), kind: resource.kind, ...current };
  const object = yield* applyConfiguration(live, { ...request, config: (yield* copyInSteps(config as JsonObject)) as ApiObject });
  if (current === null) refuseIdentity(config, resource, name);
  yield;
  // A version in the configuration makes the write conditional.
  object.metadata.resourceVersion = config.metadata.resourceVersion ?? current?.metadata.resourceVersion ?? '';
  const { receive, receiveApplied } = resource.behaviour;
  const checked = yield* outcomeOf((receiveApplied ?? receive)(object as JsonObject));
  if (!checked.ok)
    throw plainError(
      500,
      `failed to convert new object (${describedObject(config, resource)}) to proper version: unable to convert unstructured object to ${gvkText(resource)}: ${checked.message}`,
    );
  return checked.object;
}

function* applyThrough(
  view: View,
  current: ApiObject,
  apply: (live: ApiObject) => Steps<ApiObject>,
  { resource, name, ...route }: Route,
): Steps<ApiObject> {
  const scaled = { resource, live: current };
  const owners = ownersOfScale(scaled);
  const unowned = owners.length === 0 ? view.refuseApply(name, resource, 'unowned') : null;
  if (unowned !== null) throw unowned;
  const before = view.before(current, current.metadata.resourceVersion ?? '', resource);
  const after = yield* apply({ ...before, metadata: { ...before.metadata, managedFields: owners } });
  const changed = sameValue(before['spec'], after['spec']) ? null : view.refuseApply(name, resource, 'changed');
  if (changed !== null) throw changed;
  checkIdentity(after.metadata, targetOf({ ...route, resource, name }));
  const managedFields = ownersOfScaled(scaled, after.metadata.managedFields);
  const object = view.put(current, after, resource);
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

const notJson = 'error converting YAML to JSON: ';

const unreadable = (encoding: EncodingName, message: string): string =>
  `error decoding YAML: ${encoding === 'yaml' ? notJson : ''}${message}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function configuration(value: JsonValue, resource: ServedResource): ApiObject {
  if (value !== null && !isObject<JsonObject>(value))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goType(value)} into Go value of type map[string]interface {}`,
    );
  const config = (value ?? {}) as ApiObject;
  if (config.kind !== resource.kind || config.apiVersion !== apiVersionOf(resource)) {
    const [group, version] = groupVersion(textOf(config.apiVersion));
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${textOf(config.kind)}`);
  }
  config.metadata ??= {};
  if (!isObject(config.metadata)) {
    const { group, version, kind } = resource;
    throw plainError(
      500,
      `failed to create typed patch object (/; ${group}/${version}, Kind=${kind}): .metadata: expected map, got ${goType(config.metadata)}`,
    );
  }
  return config;
}

function groupVersion(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second, more] = apiVersion.split('/');
  return more === undefined && second !== undefined ? [first, second] : ['', second === undefined ? first : ''];
}
