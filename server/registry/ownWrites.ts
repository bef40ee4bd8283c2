import { systemUser } from '../../api/user.js';
import type { WriteOptions } from './contract.js';

const writeTimeoutMs = 10_000;

/** Writes on the server's own account; callers override members. */
export const ownWrites: WriteOptions = {
  user: systemUser,
  manager: 'kube-apiserver',
  dryRun: false,
  timeoutMs: writeTimeoutMs,
  warn: () => {},
};
