import type { JsonObject, JsonValue, OwnerReference } from '../../../api/object.js';
import { isObject } from '../../../api/json/json.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import { printedOwner } from './printedOwner.js';
import { metadataMembers } from '../../../api/meta/metadataMembers.js';
import { isMetadataSet } from './templateMetadata.js';

export function printedMap(map: JsonValue | undefined): JsonObject | null {
  return isObject<JsonObject>(map) ? Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) : null;
}

export const printedEntries = (map: JsonValue | undefined): JsonObject | null =>
  Object.keys(membersOf(map)).length === 0 ? null : printedMap(map);

export function printedSelector(selector: JsonValue | undefined): JsonObject | null {
  if (selector === undefined || selector === null) return null;
  const { matchLabels, matchExpressions } = membersOf(selector);
  const labels = printedEntries(matchLabels);
  const expressions = itemsOf(matchExpressions)
    .map(membersOf)
    .map(({ key, operator, values }) => ({
      key: key ?? '',
      operator: operator ?? '',
      ...(itemsOf(values).length === 0 ? {} : { values }),
    }));
  return { ...(labels === null ? {} : { matchLabels: labels }), ...(expressions.length === 0 ? {} : { matchExpressions: expressions }) };
}

/** Metadata as messages quote it: without unset members. */
export function printedMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    metadataMembers.flatMap((member): [string, JsonValue][] => {
      const value = metadata[member];
      if (!isMetadataSet(member, value)) return [];
      if (member === 'labels' || member === 'annotations') return printedEntries(value) === null ? [] : [[member, printedEntries(value)]];
      if (member === 'ownerReferences')
        return itemsOf(value).length === 0
          ? []
          : [[member, itemsOf(value).map((owner) => printedOwner(membersOf(owner) as Partial<OwnerReference>))]];
      return Array.isArray(value) && itemsOf(value).length === 0 ? [] : [[member, value]];
    }),
  );
}
