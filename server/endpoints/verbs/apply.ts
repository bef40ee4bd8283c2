import type { EncodingName } from '../../../workers/codecs/contract.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { badRequest, plainError } from '../../api/status.js';
import type { ServedResource } from '../../catalogue/resources.js';
import { applyConfiguration } from '../../registry/applied.js';
import { Path, required } from '../../registry/validation/field.js';
import { sendObject } from '../answers.js';
import { bodyMediaType, checkObject } from '../body.js';
import type { RequestContext } from '../context.js';
import { cborEncoder } from '../encoders/cbor.js';
import { negotiate } from '../negotiation.js';
import { booleanParameter, refuseFindings } from '../options/values.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import { creationCheck } from './creationCheck.js';
import { targetOf, writeOptions, type VerbHandler } from './deps.js';

/** Media types of server-side apply, with the encoding of their bodies. JSON is YAML, so the first takes both. */
const APPLY_ENCODINGS: ReadonlyMap<string, EncodingName> = new Map<string, EncodingName>([['application/apply-patch+yaml', 'yaml'], ['application/apply-patch+cbor', 'cbor']]);

/** Media types of server-side apply that this server takes. */
export const applyMediaTypes = (context: RequestContext): string[] =>
  [...APPLY_ENCODINGS].filter(([, encoding]) => encoding !== 'cbor' || context.encoders?.includes(cborEncoder) === true).map(([mediaType]) => mediaType);

/** The encoding of the configuration, or null when the request is no server-side apply that this server knows. */
export function applyEncodingOf(context: RequestContext): EncodingName | null {
  const mediaType = bodyMediaType(context);
  return applyMediaTypes(context).includes(mediaType) ? APPLY_ENCODINGS.get(mediaType) ?? null : null;
}

/** PATCH by server-side apply: creates the object when it is absent, else makes it agree with the configuration. */
export const applyPatch = (encoding: EncodingName): VerbHandler => async (context, route, { registry, reader, authorize }) => {
  const { resource } = route;
  const representation = negotiate(context, { collection: false, stream: false });
  const { dryRun, fieldManager, fieldValidation } = parseWriteParameters(context.query, 'PatchOptions');
  if (fieldManager === '') refuseFindings('PatchOptions', [required(Path.of('fieldManager'), 'is required for apply patch')]);
  const body = await reader.configuration(context, encoding, fieldValidation !== 'Ignore', message => badRequest(`error decoding YAML: ${message}`));
  const duplicates = body.duplicates.map(path => `duplicate field ${JSON.stringify(path)}`);
  if (fieldValidation === 'Strict' && duplicates.length > 0) throw badRequest(`error strict decoding YAML: ${duplicates.join(', ')}`);
  const config = configuration(body.value, resource);
  const subresource = route.subresource?.name ?? '';
  const force = booleanParameter(context.query, 'force') ?? false;
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const apply = (current: ApiObject | null): ApiObject => {
    const live = current === null ? null : { apiVersion: apiVersionOf(resource), kind: resource.kind, ...current };
    const applied = applyConfiguration(live, { resource, config: structuredClone(config), manager: fieldManager, subresource, force, now });
    // A version in the configuration makes the write conditional; without one it is a write to whatever the object is now.
    applied.metadata.resourceVersion = config.metadata.resourceVersion ?? current?.metadata.resourceVersion ?? '';
    const checked = checkObject(applied as JsonObject, resource);
    if (!checked.ok) throw plainError(500, `failed to create typed live object: ${checked.message}`);
    return checked.object;
  };
  const change = { apply, subresource, uid: null, mayCreate: creationCheck(context, route, authorize), applies: true };
  const written = await registry.update(targetOf(route), change, writeOptions(context, dryRun, fieldManager));
  if (fieldValidation === 'Warn') context.warnings.push(...duplicates);
  sendObject(context, representation, resource, written.object, written.created ? 201 : 200);
};

function configuration(value: unknown, resource: ServedResource): ApiObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('error decoding YAML: the configuration must be an object');
  const config = value as ApiObject;
  const expected = apiVersionOf(resource);
  if (config.kind === undefined || config.kind === '') throw badRequest(`error decoding YAML: Object 'Kind' is missing in '${JSON.stringify(config)}'`);
  if (config.kind !== resource.kind || config.apiVersion !== expected) {
    throw badRequest(`Incorrect version specified in apply patch. Specified patch version: ${config.apiVersion ?? ''}, expected: ${expected}`);
  }
  const { metadata } = config;
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) throw badRequest('error decoding YAML: metadata must be an object');
  config.metadata ??= {};
  return config;
}
