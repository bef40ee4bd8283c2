import type { Steps } from '../../../api/steps.js';
import { goLine } from '../../../workers/codecs/goJson.js';
import { writeSortedJson } from '../../../workers/codecs/jsonWriter.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { compare } from './compare.js';
import { FieldSet } from './fieldSet.js';
import { fieldsOf } from './fieldsOf.js';
import type { ApplyConflict } from './ownership.js';
import { typeProblem } from './typed.js';
import { isObject } from '../../../api/json/json.js';
import type { Schema } from './schema.js';

/**
 * Migrates from client-side to server-side apply. Client-side apply owns fields as an update under another name, so the first server-side apply would conflict
 * with its own user. This manager has no conflicts over fields that still match the former's annotation.
 */
export const applyingClient = 'kubectl';
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const annotationsBytesMax = 256 * 1024;
const depthMax = 1_000;

/** Drops conflicts over unchanged fields that client-side apply set. */
export function* realConflicts(
  conflicts: readonly ApplyConflict[],
  live: ApiObject,
  schema: Schema,
  apiVersion: string,
): Steps<readonly ApplyConflict[]> {
  const own = yield* fieldsOfLastApply(live, schema, apiVersion);
  return conflicts.map(({ manager, fields }) => ({ manager, fields: fields.difference(own) })).filter(({ fields }) => !fields.isEmpty);
}

function* fieldsOfLastApply(live: ApiObject, schema: Schema, apiVersion: string): Steps<FieldSet> {
  const last = lastConfiguration(live);
  if (last === null || last['apiVersion'] !== apiVersion) return FieldSet.empty;
  for (const each of [last, live as JsonObject]) if ((yield* typeProblem(each, schema, 'configuration')) !== null) return FieldSet.empty;
  const { added, modified, removed } = yield* compare(last, live as JsonObject, schema);
  return (yield* fieldsOf(last, schema)).difference(modified).difference(added).difference(removed);
}

function lastConfiguration({ metadata }: ApiObject): JsonObject | null {
  const text = metadata.annotations?.[annotation] ?? '';
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) && depthOf(value, depthMax) < depthMax ? value : null;
  } catch {
    return null;
  }
}

/** Returns a value's depth, at most `max`, because later code needs stack per level. */
const depthOf = (value: JsonValue, max: number): number => {
  if (max === 0 || typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const member of Object.values(value)) deepest = Math.max(deepest, 1 + depthOf(member ?? null, max - 1));
  return deepest;
};

/** Updates an existing annotation to the applied configuration, for later client-side apply. */
export function withLastConfiguration(object: ApiObject, config: ApiObject): ApiObject {
  const annotations = object.metadata?.annotations;
  if (annotations?.[annotation] === undefined) return object;
  const { [annotation]: _before, ...others } = annotations;
  const kept = { ...others, [annotation]: configurationText(config) };
  const bytes = Object.entries(kept).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  return { ...object, metadata: { ...object.metadata, annotations: bytes > annotationsBytesMax ? others : kept } };
}

/** The client's format: sorted members and a trailing line end. */
function configurationText(config: ApiObject): string {
  const { annotations, ...metadata } = config.metadata;
  const { [annotation]: _before, ...others } = annotations ?? {};
  const written = { ...config, metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations: others }) } };
  return goLine(writeSortedJson(written));
}
