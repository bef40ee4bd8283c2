import { encodeStored } from '../../../../server/storage/encoding.js';
import { configMaps, key, objectFor } from './suite.js';

export const within = { timeoutMs: 60_000 };
export const quick = { versionTimeoutMs: 20 };
export const a = key(configMaps, 'one', 'a');
export const b = key(configMaps, 'one', 'b');
export const path = (name: string): string => `/registry/core/configmaps/one/${name}`;

export const put = (name: string): { type: 'put'; key: string; value: Buffer } => {
  const at = key(configMaps, 'one', name);
  return { type: 'put', key: path(name), value: encodeStored(at, objectFor(at)) };
};
