import { systemUser } from '../../api/user.js';
import type { WriteOptions } from './contract.js';

const writeTimeoutMs = 10_000;

/** Options of writes on the server's own account. A caller with another manager or timeout overrides them: `{ ...ownWrites, manager }`. */
export const ownWrites: WriteOptions = {
  user: systemUser,
  manager: 'kube-apiserver',
  dryRun: false,
  timeoutMs: writeTimeoutMs,
  warn: () => {},
};
