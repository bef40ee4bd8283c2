import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { memberId, rescueBackup, restoreBackup, revisionsSkipped, startReplica, type MemberId } from '../../raft/index.js';
import { Servers } from '../operations/connection.js';
import { createEncryption } from '../storage/encryption/encryption.js';
import { readEncryptionConfiguration } from '../storage/encryption/configuration.js';
import { EncryptedReplica } from '../storage/encryption/encryptedReplica.js';
import type { StoreEngine, WriteOutcome } from '../storage/engine.js';
import { EtcdClient } from '../storage/etcd/client.js';
import { EtcdEngine } from '../storage/etcd/engine.js';
import { Leases } from '../storage/etcd/leases.js';
import type { KeySpace } from '../storage/keys.js';
import { seal, sealKeyOf, unseal } from '../storage/seal.js';
import { readClusterToken } from '../../program/files/clusterToken.js';
import { migrate, type HandOver, type MigrationReport } from './migrate.js';
import { RemoteEngine } from './remoteEngine.js';
import { keySpaceOf, type StoreKind } from './side.js';
import { errorText } from '../../api/errorText.js';

interface MigrateFlags {
  readonly from: StoreKind;
  readonly to: StoreKind;
  readonly dataDir?: string;
  readonly acceptLostWrites: boolean;
  readonly backup?: string;
  readonly kubeconfig?: string;
  readonly server: readonly string[];
  readonly memberId: string;
  readonly clusterToken: string;
  readonly clusterTokenFile?: string;
  readonly etcdServers: readonly string[];
  readonly etcdPrefix: string;
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
  readonly encryptionProviderConfig?: string;
  readonly eventTtlSeconds: number;
  readonly resume: boolean;
  readonly restored: boolean;
  readonly followQuietSeconds?: number;
  readonly handOver: boolean;
  readonly release: boolean;
  readonly json: boolean;
}

const kinds = ['embedded', 'etcd'] as const;

const command = (): Command =>
  progress(
    ofEtcd(
      ofEmbedded(
        new Command('apiserver migrate')
          .description('Takes all objects from the built-in store to an etcd or back, compares both sides, and says what it found.')
          .exitOverride()
          .addOption(new Option('--from <store>', 'where the objects are').choices(kinds).makeOptionMandatory())
          .addOption(new Option('--to <store>', 'where they shall be').choices(kinds).makeOptionMandatory()),
      ),
    ),
  ).addHelpText('after', examples);

const ofEmbedded = (command: Command): Command =>
  command
    .option('--data-dir <directory>', 'of the built-in store: of a single server that does not run, or empty to begin one')
    .option(
      '--accept-lost-writes',
      'the data directory is that of one of several servers, all of which are stopped: what it has is moved',
      false,
    )
    .option('--backup <file>', 'the objects are in this backup of the built-in store')
    .option('--kubeconfig <file>', 'the objects are in the built-in store of servers that run: how to reach them, and as an administrator')
    .option('--server <url>', "one of them, instead of the kubeconfig's; repeat it for the others", collect, [])
    .option('--member-id <name>', 'the member that the directory belongs to', 'a')
    .option('--cluster-token <word>', "the cluster's --raft-cluster-token", 'raftplane')
    .addOption(new Option('--cluster-token-file <file>', 'file with that word').conflicts('clusterToken'));

const ofEtcd = (command: Command): Command =>
  command
    .addOption(new Option('--etcd-servers <url,...>', 'the etcd').argParser((text) => text.split(',')).makeOptionMandatory())
    .option('--etcd-prefix <path>', 'what all keys begin with, on both sides', '/registry')
    .option('--etcd-cafile <file>', "authorities of the etcd servers' certificates")
    .option('--etcd-certfile <file>', 'certificate shown to etcd')
    .option('--etcd-keyfile <file>', 'its key')
    .option('--encryption-provider-config <file>', 'how values are encrypted, on both sides')
    .addOption(new Option('--event-ttl-seconds <seconds>', 'how long etcd keeps events from now on').argParser(Number).default(3_600));

const progress = (command: Command): Command =>
  command
    .option(
      '--resume',
      'go on with a move that was broken off, or that the source has changed since: what the source does not have is removed',
      false,
    )
    .addOption(
      new Option(
        '--follow-quiet-seconds <seconds>',
        'follow the source while its servers serve, until nothing has changed in it for so long: they were stopped',
      ).argParser(Number),
    )
    .option(
      '--hand-over',
      'follow the source while its servers serve; once the target has caught up, they refuse writes, for good, and the rest is taken over',
      false,
    )
    .option('--release', 'do nothing but let the source take writes again, after a hand-over that is not wanted', false)
    .option('--restored', 'the data directory comes from apiserver restore, and no server has been started on it', false)
    .option('--json', 'report in JSON', false);

const examples = `
Examples:
  apiserver migrate --from embedded --kubeconfig admin.kubeconfig --to etcd --etcd-servers https://10.0.0.1:2379 --etcd-cafile ca.crt --etcd-certfile c.crt --etcd-keyfile c.key --hand-over
  apiserver migrate --from etcd --etcd-servers http://127.0.0.1:2379 --to embedded --data-dir single --hand-over
  apiserver migrate --from embedded --backup monday.backup --to etcd --etcd-servers http://127.0.0.1:2379
A move that was broken off, wherever it was, goes on with the same command and --resume.
`;

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Runs `apiserver migrate`. Resolves with the exit code, as `runOperation` does. */
export async function runMigration(argv: readonly string[]): Promise<number> {
  const program = command();
  try {
    program.parse(argv, { from: 'user' });
    await move(program.opts<MigrateFlags>());
    return 0;
  } catch (error) {
    if (error instanceof Error && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.'))
      return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`apiserver: ${errorText(error)}\n`);
    return 1;
  }
}

interface Opened {
  readonly engine: StoreEngine;
  /** Its revision is far behind what clients have seen. */
  readonly restored: boolean;
  /** Seals, or releases the seal; absent if no server can be writing. */
  readonly seal?: (reason: string) => Promise<void>;
  readonly unseal?: () => Promise<void>;
  stop(): Promise<void>;
}

async function move(flags: MigrateFlags): Promise<void> {
  if (flags.from === flags.to) throw new Error('--from and --to name the same store');
  if (flags.handOver && flags.followQuietSeconds !== undefined)
    throw new Error('--hand-over ends the writes itself: give it or --follow-quiet-seconds, not both');
  const opened = new Map<StoreKind, Opened>();
  try {
    // A mere release needs and makes no target.
    for (const kind of kinds) if (!flags.release || kind === flags.from) opened.set(kind, await openers[kind](flags));
    const source = opened.get(flags.from)!;
    if (flags.release) return await release(source);
    const side = (kind: StoreKind): { kind: StoreKind; engine: StoreEngine; keys: KeySpace } => {
      const keys = keySpaceOf(kind, flags.etcdPrefix);
      return { kind, keys, engine: inPlain(opened.get(kind)!.engine, keys, flags) };
    };
    const report = await migrate({
      from: side(flags.from),
      to: side(flags.to),
      resume: flags.resume,
      unseen: source.restored ? revisionsSkipped : 0,
      eventTtlMs: flags.eventTtlSeconds * 1_000,
      handOver: handOverOf(flags, source),
      progress: (line) => {
        process.stderr.write(`${line}\n`);
      },
    });
    process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  } finally {
    for (const { stop } of opened.values()) await stop();
  }
}

function handOverOf({ handOver, followQuietSeconds, to }: MigrateFlags, { seal }: Opened): HandOver | null {
  if (followQuietSeconds !== undefined) return { by: 'silence', quietMs: followQuietSeconds * 1_000 };
  if (!handOver) return null;
  if (seal === undefined) throw new Error('no server writes to this source: leave --hand-over out');
  return { by: 'seal', seal: () => seal(`the objects have moved to another store (${to})`) };
}

async function release({ unseal }: Opened): Promise<void> {
  if (unseal === undefined) throw new Error('no server writes to this source: there is nothing to be released');
  await unseal();
  process.stdout.write('the source takes writes again\n');
}

function reportText({ resources, written, removed, left, sourceRevision, targetRevision, readOnlyMs }: MigrationReport): string {
  const lines = resources.map(({ resource, objects, sha256 }) => `${resource.padEnd(60)} ${String(objects).padStart(8)}  ${sha256}`);
  return [
    ...lines,
    `equal: ${resources.reduce((sum, { objects }) => sum + objects, 0)} objects; ${written} written and ${removed} removed in this run`,
    `revision ${sourceRevision} of the source, ${targetRevision} of the target`,
    ...(readOnlyMs === null
      ? []
      : [`the source takes no writes any more, and took none for ${readOnlyMs} ms before the target had everything`]),
    ...left.map((key) => `left where it is, being no object: ${key}`),
    '',
  ].join('\n');
}

function openEtcd(flags: MigrateFlags): Opened {
  const file = (path: string | undefined): Buffer | null => (path === undefined ? null : readFileSync(path));
  const client = new EtcdClient({
    servers: flags.etcdServers,
    tls: { ca: file(flags.etcdCafile), cert: file(flags.etcdCertfile), key: file(flags.etcdKeyfile) },
  });
  const { start, end } = keySpaceOf('etcd', flags.etcdPrefix);
  const leases = new Leases({ client, reuseMs: 60_000, now: () => performance.now() });
  const engine = new EtcdEngine({ client, start, end, leases });
  const key = sealKeyOf(flags.etcdPrefix);
  return {
    engine,
    restored: false,
    seal: async (reason) => done(await seal(engine, key, reason)),
    unseal: async () => done(await unseal(engine, key)),
    stop: () => {
      engine.stop();
      return Promise.resolve();
    },
  };
}

const openers: Readonly<Record<StoreKind, (flags: MigrateFlags) => Opened | Promise<Opened>>> = { embedded: openEmbedded, etcd: openEtcd };

function done(outcome: WriteOutcome): void {
  if (outcome.outcome !== 'applied') throw new Error(`etcd did not take a write (${outcome.outcome}): run this again with --resume`);
}

/** Possible places of a built-in store; the first given counts. */
const embeddedPlaces: readonly ((flags: MigrateFlags) => Promise<Opened> | null)[] = [
  ({ from, kubeconfig, server }) => (from === 'embedded' && kubeconfig !== undefined ? openRunning(kubeconfig, server) : null),
  ({ from, backup }) => (from === 'embedded' && backup !== undefined ? openBackup(backup) : null),
  ({ from, dataDir, acceptLostWrites, ...owner }) =>
    from === 'embedded' && dataDir !== undefined && acceptLostWrites ? openSurvivor(dataDir, owner) : null,
  ({ dataDir, restored, ...owner }) => (dataDir === undefined ? null : openAlone(dataDir, owner, restored)),
];

function openEmbedded(flags: MigrateFlags): Promise<Opened> {
  for (const place of embeddedPlaces) {
    const opened = place(flags);
    if (opened !== null) return opened;
  }
  throw new Error(
    flags.from === 'embedded'
      ? 'say where the objects are: --kubeconfig (servers that run), --data-dir (of a server that does not) or --backup'
      : '--data-dir says where the objects shall be',
  );
}

type Owner = Pick<MigrateFlags, 'memberId' | 'clusterToken' | 'clusterTokenFile'>;

function openRunning(kubeconfig: string, server: readonly string[]): Promise<Opened> {
  const engine = new RemoteEngine(new Servers(kubeconfig, server));
  return Promise.resolve({
    engine,
    restored: false,
    seal: (reason) => engine.seal(reason),
    unseal: () => engine.unseal(),
    stop: () => Promise.resolve(),
  });
}

/** Unpacks a backup into a folder to read it. */
async function openBackup(file: string): Promise<Opened> {
  const work = mkdtempSync(path.join(tmpdir(), 'migration-'));
  const clear = (): void => {
    rmSync(work, { recursive: true, force: true });
  };
  try {
    const owner = { memberId: 'a', clusterToken: 'migration' };
    const dataDirectory = path.join(work, 'store');
    restoreBackup(file, { dataDirectory, ...ids(owner), members: [{ id: memberId(owner.memberId), role: 'voter', address: '' }] });
    const { engine, stop } = await openAlone(dataDirectory, owner, true);
    return { engine, restored: true, stop: () => stop().finally(clear) };
  } catch (error) {
    clear();
    throw error;
  }
}

/** Opens one server's data, even if others lack it, without changing the folder. */
async function openSurvivor(dataDirectory: string, owner: Owner): Promise<Opened> {
  const work = mkdtempSync(path.join(tmpdir(), 'survivor-'));
  try {
    const file = path.join(work, 'store.backup');
    await rescueBackup({ dataDirectory, ...ids(owner) }, file);
    return await openBackup(file);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const ids = ({
  memberId: name,
  clusterToken,
  clusterTokenFile,
}: Owner): { readonly memberId: MemberId; readonly clusterToken: string } => ({
  memberId: memberId(name),
  clusterToken: clusterTokenFile === undefined ? clusterToken : readClusterToken(clusterTokenFile),
});

/** Opens a cluster of one, whose lock excludes other writers. */
async function openAlone(dataDirectory: string, owner: Owner, restored: boolean): Promise<Opened> {
  const replica = await startReplica({
    dataDirectory,
    ...ids(owner),
    initialMembers: [{ id: memberId(owner.memberId), role: 'voter', address: '' }],
    listenAddress: null,
    tls: null,
    heartbeatIntervalMs: 50,
    electionTimeoutMs: 500,
    logEntriesKept: 10_000,
  });
  return { engine: replica, restored, stop: () => replica.stop() };
}

function inPlain(engine: StoreEngine, keys: KeySpace, { encryptionProviderConfig }: MigrateFlags): StoreEngine {
  if (encryptionProviderConfig === undefined) return engine;
  const encryption = createEncryption(readEncryptionConfiguration(encryptionProviderConfig));
  return new EncryptedReplica({ replica: engine, keys, encryption: () => encryption });
}
