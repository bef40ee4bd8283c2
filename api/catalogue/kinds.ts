import { apiVersionOf, type GroupVersion } from '../resource.js';
import { readCatalogueData } from './data.js';

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Whether a kind exists in that version, served or not. It decides only how a body of the wrong kind is refused. */
export const isKnownKind = (groupVersion: GroupVersion, kind: string): boolean => {
  known ??= new Map(Object.entries(readCatalogueData<Record<string, string[]>>('kinds')).map(([key, kinds]) => [key, new Set(kinds)]));
  return known.get(apiVersionOf(groupVersion))?.has(kind) ?? false;
};
