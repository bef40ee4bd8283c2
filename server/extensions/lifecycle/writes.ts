import { systemUser } from '../../api/user.js';
import type { WriteOptions } from '../../registry/contract.js';

const writeTimeoutMs = 10_000;

/** As the server writes on its own account. */
export const ownWrites: WriteOptions = {
  user: systemUser,
  manager: 'kube-apiserver',
  dryRun: false,
  timeoutMs: writeTimeoutMs,
  warn: () => {},
};
