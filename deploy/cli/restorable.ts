import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { programFile } from '../programs.js';
import { kindOf, type RestorableKind } from '../restore.js';
import { CommandRefused } from './control.js';

/** Checks that a file can be restored into this kind of cluster, before anything is deleted for it. Throws its faults. */
export async function examineRestorable(file: string, store: 'raft' | 'etcd'): Promise<RestorableKind> {
  const kind = kindOf(file);
  if (kind === 'backup' && store === 'etcd')
    throw new CommandRefused(`${file} is a backup of the built-in store, which an etcd cannot be restored from`);
  try {
    if (kind === 'backup') await promisify(execFile)(process.execPath, [programFile('apiserver'), 'check', '--backup', file]);
    else (await import('../testing/contents.js')).objectsIn(fs.readFileSync(file));
    return kind;
  } catch (error) {
    throw unfit(file, error);
  }
}

/** Restores a snapshot in a running, new cluster. */
export async function putSnapshotBack(file: string, kubeconfig: string, say: (line: string) => void): Promise<void> {
  say(`restoring ${file}`);
  try {
    const { putBack } = await import('../testing/putBack.js');
    await putBack(file, { kubeconfig });
  } catch (error) {
    throw unfit(file, error);
  }
}

function unfit(file: string, cause: unknown): Error {
  const said = (cause as { readonly stderr?: string }).stderr ?? (cause instanceof Error ? cause.message : String(cause));
  return new Error(`${file} cannot be restored: ${said.trim().replace(/^error: /, '')}`, { cause });
}
