import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programFile } from '../../deploy/programs.js';
import { EtcdClient } from '../../server/storage/etcd/client.js';
import { range } from '../../server/storage/etcd/messages.js';
import type { MigrationReport } from '../../server/migration/migrate.js';
import type { ApiClient } from '../fixtures/apiClient.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../fixtures/etcdServers.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';
import { apiserver, beside, ready, succeed, until, type Beside } from './operator.js';
import { Writers } from './writers.js';

const objectsBefore = 1_500;
const putAtOnce = 500;
const writerCount = 3;

/** Kills a move at a given output. Fails if it ends before. */
async function killed(words: readonly string[], seen: (reported: (text: string) => Promise<void>) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [programFile('apiserver'), 'migrate', ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const lines: string[] = [];
  let wake = (): void => undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  const reported = async (text: string): Promise<void> => {
    while (!lines.some((line) => line.includes(text)))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  await Promise.race([seen(reported), ended]);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  expect(signal, lines.join('\n')).to.equal('SIGKILL');
}

const reportOf = async (...words: readonly string[]): Promise<MigrationReport> =>
  JSON.parse(await succeed('migrate', ...words, '--json')) as MigrationReport;

const objectsIn = ({ resources }: MigrationReport): Readonly<Record<string, string>> =>
  Object.fromEntries(resources.map(({ resource, objects, sha256 }) => [resource, `${objects} ${sha256}`]));

/** Every acknowledged write is there, and versions continue after theirs. */
async function holds(client: ApiClient, maps: string, writers: Writers): Promise<void> {
  const list = await client.expect(200, 'GET', maps);
  const names = new Set(list.items?.map(({ metadata }) => metadata.name));
  expect(writers.acknowledged.filter(({ name }) => !names.has(name))).to.deep.equal([]);
  const newest = Math.max(...writers.acknowledged.map(({ resourceVersion }) => Number(resourceVersion)));
  expect(Number(list.metadata.resourceVersion)).to.be.at.least(newest);
}

describe('cluster/moving', function () {
  this.timeout(240_000);
  let etcd: EtcdServers;
  let others: readonly EtcdServers[] = [];
  let cluster: ClusterUnderTest;
  let overEtcd: Beside | null = null;
  let alone: Beside | null = null;
  let maps: string;
  let first: Writers;
  const directory = temporaryDirectory('moving');
  const toEtcd = ({ urls } = etcd): readonly string[] => ['--to', 'etcd', '--etcd-servers', urls.join(',')];
  const fromRunning = (): readonly string[] => [
    '--from',
    'embedded',
    '--kubeconfig',
    cluster.cluster.kubeconfig,
    ...cluster.members.flatMap(({ address }) => ['--server', address]),
  ];

  before(async function () {
    if (!hasEtcd()) return this.skip();
    etcd = await startEtcd({ members: 3 });
    cluster = await ClusterUnderTest.start({ replicas: 3, managers: 0, store: 'raft' });
    maps = await cluster.namespace('moving');
    for (let at = 0; at < objectsBefore; at += putAtOnce)
      await cluster.at(cluster.members[0]!).expect(200, 'PUT', '/raft/v1/objects', {
        body: {
          objects: Array.from({ length: putAtOnce }, (_, n) => ({
            group: '',
            resource: 'configmaps',
            object: { ...configMap(`old${at + n}`, { padding: 'x'.repeat(500) }), metadata: { name: `old${at + n}`, namespace: 'moving' } },
          })),
        },
      });
  });

  after(async () => {
    for (const server of [overEtcd, alone]) {
      server?.client.close();
      await server?.process.stop(20_000);
    }
    await cluster?.stop();
    await Promise.all([etcd, ...others].map((each) => each?.stop()));
  });

  it('goes from three servers that serve to an etcd, killed midway and after the hand-over, without a lost write', async () => {
    const move = [...fromRunning(), ...toEtcd(), '--hand-over'];
    const target = new EtcdClient({ servers: etcd.urls, tls: { ca: null, cert: null, key: null } });
    first = new Writers(cluster.client, maps, writerCount);
    const keys = async (): Promise<number> =>
      (await target.call(range, { key: '/registry/', rangeEnd: '/registry0', countOnly: true }, { timeoutMs: 5_000, repeatable: true }))
        .count;
    try {
      await first.until(20);
      await killed(move, () => until('a part of the objects', async () => (await keys()) > 100));
      expect(await keys()).to.be.lessThan(objectsBefore);
      const { err } = await apiserver('migrate', ...move);
      expect(err).to.include('--resume');
      await killed([...move, '--resume'], (reported) => reported('which takes no writes from now on'));
      const report = await reportOf(...move, '--resume');
      expect(report.readOnlyMs).to.be.at.least(0);
      expect(report.resources.find(({ resource }) => resource === 'configmaps')!.objects).to.be.at.least(objectsBefore);
      // The old servers refuse writes and answer reads.
      const refused = await cluster.at(cluster.members[1]!).request('POST', maps, { body: configMap('late') });
      expect(refused.status).to.equal(503);
      expect(JSON.stringify(refused.body)).to.include('the objects have moved to another store (etcd)');
      await cluster.at(cluster.members[2]!).expect(200, 'GET', `${maps}/old1`);
    } finally {
      target.close();
      await first.stop();
    }
    expect(first.acknowledged.length).to.be.greaterThan(20);
    overEtcd = await beside(cluster, 'over-etcd', { 'etcd-servers': etcd.urls.join(',') });
    overEtcd.process.start();
    await ready(overEtcd.client);
    await holds(overEtcd.client, maps, first);
    await overEtcd.client.expect(201, 'POST', maps, { body: configMap('after') });
  });

  it('lets the source take writes again after a hand-over that nobody wants any more', async () => {
    const { out } = await apiserver('migrate', ...fromRunning(), ...toEtcd(), '--release');
    expect(out).to.include('takes writes again');
    await cluster.client.expect(201, 'POST', maps, { body: configMap('again') });
  });

  it('goes back from an etcd whose server serves, into a directory with which a server starts', async () => {
    const server = overEtcd!;
    const writers = new Writers(server.client, maps, writerCount, 'back-');
    const dataDir = path.join(directory, 'alone');
    const token = 'moving-back';
    try {
      await writers.until(20);
      const back = [
        '--from',
        'etcd',
        '--etcd-servers',
        etcd.urls.join(','),
        '--to',
        'embedded',
        '--data-dir',
        dataDir,
        '--cluster-token',
        token,
      ];
      await killed([...back, '--hand-over'], (reported) => reported('pass 1'));
      await reportOf(...back, '--hand-over', '--resume');
      expect((await server.client.request('POST', maps, { body: configMap('late') })).status).to.equal(503);
    } finally {
      await writers.stop();
    }
    alone = await beside(cluster, 'a', { 'raft-data-dir': dataDir, 'raft-cluster-token': token });
    const args = alone.process.spec.args.map((flag) =>
      flag.startsWith('--raft-initial-cluster=') ? `--raft-initial-cluster=a=${alone!.peerAddress}` : flag,
    );
    Object.assign(alone.process.spec, { args });
    alone.process.start();
    await ready(alone.client);
    await holds(alone.client, maps, first);
    await holds(alone.client, maps, writers);
    await alone.client.expect(201, 'POST', maps, { body: configMap('home') });
  });

  it('takes the same from a backup, and from the directory of one of several servers that are stopped', async () => {
    others = await Promise.all([startEtcd(), startEtcd()]);
    const [forBackup, forSurvivor] = others;
    const file = path.join(directory, 'all.backup');
    await succeed('backup', file, '--kubeconfig', cluster.cluster.kubeconfig, '--server', (await cluster.leader()).address);
    const ofBackup = await reportOf('--from', 'embedded', '--backup', file, ...toEtcd(forBackup));
    const [member] = cluster.members;
    await cluster.caughtUp(member!);
    const spec = member!.process.spec.args.find((flag) => flag.startsWith('--raft-cluster-token-file='))!;
    const owner = ['--data-dir', member!.dataDirectory, '--member-id', member!.id, '--cluster-token-file', spec.split('=')[1]!];
    const inUse = await apiserver('migrate', '--from', 'embedded', ...owner, '--accept-lost-writes', ...toEtcd(forSurvivor));
    expect(inUse.code, 'a server that runs is no survivor').to.equal(1);
    for (const { process: running } of cluster.members) await running.stop(20_000);
    const ofSurvivor = await reportOf('--from', 'embedded', ...owner, '--accept-lost-writes', ...toEtcd(forSurvivor));
    // Leases of servers have changed meanwhile; everything else is equal.
    const [one, other] = [objectsIn(ofBackup), objectsIn(ofSurvivor)];
    for (const resource of ['namespaces', 'clusterroles.rbac.authorization.k8s.io', 'services'])
      expect(one[resource]).to.equal(other[resource]);
    expect(one['configmaps']!.split(' ')[0]).to.equal(other['configmaps']!.split(' ')[0]);
    expect(ofBackup.targetRevision).to.be.lessThan(1_000_000);
  });
});
