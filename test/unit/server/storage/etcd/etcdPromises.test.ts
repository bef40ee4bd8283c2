import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { readFileSync } from 'node:fs';
import { revision } from '../../../../../raft/types.js';
import type { Change, ChangeBatch } from '../../../../../server/storage/engine.js';
import { EtcdClient } from '../../../../../server/storage/etcd/client.js';
import { EtcdCompaction } from '../../../../../server/storage/etcd/compaction.js';
import { EtcdEngine } from '../../../../../server/storage/etcd/engine.js';
import { Leases } from '../../../../../server/storage/etcd/leases.js';
import { compact, range, txn } from '../../../../../server/storage/etcd/messages.js';
import { answersProgressRightly } from '../../../../../server/storage/etcd/progress.js';
import { createLogger } from '../../../../../program/log/logger.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../../../../fixtures/etcdServers.js';
import { createAuthority } from '../../../../fixtures/certificates.js';
import { temporaryDirectory } from '../../../../fixtures/temporaryDirectory.js';

const noTls = { ca: null, cert: null, key: null };
const timeoutMs = 20_000;

interface Server {
  readonly client: EtcdClient;
  readonly engine: EtcdEngine;
  /** All changes from the engine, without values. */
  readonly reported: { readonly revision: number; readonly key: string }[];
  readonly batches: ChangeBatch[];
}

describe('storage/etcd: promises over members that fail', function () {
  const running: EtcdServers[] = [];
  const servers: Server[] = [];

  before(function () {
    if (!hasEtcd()) this.skip();
  });

  afterEach(async () => {
    for (const { engine } of servers.splice(0)) engine.stop();
    await Promise.all(running.splice(0).map((etcd) => etcd.stop()));
  });

  const started = async (members: number): Promise<EtcdServers> => {
    const etcd = await startEtcd({ members });
    running.push(etcd);
    return etcd;
  };

  const serverOf = (urls: readonly string[]): Server => {
    const client = new EtcdClient({ servers: urls, tls: noTls });
    const engine = new EtcdEngine({
      client,
      start: '/registry/',
      end: '/registry0',
      leases: new Leases({ client, reuseMs: 1_000, now: () => performance.now() }),
    });
    const server: Server = { client, engine, reported: [], batches: [] };
    engine.onChanges((batch) => {
      server.batches.push(batch);
      server.reported.push(...batch.changes.filter(isObject).map(({ revision: at, key }) => ({ revision: at, key })));
    });
    servers.push(server);
    return server;
  };

  /** Progress keys are not objects. */
  const isObject = ({ key }: Change): boolean => !key.startsWith('/registry/raftplane/');

  const put = async ({ engine }: Server, name: string): Promise<number | string> => {
    const key = `/registry/configmaps/default/${name}`;
    const outcome = await engine.write(
      { comparisons: [{ key, modRevision: revision(0) }], operations: [{ type: 'put', key, value: Buffer.from(name) }] },
      { timeoutMs: 5_000 },
    );
    return outcome.outcome === 'applied' ? outcome.revision : outcome.outcome;
  };

  /** etcd's final state: each key with the revision of its only write. */
  const stored = async ({ engine }: Server): Promise<{ readonly revision: number; readonly key: string }[]> => {
    const result = await engine.range({ start: '/registry/configmaps/', end: '/registry/configmaps0', revision: null, limit: null });
    if (result.outcome !== 'found') throw new Error(result.outcome);
    return result.items.map(({ key, modRevision }) => ({ revision: modRevision, key })).sort((a, b) => a.revision - b.revision);
  };

  /** Writes through `writer` during `trouble`; an unconfirmed write may exist or not. */
  const writeThrough = async (writer: Server, trouble: () => Promise<void>): Promise<number[]> => {
    const done: number[] = [];
    let over = false;
    const working = (async () => {
      for (let n = 0; !over || n < 40; n++) {
        const outcome = await put(writer, `n-${n}`);
        if (typeof outcome === 'number') done.push(outcome);
      }
    })();
    await trouble();
    over = true;
    await working;
    return done;
  };

  const everythingToldOnce = async (all: readonly Server[], done: readonly number[]): Promise<void> => {
    for (const server of all) {
      expect(await server.engine.barrier(timeoutMs)).to.have.property('outcome', 'reached');
      const there = await stored(server);
      expect(server.reported, 'every write that is there, once and in order').to.deep.equal(there);
      expect(there.map(({ revision: at }) => at)).to.include.members([...done]);
    }
  };

  it('tells every change once and in order while members are killed and come back', async function () {
    const etcd = await started(3);
    const all = [serverOf(etcd.urls), serverOf([...etcd.urls].reverse())];
    await Promise.all(all.map(({ engine }) => engine.barrier(timeoutMs)));
    const done = await writeThrough(all[0]!, async () => {
      for (const member of etcd.members) {
        await member.kill();
        expect(await all[1]!.engine.barrier(timeoutMs)).to.have.property('outcome', 'reached');
        member.restart();
        expect(await all[0]!.engine.barrier(timeoutMs)).to.have.property('outcome', 'reached');
      }
    });
    expect(done).to.have.length.above(10);
    await everythingToldOnce(all, done);
  });

  it('leaves a member that is paused, and misses nothing', async function () {
    const etcd = await started(3);
    const all = [serverOf(etcd.urls), serverOf([...etcd.urls].reverse())];
    await Promise.all(all.map(({ engine }) => engine.barrier(timeoutMs)));
    const done = await writeThrough(all[1]!, async () => {
      etcd.members[0]!.pause();
      expect(await all[0]!.engine.barrier(timeoutMs)).to.have.property('outcome', 'reached');
      etcd.members[0]!.resume();
    });
    await everythingToldOnce(all, done);
  });

  it('says that a part of history is gone, and goes on after it', async () => {
    const etcd = await started(1);
    const [away, other] = [serverOf(etcd.urls), serverOf(etcd.urls)];
    await put(away, 'before');
    // This server is disconnected until history is compacted.
    await etcd.members[0]!.kill();
    const held = new EtcdClient({ servers: etcd.urls, tls: noTls });
    away.engine.stop();
    etcd.members[0]!.restart();
    for (const name of ['one', 'two', 'three']) await put(other, name);
    expect(await other.engine.compact(revision(other.engine.revision), timeoutMs)).to.have.property('outcome', 'applied');
    const before = away.engine.revision;
    held.close();
    const late = serverOf(etcd.urls);
    await late.engine.barrier(timeoutMs);
    expect(await late.engine.changesSince(revision(before), 1_000)).to.have.property('outcome', 'compacted');
    expect(await late.engine.range({ start: '/', end: null, revision: revision(before), limit: 1 })).to.have.property(
      'outcome',
      'compacted',
    );
  });

  it('reads back what it has seen, in parts', async () => {
    const etcd = await started(1);
    const server = serverOf(etcd.urls);
    await server.engine.barrier(timeoutMs);
    const start = server.engine.revision;
    for (let n = 0; n < 20; n++) await put(server, `part-${n}`);
    const found: number[] = [];
    for (let at = start; found.length < 20;) {
      const page = await server.engine.changesSince(revision(at), 20);
      if (page.outcome !== 'found') throw new Error(page.outcome);
      found.push(...page.changes.filter(isObject).map((change) => change.revision));
      at = page.through;
    }
    expect(found).to.deep.equal(server.reported.map(({ revision: at }) => at));
  });

  it('knows the present although others write beside its keys', async () => {
    const etcd = await started(1);
    const server = serverOf(etcd.urls);
    const others = serverOf(etcd.urls);
    await server.engine.barrier(timeoutMs);
    const foreign = await others.engine.write(
      { comparisons: [], operations: [{ type: 'put', key: '/elsewhere', value: Buffer.from('x') }] },
      { timeoutMs: 60_000 },
    );
    if (foreign.outcome !== 'applied') throw new Error(foreign.outcome);
    const barrier = await server.engine.barrier(timeoutMs);
    expect(barrier.outcome === 'reached' && barrier.revision >= foreign.revision).to.equal(true);
    expect(server.reported).to.deep.equal([]);
  });

  it('reads the present although it was compacted before this server heard of what came after', async () => {
    const etcd = await started(1);
    const server = serverOf(etcd.urls);
    await put(server, 'a');
    const { revision: known } = server.engine;
    const other = serverOf(etcd.urls);
    // A key outside of this server's prefix.
    for (let n = 0; n < 3; n++)
      await other.client.call(
        txn,
        { compare: [], success: [{ put: { key: '/beside', value: Buffer.from(String(n)) } }], failure: [] },
        { timeoutMs, repeatable: false },
      );
    await other.client.call(compact, { revision: known + 3 }, { timeoutMs, repeatable: true });
    const keys = { start: '/registry/configmaps/', end: '/registry/configmaps0', limit: null };
    expect(server.engine.revision).to.equal(known);
    expect((await server.engine.range({ ...keys, revision: revision(known) })).outcome).to.equal('compacted');
    const present = await server.engine.range({ ...keys, revision: null });
    if (present.outcome !== 'found') throw new Error(present.outcome);
    expect(present.items.map(({ key }) => key)).to.deep.equal(['/registry/configmaps/default/a']);
  });

  it('lets keys with a lifetime go, and keys of one time share a lease', async function () {
    const etcd = await started(1);
    const server = serverOf(etcd.urls);
    await server.engine.barrier(timeoutMs);
    const key = '/registry/events/default/e';
    const gone = new Promise<void>((resolve) => {
      server.engine.onChanges(({ changes }) => {
        if (changes.some((change) => change.key === key && change.value === null)) resolve();
      });
    });
    await server.engine.write(
      { comparisons: [], operations: [{ type: 'put', key, value: Buffer.from('e'), ttlMs: 1_000 }] },
      { timeoutMs },
    );
    await gone;
    const leases = new Leases({ client: server.client, reuseMs: 60_000, now: () => 0 });
    expect(await leases.leaseFor(3_600_000)).to.equal(await leases.leaseFor(3_600_000));
    expect(await leases.leaseFor(3_600_000)).not.to.equal(await leases.leaseFor(60_000));
  });

  it('passes on that a value is too large', async () => {
    const etcd = await started(1);
    const server = serverOf(etcd.urls);
    const outcome = await server.engine.write(
      { comparisons: [], operations: [{ type: 'put', key: '/registry/configmaps/default/big', value: Buffer.alloc(1_700_000) }] },
      { timeoutMs },
    );
    expect(outcome).to.deep.equal({ outcome: 'rejected', reason: 'etcdserver: request is too large' });
  });

  it('says that nothing was done where no member can be reached', async () => {
    const etcd = await started(1);
    const server = serverOf(etcd.urls);
    await server.engine.barrier(timeoutMs);
    await etcd.members[0]!.kill();
    expect(await server.engine.barrier(300)).to.have.property('outcome', 'unavailable');
    const outcome = await server.engine.write(
      { comparisons: [], operations: [{ type: 'put', key: '/registry/configmaps/default/x', value: Buffer.from('x') }] },
      { timeoutMs: 300 },
    );
    expect(outcome.outcome).to.be.oneOf(['unavailable', 'unknown']);
    etcd.members[0]!.restart();
    expect(await server.engine.barrier(timeoutMs)).to.have.property('outcome', 'reached');
  });

  it('compacts once an interval, whoever comes first', async () => {
    const etcd = await started(1);
    const [one, two] = [serverOf(etcd.urls), serverOf(etcd.urls)];
    const compactions: number[] = [];
    const log = createLogger({ verbosity: 0, stream: new PassThrough() });
    const turns = [one, two].map(
      (server) =>
        new EtcdCompaction({
          client: server.client,
          barrier: (ms) => server.engine.barrier(ms),
          compact: (at, ms) => {
            compactions.push(at);
            return server.engine.compact(revision(at), ms);
          },
          log,
        }),
    );
    for (const turn of turns) await turn.turn();
    const first = await put(one, 'a');
    expect(compactions).to.deep.equal([]);
    for (const turn of turns) await turn.turn();
    expect(compactions).to.have.length(1);
    expect(compactions[0]).to.be.below(Number(first));
    for (const turn of [...turns].reverse()) await turn.turn();
    expect(compactions).to.have.length(2);
    expect(compactions[1]).to.be.at.least(Number(first));
    const { kvs } = await one.client.call(range, { key: 'compact_rev_key' }, { timeoutMs, repeatable: true });
    expect(Number(kvs[0]?.value.toString())).to.equal(compactions[1]);
  });

  it('shows a certificate, and asks for one of the authority that is configured', async () => {
    const directory = temporaryDirectory('etcd-tls');
    const authority = await createAuthority(directory);
    const other = await createAuthority(directory, 'another authority');
    const { certFile: cert, keyFile: key, caFile: ca } = await authority.issuePeer('etcd', { dnsName: 'localhost' });
    const etcd = await startEtcd({ tls: { ca, cert, key } });
    running.push(etcd);
    const admin = await authority.issueClient('apiserver');
    const own = { cert: readFileSync(admin.certFile), key: readFileSync(admin.keyFile) };
    const client = new EtcdClient({ servers: etcd.urls, tls: { ca: readFileSync(ca), ...own } });
    const stranger = new EtcdClient({ servers: etcd.urls, tls: { ca: readFileSync(ca), cert: null, key: null } });
    const misled = new EtcdClient({ servers: etcd.urls, tls: { ca: readFileSync(other.caFile), ...own } });
    try {
      await client.call(range, { key: 'x' }, { timeoutMs, repeatable: true });
      for (const refused of [stranger, misled]) {
        const failure = await refused.call(range, { key: 'x' }, { timeoutMs: 1_000, repeatable: true }).then(
          () => null,
          (error: unknown) => error,
        );
        expect(failure).to.be.instanceOf(Error);
      }
    } finally {
      for (const each of [client, stranger, misled]) each.close();
    }
  });
});

describe('storage/etcd/progress', () => {
  it('trusts the releases that answer rightly, and no others', () => {
    for (const version of ['3.4.31', '3.4.40', '3.5.13', '3.5.21', '3.6.0', '4.0.0'])
      expect(answersProgressRightly(version), version).to.equal(true);
    for (const version of ['3.4.23', '3.4.30', '3.5.0', '3.5.12', '3.3.99', '2.9.9', '', 'x'])
      expect(answersProgressRightly(version), version).to.equal(false);
  });
});
