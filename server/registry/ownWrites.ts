import { systemUser } from '../../api/user.js';
import type { WriteOptions } from './contract.js';

const writeTimeoutMs = 10_000;

/** As the server writes on its own account. Who has another name for what it writes, or less time, says so beside: `{ ...ownWrites, manager }`. */
export const ownWrites: WriteOptions = {
  user: systemUser,
  manager: 'kube-apiserver',
  dryRun: false,
  timeoutMs: writeTimeoutMs,
  warn: () => {},
};
