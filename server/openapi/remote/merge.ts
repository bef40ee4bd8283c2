import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { membersOf } from '../../../api/json/members.js';
import { definitionsPrefix, nameIn, referenceTo, withReferences } from './references.js';

/**
 * Merges foreign parts into the version 2 document: existing paths stay, and a definition whose name has another meaning becomes `NAME_v2` and so on
 * (`MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters` of kube-openapi). Pure.
 */
export function mergedV2(own: JsonObject, parts: readonly JsonObject[]): JsonObject {
  if (parts.length === 0) return own;
  const paths = new Map(Object.entries(membersOf(own['paths'])));
  const definitions = new Map(Object.entries(membersOf(own['definitions'])));
  for (const part of parts) {
    const added = membersOf(part['definitions']);
    const names = namesFor(added, definitions);
    const renamed = (value: JsonValue): JsonValue =>
      withReferences(value, (reference) => {
        const name = names.get(nameIn(reference, definitionsPrefix) ?? '');
        return name === undefined ? reference : referenceTo(definitionsPrefix, name);
      });
    for (const [before, name] of names) if (!definitions.has(name)) definitions.set(name, renamed(membersOf(added[before])));
    for (const [path, item] of Object.entries(membersOf(part['paths']))) if (!paths.has(path)) paths.set(path, renamed(membersOf(item)));
  }
  return { ...own, paths: Object.fromEntries(paths), definitions: Object.fromEntries(sorted(definitions)) };
}

const sorted = (entries: ReadonlyMap<string, JsonValue | undefined>): [string, JsonValue | undefined][] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

/** Returns names in the merged document: original ones if free, or with the same meaning. */
function namesFor(added: JsonObject, taken: ReadonlyMap<string, JsonValue | undefined>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(added)) {
    let found = name;
    for (let position = 2; !isFree(found, name, definition, { added, taken }); position++) found = `${name}_v${position}`;
    names.set(name, found);
  }
  return names;
}

function isFree(
  candidate: string,
  name: string,
  definition: JsonValue | undefined,
  { added, taken }: { readonly added: JsonObject; readonly taken: ReadonlyMap<string, JsonValue | undefined> },
): boolean {
  if (candidate !== name && Object.hasOwn(added, candidate)) return false;
  const there = taken.get(candidate);
  return there === undefined || isDeepStrictEqual(withoutKinds(there), withoutKinds(definition));
}

/** Differing kinds do not make two schemas different. */
function withoutKinds(definition: JsonValue | undefined): JsonObject {
  const { 'x-kubernetes-group-version-kind': _, ...schema } = membersOf(definition);
  return schema;
}
