import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { startReplica } from '../../raft/client.js';
import { revisionsSkipped } from '../../raft/maintenance.js';
import { memberId } from '../../raft/types.js';
import { createEncryption } from '../storage/encryption/encryption.js';
import { readEncryptionConfiguration } from '../storage/encryption/configuration.js';
import { EncryptedReplica } from '../storage/encryption/encryptedReplica.js';
import type { StoreEngine } from '../storage/engine.js';
import { EtcdClient } from '../storage/etcd/client.js';
import { EtcdEngine } from '../storage/etcd/engine.js';
import { Leases } from '../storage/etcd/leases.js';
import type { KeySpace } from '../storage/keys.js';
import { migrate, type MigrationReport } from './migrate.js';
import { keySpaceOf, type StoreKind } from './side.js';

interface MigrateFlags {
  readonly from: StoreKind;
  readonly to: StoreKind;
  readonly dataDir: string;
  readonly memberId: string;
  readonly clusterToken: string;
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
  readonly json: boolean;
}

const kinds = ['embedded', 'etcd'] as const;

const command = (): Command =>
  new Command('apiserver migrate')
    .description('Takes all objects from the built-in store to an etcd or back, compares both sides, and says what it found.')
    .exitOverride()
    .addOption(new Option('--from <store>', 'where the objects are').choices(kinds).makeOptionMandatory())
    .addOption(new Option('--to <store>', 'where they shall be').choices(kinds).makeOptionMandatory())
    .requiredOption('--data-dir <directory>', 'of the built-in store: of a single server that does not run, or empty to begin one')
    .option('--member-id <name>', 'the member that the directory belongs to', 'a')
    .option('--cluster-token <word>', "the cluster's --raft-cluster-token", 'raftplane')
    .addOption(new Option('--etcd-servers <url,...>', 'the etcd').argParser((text) => text.split(',')).makeOptionMandatory())
    .option('--etcd-prefix <path>', 'what all keys begin with, on both sides', '/registry')
    .option('--etcd-cafile <file>', "authorities of the etcd servers' certificates")
    .option('--etcd-certfile <file>', 'certificate shown to etcd')
    .option('--etcd-keyfile <file>', 'its key')
    .option('--encryption-provider-config <file>', 'how values are encrypted, on both sides')
    .addOption(new Option('--event-ttl-seconds <seconds>', 'how long etcd keeps events from now on').argParser(Number).default(3_600))
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
    .option('--restored', 'the data directory comes from apiserver restore, and no server has been started on it', false)
    .option('--json', 'report in JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  apiserver migrate --from embedded --data-dir single --to etcd --etcd-servers https://10.0.0.1:2379 --etcd-cafile ca.crt --etcd-certfile c.crt --etcd-keyfile c.key\n  apiserver migrate --from etcd --etcd-servers http://127.0.0.1:2379 --to embedded --data-dir single\n' +
        'For a cluster of several built-in servers: apiserver backup, then apiserver restore for one member alone, and move that with --restored; back again in the other order.',
    );

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
    process.stderr.write(`apiserver: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

interface Opened {
  readonly engine: StoreEngine;
  stop(): Promise<void>;
}

async function move(flags: MigrateFlags): Promise<void> {
  if (flags.from === flags.to) throw new Error('--from and --to name the same store');
  const opened = new Map<StoreKind, Opened>();
  try {
    opened.set('etcd', openEtcd(flags));
    opened.set('embedded', await openEmbedded(flags));
    const side = (kind: StoreKind): { kind: StoreKind; engine: StoreEngine; keys: KeySpace } => {
      const keys = keySpaceOf(kind, flags.etcdPrefix);
      return { kind, keys, engine: inPlain(opened.get(kind)!.engine, keys, flags) };
    };
    const report = await migrate({
      from: side(flags.from),
      to: side(flags.to),
      resume: flags.resume,
      unseen: flags.restored && flags.from === 'embedded' ? revisionsSkipped : 0,
      eventTtlMs: flags.eventTtlSeconds * 1_000,
      followQuietMs: flags.followQuietSeconds === undefined ? null : flags.followQuietSeconds * 1_000,
      progress: (line) => {
        process.stderr.write(`${line}\n`);
      },
    });
    process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  } finally {
    for (const { stop } of opened.values()) await stop();
  }
}

function reportText({ resources, written, removed, left, sourceRevision, targetRevision }: MigrationReport): string {
  const lines = resources.map(({ resource, objects, sha256 }) => `${resource.padEnd(60)} ${String(objects).padStart(8)}  ${sha256}`);
  return [
    ...lines,
    `equal: ${resources.reduce((sum, { objects }) => sum + objects, 0)} objects; ${written} written and ${removed} removed in this run`,
    `revision ${sourceRevision} of the source, ${targetRevision} of the target`,
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
  return {
    engine,
    stop: () => {
      engine.stop();
      return Promise.resolve();
    },
  };
}

/** A cluster of one: nobody else may write to it meanwhile, which its lock sees to. */
async function openEmbedded({ dataDir, memberId: name, clusterToken }: MigrateFlags): Promise<Opened> {
  const id = memberId(name);
  const replica = await startReplica({
    dataDirectory: dataDir,
    memberId: id,
    initialMembers: [{ id, role: 'voter', address: '' }],
    clusterToken,
    listenAddress: null,
    tls: null,
    heartbeatIntervalMs: 50,
    electionTimeoutMs: 500,
    logEntriesKept: 10_000,
  });
  return { engine: replica, stop: () => replica.stop() };
}

function inPlain(engine: StoreEngine, keys: KeySpace, { encryptionProviderConfig }: MigrateFlags): StoreEngine {
  if (encryptionProviderConfig === undefined) return engine;
  const encryption = createEncryption(readEncryptionConfiguration(encryptionProviderConfig));
  return new EncryptedReplica({ replica: engine, keys, encryption: () => encryption });
}
