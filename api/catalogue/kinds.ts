import { apiVersionOf, type GroupVersion } from '../resource.js';
import { readCatalogueData } from './data.js';

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

const kinds = (): ReadonlyMap<string, ReadonlySet<string>> =>
  (known ??= new Map(Object.entries(readCatalogueData<Record<string, string[]>>('kinds')).map(([key, names]) => [key, new Set(names)])));

/** Whether a kind exists in that version, served or not. It decides only how a body of the wrong kind is refused. */
export const isKnownKind = (groupVersion: GroupVersion, kind: string): boolean =>
  kinds().get(apiVersionOf(groupVersion))?.has(kind) ?? false;

/** Versions of groups of which the release knows any kinds, served or not. */
export const knownApiVersions = (): readonly string[] => [...kinds().keys()];
