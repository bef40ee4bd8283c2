import { itemsOf, type ApiObject, type JsonValue } from '../language.js';

const accessModeWords: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export const accessModes = (modes: JsonValue | undefined): string =>
  Object.keys(accessModeWords)
    .filter((mode) => itemsOf(modes).includes(mode))
    .map((mode) => accessModeWords[mode])
    .join(',');

export const terminatingOr = (object: ApiObject, state: string): string =>
  object.metadata.deletionTimestamp === undefined ? state : 'Terminating';
