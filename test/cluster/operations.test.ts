import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { openSqlite } from '../../raft/sqlite/driver.js';
import { changeCrc, type ChangeRow } from '../../raft/store/rows.js';
import type { ManagedProcess } from '../../deploy/managedProcess.js';
import type { ApiClient } from '../fixtures/apiClient.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { apiserver, beside, ready, succeed, until, type Run } from './operator.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

const namesIn = async (client: ApiClient): Promise<string[]> =>
  ((await client.expect(200, 'GET', configMaps)).items ?? [])
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('kept-'));

/** Writes another value with a valid checksum: only a comparison of servers detects it. */
function changeByHand(storeFile: string, name: string): void {
  const database = openSqlite(storeFile, { mustExist: true });
  const row = database
    .prepare<[string], ChangeRow>('SELECT * FROM changes WHERE key LIKE ? ORDER BY id DESC LIMIT 1')
    .get(`%/configmaps/default/${name}`);
  if (row?.value === undefined || row.value === null) throw new Error(`${name} is not there`);
  const value = Buffer.from(Buffer.from(row.value).toString('latin1').replace(name, name.toUpperCase()), 'latin1');
  database
    .prepare<[Buffer, number, number]>('UPDATE changes SET value = ?, crc = ? WHERE id = ?')
    .run(value, changeCrc({ ...row, value }), row.id);
  database.close();
}

describe('operations', function () {
  let cluster: ClusterUnderTest;
  const started: ManagedProcess[] = [];
  const folder = temporaryDirectory('operations');
  const kept = ['kept-a', 'kept-b', 'kept-c'];

  before(async () => {
    cluster = await ClusterUnderTest.start({ managers: 0 });
    for (const name of kept) await cluster.client.expect(201, 'POST', configMaps, { body: { metadata: { name }, data: { name } } });
  });
  after(async () => {
    for (const process of started) await process.stop(5_000);
    await cluster.stop();
  });

  const reach = (): string[] => ['--kubeconfig', cluster.cluster.kubeconfig];

  it('adds a member to a running cluster, promotes it once it has caught up, and takes one away', async () => {
    const { process, client, peerAddress } = await beside(cluster, 'd', { 'raft-initial-cluster-state': 'existing' });
    started.push(process);
    await succeed('member', 'add', 'd', peerAddress, ...reach());
    process.start();
    await ready(client);
    expect(await namesIn(client)).to.have.members(kept);
    await until('the promotion', async () => (await apiserver('member', 'promote', 'd', ...reach())).code === 0);
    expect(await succeed('member', 'list', ...reach())).to.match(/^d +voter/m);
    await client.expect(201, 'POST', configMaps, { body: { metadata: { name: 'from-d' } } });

    const gone = (await cluster.leader()).id;
    // Any member may lead: on a busy machine even the new one, which the kubeconfig lacks.
    const everybody = [...cluster.members.map(({ address }) => address), process.spec.address!].flatMap((address) => ['--server', address]);
    await succeed('member', 'remove', gone, ...everybody, ...reach());
    const staying = cluster.members.filter(({ id }) => id !== gone);
    await cluster.at(staying[0]!).expect(200, 'GET', `${configMaps}/from-d`);
    expect(await succeed('member', 'list', '--server', staying[0]!.address, ...reach())).to.not.match(new RegExp(`^${gone} `, 'm'));
  });

  it('refuses to remove a member without which there would be no majority', async () => {
    const voters = cluster.members.filter(({ process }) => process.running);
    const [silent, other] = voters as [(typeof voters)[number], (typeof voters)[number]];
    silent.process.pause();
    try {
      const remove = (): Promise<Run> =>
        apiserver('member', 'remove', other.id, '--server', started[0]!.spec.address!, '--server', other.address, ...reach());
      await until('the refusal', async () => {
        const { code, err } = await remove();
        expect(code).to.equal(1);
        return /would answer, which is no majority/.test(err);
      });
    } finally {
      silent.process.resume();
    }
  });

  it('says what is wrong with a request', async () => {
    const { client } = cluster;
    expect((await client.expect(400, 'POST', '/raft/v1/members', { body: { id: 'e' } })).message).to.match(/"address"/);
    expect((await client.expect(400, 'DELETE', '/raft/v1/members/NOT_A_NAME')).message).to.match(/NOT_A_NAME/);
    await client.expect(405, 'PUT', '/raft/v1/members');
    const { code, err } = await apiserver('restore', 'nothing.backup');
    expect(code).to.equal(2);
    expect(err).to.match(/--data-dir/);
  });

  it('backs up while it serves, and a new cluster begins with all of it', async () => {
    const file = path.join(folder, 'monday.backup');
    const [member] = cluster.members.filter(({ process }) => process.running);
    expect(await succeed('backup', file, '--server', member!.address, ...reach())).to.match(/verified/);
    expect(await succeed('check', '--backup', file)).to.match(/whole and intact/);

    const broken = path.join(folder, 'broken.backup');
    const bytes = fs.readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    fs.writeFileSync(broken, bytes);
    expect((await apiserver('check', '--backup', broken)).err).to.match(/checksum/);
    const dataDirectory = path.join(folder, 'restored');
    expect((await apiserver('restore', broken, '--data-dir', dataDirectory, '--member-id', 'r', '--cluster-token', 'after')).code).to.equal(
      1,
    );
    expect(fs.existsSync(dataDirectory)).to.equal(false);

    await succeed('restore', file, '--data-dir', dataDirectory, '--member-id', 'r', '--cluster-token', 'after');
    expect((await apiserver('restore', file, '--data-dir', dataDirectory, '--member-id', 'r', '--cluster-token', 'after')).err).to.match(
      /not empty/,
    );
    const restored = await beside(cluster, 'r', {
      'raft-data-dir': dataDirectory,
      'raft-cluster-token': 'after',
      'raft-initial-cluster': '',
    });
    started.push(restored.process);
    restored.process.start();
    await ready(restored.client);
    expect(await namesIn(restored.client)).to.have.members(kept);
    await restored.client.expect(201, 'POST', configMaps, { body: { metadata: { name: 'a-new-life' } } });
  });

  it('finds servers that differ, one of which was changed by hand', async () => {
    const file = path.join(folder, 'differ.backup');
    const [member] = cluster.members.filter(({ process }) => process.running);
    await succeed('backup', file, '--server', member!.address, ...reach());
    const servers: ApiClient[] = [];
    for (const id of ['p', 'q']) {
      const dataDirectory = path.join(folder, id);
      await succeed('restore', file, '--data-dir', dataDirectory, '--member-id', id, '--cluster-token', id);
      if (id === 'q') changeByHand(path.join(dataDirectory, 'store.db'), 'kept-a');
      const { process, client } = await beside(cluster, id, {
        'raft-data-dir': dataDirectory,
        'raft-cluster-token': id,
        'raft-initial-cluster': '',
      });
      started.push(process);
      process.start();
      servers.push(client);
    }
    for (const client of servers) await ready(client);
    const { code, out, err } = await apiserver('check', ...servers.flatMap(({ address }) => ['--server', address]), ...reach());
    expect([code, out.match(/sha256 /g)?.length]).to.deep.equal([1, 2]);
    expect(err).to.match(/differ at the same revision.*Stop writing/);
  });

  it('finds that replicas are equal, and rescues what one of them has when the others are lost', async () => {
    const running = cluster.members.filter(({ process }) => process.running);
    const leader = (await cluster.client.expect(200, 'GET', '/raft/v1/status')) as unknown as { members: { id: string }[] };
    const members = running.filter(({ id }) => leader.members.some((member) => member.id === id));
    expect(await succeed('check', ...members.flatMap(({ address }) => ['--server', address]), ...reach())).to.match(/^equal$/m);

    const [survivor] = members as [(typeof members)[number]];
    await cluster.client.expect(201, 'POST', configMaps, { body: { metadata: { name: 'kept-last' } } });
    await until('the last write at the survivor', async () => (await namesIn(cluster.at(survivor))).includes('kept-last'));
    await survivor.process.kill();
    const some = await apiserver('check', ...members.flatMap(({ address }) => ['--server', address]), ...reach());
    expect([some.code, some.out.match(/sha256 /g)?.length]).to.deep.equal([1, members.length - 1]);
    expect(some.out).to.contain(`${survivor.address} does not answer`);
    expect(some.err).to.contain(`1 of ${members.length} could not be compared`);
    const token = survivor.process.spec.args.find((flag) => flag.startsWith('--raft-cluster-token-file='))!.split('=')[1]!;
    const owner = ['--data-dir', survivor.dataDirectory, '--member-id', survivor.id, '--cluster-token-file', token];
    expect(await succeed('check', ...owner)).to.match(/intact/);
    const file = path.join(folder, 'rescue.backup');
    expect((await apiserver('backup', file, ...owner)).err).to.match(/--accept-lost-writes/);
    await succeed('backup', file, ...owner, '--accept-lost-writes');
    const dataDirectory = path.join(folder, 'rescued');
    await succeed('restore', file, '--data-dir', dataDirectory, '--member-id', 's', '--cluster-token', 'rescued');
    const rescued = await beside(cluster, 's', {
      'raft-data-dir': dataDirectory,
      'raft-cluster-token': 'rescued',
      'raft-initial-cluster': '',
    });
    started.push(rescued.process);
    rescued.process.start();
    await ready(rescued.client);
    expect(await namesIn(rescued.client)).to.have.members([...kept, 'kept-last']);
  });
});
