import fs from 'node:fs';
import path from 'node:path';
import { outliveFullDisk } from '../logFiles.js';
import { CommandRefused } from './control.js';
import { flagsAfter, rememberedFlags, type ProgramFlags } from '../settings.js';
import { Launcher } from './launcher.js';
import { examineRestorable, putSnapshotBack } from './restorable.js';
import type { RestorableKind } from '../restore.js';
import type { UpOptions } from './upOptions.js';

const privateFilesUmask = 0o077;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal stops the cluster in order; further ones have no effect, since the stop is bounded. */
function stopRequest(): AbortSignal {
  const controller = new AbortController();
  for (const signal of stopSignals) process.on(signal, () => controller.abort(new Error(`stopped by ${signal}`)));
  return controller.signal;
}

/** Runs a cluster in this process until a signal or `raftplane stop`. Calls `ready` once everything is up. */
export async function runCluster(
  directory: string,
  options: UpOptions,
  say: (line: string) => void,
  ready: (started: Started) => void,
): Promise<void> {
  const { port, replicas, store, etcdServers, managers, nodes, bind, fresh, restore } = options;
  const restored = await formToRestore(directory, options);
  process.umask(privateFilesUmask);
  outliveFullDisk();
  const flags = flagsFor(directory, options, say);
  const signal = stopRequest();
  const launcher = await Launcher.start({
    dataDirectory: directory,
    port,
    replicas,
    store,
    etcdServers,
    managers,
    fakeNodes: nodes,
    bindPods: bind,
    fresh,
    restore: restored === 'backup' ? restore : undefined,
    apiserverFlags: flags.apiserver,
    managerFlags: electionOf(managers, flags.manager),
    rememberedFlags: flags,
    signal,
    onProgress: say,
  });
  if (restore !== undefined && restored === 'snapshot')
    await putSnapshotBack(restore, launcher.kubeconfig, say).catch(async (error: unknown) => {
      // A cluster that lacks its requested initial contents must not stay running.
      await launcher.stop();
      throw error;
    });
  process.on('SIGUSR2', () => void launcher.startStopped().catch((error: unknown) => say(String(error))));
  // The socket exists before the link, which is redeemed on it.
  await launcher.run(() => ready({ kubeconfig: path.resolve(launcher.kubeconfig), link: launcher.consoleLink() }));
}

/** Returns the kind of the file of `--restore`; null without it. Throws if there is a cluster already. */
async function formToRestore(directory: string, { store, etcdServers, fresh, restore }: UpOptions): Promise<RestorableKind | null> {
  if (restore === undefined) return null;
  if (!fresh && fs.existsSync(path.join(directory, 'data')))
    throw new CommandRefused(
      `${directory} holds a cluster already, and only a new one can be restored: give another --name, or start empty with --fresh`,
    );
  return examineRestorable(restore, store === 'etcd' || etcdServers !== undefined ? 'etcd' : 'raft');
}

/** A killed manager is replaced within five seconds. The reference's 15 s suit a network. */
const quickElection = ['--leader-elect-lease-duration=4s', '--leader-elect-renew-deadline=3s', '--leader-elect-retry-period=500ms'];

/** Managers on one machine elect their leader quickly, unless flags decide otherwise. */
export const electionOf = (managers: number, given: readonly string[]): readonly string[] =>
  managers < 2 || given.some((flag) => flag.startsWith('--leader-elect')) ? given : [...quickElection, ...given];

/** Returns the programs' flags: the given ones, else those of the previous start, with a notice. */
export function flagsFor(
  directory: string,
  { fresh, forgetFlags, apiserverFlag, managerFlag }: Pick<UpOptions, 'fresh' | 'forgetFlags' | 'apiserverFlag' | 'managerFlag'>,
  say: (line: string) => void,
): ProgramFlags {
  const before = fresh || forgetFlags ? null : rememberedFlags(path.join(directory, 'settings.json'));
  const flags = flagsAfter(before, { apiserver: apiserverFlag, manager: managerFlag });
  const kept = [...(apiserverFlag.length > 0 ? [] : flags.apiserver), ...(managerFlag.length > 0 ? [] : flags.manager)];
  if (kept.length > 0) say(`with the flags of the start before (--forget-flags leaves them out): ${kept.join(' ')}`);
  return flags;
}

export interface Started {
  readonly kubeconfig: string;
  /** A link that signs its owner into the console once; or null. */
  readonly link: string | null;
}

export function quote(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
