import { chmodSync, statSync, type Stats } from 'node:fs';
import { ReplicaError } from './errors.js';

const privateMode = 0o700;
const groupOrOthers = 0o077;
const others = 0o007;

/** Decides about a directory with secrets. Pure. */
export type Privacy = 'private' | 'close' | 'refuse';

/**
 * Closes our own directory to others, since container runtimes create open volumes. Another owner's directory is only checked: access by a group (pods'
 * `fsGroup`) is accepted, by all users refused.
 */
export function privacyOf({ mode, uid }: Pick<Stats, 'mode' | 'uid'>, ownUid: number): Privacy {
  if ((mode & groupOrOthers) === 0) return 'private';
  if (uid === ownUid || ownUid === 0) return 'close';
  return (mode & others) === 0 ? 'private' : 'refuse';
}

/** Ensures that other users cannot enter the directory; throws a ReplicaError if that is impossible. */
export function keepPrivate(directory: string): void {
  const ownUid = process.geteuid?.();
  if (ownUid === undefined) return;
  const stats = statSync(directory);
  const privacy = privacyOf(stats, ownUid);
  if (privacy === 'close') chmodSync(directory, privateMode);
  if (privacy !== 'refuse') return;
  throw new ReplicaError(
    'INVALID_OPTIONS',
    `the data directory ${directory} is open to all users of this machine (mode ${(stats.mode & 0o777).toString(8).padStart(4, '0')}) and belongs to another one (uid ${stats.uid}), ` +
      `so this program (uid ${ownUid}) cannot close it: give it to uid ${ownUid}, take the rights of others away (chmod o-rwx), or name a new folder in it, which the program makes itself`,
  );
}
