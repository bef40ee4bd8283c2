import { apiVersionOf, type GroupVersion } from '../resource.js';
import { readCatalogueData } from './data.js';

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

const kinds = (): ReadonlyMap<string, ReadonlySet<string>> =>
  (known ??= new Map(Object.entries(readCatalogueData<Record<string, string[]>>('kinds')).map(([key, names]) => [key, new Set(names)])));

/** Returns whether the kind exists, served or not; decides only how a body of the wrong kind is refused. */
export const isKnownKind = (groupVersion: GroupVersion, kind: string): boolean =>
  kinds().get(apiVersionOf(groupVersion))?.has(kind) ?? false;

/** Includes versions that are not served. */
export const knownApiVersions = (): readonly string[] => [...kinds().keys()];
