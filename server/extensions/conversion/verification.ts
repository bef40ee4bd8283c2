import { goTypeOf } from '../../../api/goTypes.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { Path } from '../../registry/validation/field.js';
import { validateAnnotations } from '../../registry/validation/metadata.js';
import { labelMap } from '../../registry/validation/values.js';
import { inOneGo } from '../../../api/steps.js';
import { outcomeOf } from '../../registry/stepwise.js';
import { type Found } from '../../registry/validation/ofEach.js';

/** Restrictions on conversion webhooks. Pure; messages are the reference's. */

const identity: readonly (readonly [member: string, name: string])[] = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
];

/** Returns why a converted object is not the original in another version, or null. */
export function shapeProblem(original: ApiObject, converted: JsonValue, apiVersion: string): string | null {
  if (typeof converted !== 'object' || converted === null || Array.isArray(converted)) return 'it is not an object';
  const [version, kind] = [textAt(converted, 'apiVersion'), textAt(converted, 'kind')];
  if (version !== apiVersion) return `invalid groupVersion (expected ${apiVersion}, received ${version})`;
  if (kind !== original.kind) return `invalid kind (expected ${original.kind ?? ''}, received ${kind})`;
  for (const [member, name] of identity) {
    const [before, after] = [textAt(original, 'metadata', member), textAt(converted, 'metadata', member)];
    if (before !== after) return `must have the same ${name}: ${before} != ${after}`;
  }
  return null;
}

export type Restored = { readonly ok: true; readonly object: ApiObject } | { readonly ok: false; readonly message: string };

/** Restores the original metadata except for labels and annotations. Changes `converted`. */
export function restoreMetadata(original: ApiObject, converted: JsonObject): Restored {
  const own = objectAt(converted, 'metadata');
  if (own === null)
    return {
      ok: false,
      message:
        converted['metadata'] === undefined
          ? 'missing metadata in converted object'
          : `invalid metadata of type ${goTypeOf(converted['metadata'])} in converted object`,
    };
  const metadata: JsonObject = { ...original.metadata };
  for (const [member, validate] of textMaps) {
    delete metadata[member];
    const value = own[member] ?? null;
    if (value === null) continue;
    const problem = textsProblem(value, member, original.metadata[member], validate);
    if (problem !== null) return { ok: false, message: problem };
    metadata[member] = value;
  }
  converted['metadata'] = metadata;
  return { ok: true, object: converted as ApiObject };
}

type Validate = (texts: Record<string, string>) => Found;
const textMaps: readonly (readonly [member: 'labels' | 'annotations', validate: Validate])[] = [
  ['labels', (texts) => labelMap(texts, Path.of('metadata', 'labels'))],
  ['annotations', (texts) => validateAnnotations(texts, Path.of('metadata', 'annotation'))],
];

function textsProblem(value: JsonValue, member: string, before: JsonValue | undefined, validate: Validate): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `invalid metadata.${member} of type ${goTypeOf(value)} in converted object`;
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string') return `metadata.${member}[${key}] must be a string, but is ${goTypeOf(text)} in converted object`;
  // Unchanged values are not checked again.
  if (sameValue(value, before ?? {})) return null;
  const findings = inOneGo(outcomeOf(validate(value as Record<string, string>))).map(({ path, message }) => `${path}: ${message}`);
  return findings.length === 0 ? null : findings.length === 1 ? (findings[0] ?? '') : `[${findings.join(', ')}]`;
}
