import { specOf, type ApiObject, type JsonObject } from '../language.js';
import { bootstrapObjects } from '../../../api/catalogue/bootstrapObjects.js';

/** Objects that the server needs, and that no client may change. */
const mandatory = new Set(['exempt', 'catch-all']);

let specs: Readonly<Record<string, ReadonlyMap<string, JsonObject>>> | null = null;

const readSpecs = (resource: string): ReadonlyMap<string, JsonObject> =>
  new Map(
    (bootstrapObjects()[resource] ?? [])
      .filter(({ metadata }) => mandatory.has(metadata.name ?? ''))
      .map((object: ApiObject) => [object.metadata.name ?? '', specOf(object)]),
  );

export function mandatorySpec(resource: 'flowschemas' | 'prioritylevelconfigurations', name: string): JsonObject | null {
  if (!mandatory.has(name)) return null;
  specs ??= { flowschemas: readSpecs('flowschemas'), prioritylevelconfigurations: readSpecs('prioritylevelconfigurations') };
  return specs[resource]?.get(name) ?? null;
}
