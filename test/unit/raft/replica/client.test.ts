import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startReplica } from '../../../../raft/client.js';
import type { Replica, ReplicaOptions } from '../../../../raft/replicaApi.js';
import { PortReplica } from '../../../../raft/replica/portReplica.js';
import { soleMemberWord } from '../../../../raft/replica/soleMember.js';
import { MalformedCommandError } from '../../../../raft/store/command.js';
import { memberId, revision } from '../../../../raft/types.js';
import { timeoutMs } from './testCluster.js';

const put = (key: string, value = 'value') => ({ comparisons: [], operations: [{ type: 'put' as const, key, value: Buffer.from(value) }] });

describe('raft/client, one replica in its thread', function () {
  let directory: string;
  const replicas: Replica[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'raft-client-'));
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    rmSync(directory, { recursive: true, force: true });
  });

  const start = async (overrides: Partial<ReplicaOptions> = {}): Promise<Replica> => {
    const id = memberId('only');
    const replica = await startReplica({
      memberId: id,
      dataDirectory: join(directory, 'data'),
      initialMembers: [{ id, role: 'voter', address: '127.0.0.1:1' }],
      clusterToken: 'test',
      listenAddress: null,
      tls: null,
      heartbeatIntervalMs: 100,
      electionTimeoutMs: 1000,
      logEntriesKept: 100,
      ...overrides,
    });
    replicas.push(replica);
    return replica;
  };
  const failureOf = async (starting: Promise<Replica>): Promise<Error & { code?: string }> => {
    try {
      await starting;
    } catch (error) {
      return error as Error;
    }
    throw new Error('it started');
  };

  it('hands changes to listeners before it resolves the write, and keeps all order', async () => {
    const replica = await start();
    const seen: string[] = [];
    replica.onChanges(({ changes, revision: at }) => {
      for (const change of changes)
        seen.push(`${change.revision} ${change.key} ${change.value === null ? 'deleted' : Buffer.from(change.value).toString()}`);
      expect(changes.at(-1)?.revision).to.equal(at);
    });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, number) => {
        const written = await replica.write(put(`/key/${number}`, `${number}`), { timeoutMs });
        if (written.outcome !== 'applied') throw new Error(written.outcome);
        expect(seen).to.include(`${written.revision} /key/${number} ${number}`);
        return written.revision;
      }),
    );
    expect(outcomes).to.deep.equal(Array.from({ length: 100 }, (_, at) => at + 1));
    await replica.write({ comparisons: [], operations: [{ type: 'delete', key: '/key/1' }] }, { timeoutMs });
    expect(seen.at(-1)).to.equal('101 /key/1 deleted');
  });

  it('stops listening when told to', async () => {
    const replica = await start();
    let calls = 0;
    const off = replica.onChanges(() => {
      calls += 1;
    });
    await replica.write(put('/a'), { timeoutMs });
    off();
    await replica.write(put('/b'), { timeoutMs });
    expect(calls).to.equal(1);
  });

  it('reads what it wrote, at the newest and at older revisions, in pages', async () => {
    const replica = await start();
    for (const number of [1, 2, 3]) await replica.write(put(`/key/${number}`), { timeoutMs });
    await replica.write(put('/key/2', 'new'), { timeoutMs });
    const page = await replica.range({ start: '/key/', end: '/key0', revision: null, limit: 2 });
    if (page.outcome !== 'found') throw new Error(page.outcome);
    expect(page.items.map(({ key, value, version }) => [key, Buffer.from(value).toString(), version])).to.deep.equal([
      ['/key/1', 'value', 1],
      ['/key/2', 'new', 2],
    ]);
    expect(page).to.include({ revision: 4, remaining: 1 });
    const old = await replica.range({ start: '/key/2', end: '/key/3', revision: revision(3), limit: null, bytesMax: 1000 });
    expect(old.outcome === 'found' && Buffer.from(old.items[0]?.value ?? []).toString()).to.equal('value');
    expect(await replica.range({ start: '', end: null, revision: revision(9), limit: null })).to.include({ outcome: 'future' });
  });

  it('is there again with its data after stop and start', async () => {
    const first = await start();
    await first.write(put('/kept'), { timeoutMs });
    await first.stop();
    expect(await first.write(put('/late'), { timeoutMs })).to.include({ outcome: 'unavailable' });
    expect(await first.barrier(timeoutMs)).to.include({ outcome: 'unavailable' });
    const second = await start();
    expect(await second.barrier(timeoutMs)).to.deep.equal({ outcome: 'reached', revision: 1 });
    expect(await second.status()).to.include({ memberId: 'only', leaderId: 'only', role: 'leader', revision: 1 });
  });

  it('says why it cannot start', async () => {
    await start();
    expect(await failureOf(start())).to.include({ code: 'IN_USE' });
    expect(await failureOf(start({ memberId: memberId('other') })))
      .to.have.property('code')
      .that.is.oneOf(['IN_USE', 'WRONG_IDENTITY']);
    const elsewhere = join(directory, 'elsewhere');
    expect(await failureOf(start({ dataDirectory: elsewhere, memberId: memberId('other') }))).to.include({ code: 'INVALID_OPTIONS' });
    expect(await failureOf(start({ dataDirectory: elsewhere, electionTimeoutMs: 100 }))).to.include({ code: 'INVALID_OPTIONS' });
    expect((await failureOf(start({ dataDirectory: '/proc/none' }))).message).to.contain('/proc/none');
  });

  it('refuses a data directory of another cluster or member', async () => {
    await (await start()).stop();
    expect(await failureOf(start({ clusterToken: 'other' }))).to.include({ code: 'WRONG_IDENTITY' });
    expect(await failureOf(start({ memberId: memberId('other') }))).to.include({ code: 'WRONG_IDENTITY' });
  });

  it('throws for transactions that break a bound, before anything is sent', async () => {
    const replica = await start();
    let thrown: unknown = null;
    await replica.write(put('x'.repeat(10_000)), { timeoutMs }).catch((error: unknown) => {
      thrown = error;
    });
    expect(thrown).to.be.instanceOf(MalformedCommandError);
    expect(await replica.write(put('/fine'), { timeoutMs })).to.include({ outcome: 'applied' });
  });

  it('answers in the place of a thread that says nothing, each as soon as it is late, whatever else waits', async () => {
    const replica = new PortReplica({
      session: 's',
      takenBytes: new BigInt64Array(1),
      soleMember: soleMemberWord(),
      post: () => undefined,
      ended: Promise.resolve(),
      log: () => undefined,
    });
    const patient = replica.write(put('/x'), { timeoutMs: Number.MAX_SAFE_INTEGER });
    const hasty = replica.barrier(200);
    const hastier = replica.write(put('/y'), { timeoutMs: 1 });
    const order: string[] = [];
    void hasty.then(() => order.push('hasty'));
    void hastier.then(() => order.push('hastier'));
    expect(await hastier).to.include({ outcome: 'unknown' });
    expect(await hasty).to.include({ outcome: 'unavailable' });
    expect(order).to.deep.equal(['hastier', 'hasty']);
    replica.failed(new Error('gone'));
    expect(await patient).to.deep.equal({ outcome: 'unknown', reason: 'gone' });
    await replica.stop();
  });

  it('answers truthfully when the thread dies: writes unknown, reads unavailable, and one failure', async () => {
    const failures: Error[] = [];
    const replica = new PortReplica({
      session: 's',
      takenBytes: new BigInt64Array(1),
      soleMember: soleMemberWord(),
      post: () => undefined,
      ended: Promise.resolve(),
      log: () => undefined,
    });
    replica.onFailure((error) => failures.push(error));
    const asked = Promise.all([
      replica.write(put('/x'), { timeoutMs }),
      replica.barrier(timeoutMs),
      replica.status().catch((error: Error) => error.message),
    ]);
    await Promise.resolve();
    replica.failed(new Error('first'));
    replica.failed(new Error('second'));
    const [written, read, status] = await asked;
    expect(written).to.include({ outcome: 'unknown' });
    expect(read).to.include({ outcome: 'unavailable' });
    expect(status).to.equal('first');
    expect(failures.map(({ message }) => message)).to.deep.equal(['first']);
    expect(await replica.write(put('/y'), { timeoutMs })).to.include({ outcome: 'unavailable' });
    expect(await new Promise<Error>((resolve) => void replica.onFailure(resolve))).to.include({ message: 'first' });
    await replica.stop();
  });
});
