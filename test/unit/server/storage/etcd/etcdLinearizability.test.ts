import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EtcdClient } from '../../../../../server/storage/etcd/client.js';
import { EtcdEngine } from '../../../../../server/storage/etcd/engine.js';
import { Leases } from '../../../../../server/storage/etcd/leases.js';
import { createRaftStorage, type RaftStorage } from '../../../../../server/storage/raft.js';
import type { WriteResult } from '../../../../../server/storage/contract.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../../../../fixtures/etcdServers.js';
import { checkAcknowledged } from '../../../../torture/checks/durability.js';
import { acknowledgedWrites, type KeyOperation } from '../../../../torture/checks/history.js';
import { checkLinearizability } from '../../../../torture/checks/linearizability.js';
import { Recorder } from '../recorder.js';
import { configMaps, key, objectFor, watchRequest } from '../suite.js';

const timeoutMs = 4_000;
const names = ['x', 'y', 'z'];
const actorsEach = 3;

interface Server {
  readonly engine: EtcdEngine;
  readonly storage: RaftStorage;
}

type Reported = Pick<KeyOperation, 'key' | 'client' | 'startMs'>;

describe('storage over etcd members that fail', function () {
  let etcd: EtcdServers;
  const servers: Server[] = [];

  before(async function () {
    if (!hasEtcd()) return this.skip();
    etcd = await startEtcd({ members: 3 });
    for (const urls of [etcd.urls, [...etcd.urls].reverse()]) {
      const client = new EtcdClient({ servers: urls, tls: { ca: null, cert: null, key: null } });
      const leases = new Leases({ client, reuseMs: 0, now: () => 0 });
      const engine = new EtcdEngine({ client, start: '/registry/', end: '/registry0', leases });
      servers.push({ engine, storage: createRaftStorage({ replica: engine, replayedRevisions: 0, readTimeoutMs: timeoutMs }) });
    }
    await Promise.all(servers.map(({ storage }) => storage.ready()));
  });

  after(async () => {
    for (const { engine, storage } of servers) {
      storage.close();
      engine.stop();
    }
    await etcd?.stop();
  });

  it('has one order of all writes and reads, keeps what it acknowledged, and shows it to watchers', async () => {
    const operations: KeyOperation[] = [];
    const watched = servers.map(({ storage }) => {
      const sink = new Recorder();
      // From the beginning: nothing has been written yet.
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: storage.version }, initialEvents: false }), sink);
      return sink;
    });
    let over = false;
    const actors = servers.flatMap(({ storage }, server) =>
      Array.from({ length: actorsEach }, async (_, actor) => {
        for (let n = 0; !over || n < 15; n++) {
          operations.push(...(await act(storage, `${server}-${actor}`, n)));
          await nextTurn();
        }
      }),
    );
    for (const member of etcd.members) {
      await member.kill();
      await present();
      member.restart();
      await present();
      member.pause();
      await present();
      member.resume();
    }
    over = true;
    await Promise.all(actors);
    await present();
    const { findings, undecided } = checkLinearizability(operations);
    expect(findings).to.deep.equal([]);
    expect(undecided).to.deep.equal([]);
    expect(acknowledgedWrites(operations).length).to.be.above(30);
    const list = await servers[0]!.storage.list({
      resource: configMaps,
      namespace: null,
      labels: [],
      fields: [],
      consistency: { at: 'mostRecent' },
      limit: null,
      after: null,
    });
    if (list.outcome !== 'found') throw new Error(list.outcome);
    const final = new Map(list.items.map((object) => [object.name, { version: object.version, value: textOf(object.decode()) }]));
    for (const { events } of watched) {
      const shown = events.map(({ type, version, object }) => {
        const value = textOf(object.decode());
        return { type, version, key: object.name, uid: '', halves: [value, value] as const };
      });
      expect(shown.map(({ version }) => version)).to.deep.equal([...new Set(shown.map(({ version }) => version))].sort((a, b) => a - b));
      expect(
        checkAcknowledged(acknowledgedWrites(operations), shown as unknown as Parameters<typeof checkAcknowledged>[1], final),
      ).to.deep.equal([]);
    }
  });

  async function present(): Promise<void> {
    for (const { engine } of servers) expect(await engine.barrier(30_000)).to.have.property('outcome', 'reached');
  }
});

const textOf = (object: object): string => String((object as { readonly data?: { readonly text?: string } }).data?.text ?? '');

/**
 * A client's operation on one of a few objects: a read, and mostly a write after it. The read is recorded too, because only it reveals the version of an
 * unanswered write. Nothing for inconclusive answers, such as a failed read.
 */
async function act(storage: RaftStorage, client: string, n: number): Promise<readonly KeyOperation[]> {
  const name = names[(n + client.charCodeAt(2)) % names.length]!;
  const place = key(configMaps, 'default', name);
  const value = `${client}-${n}`;
  const reading = { key: name, client, startMs: performance.now() };
  const found = await storage.get(place, { at: 'mostRecent' });
  const answered = { ...reading, endMs: performance.now(), kind: 'read' as const };
  if (found.outcome !== 'found' && found.outcome !== 'absent') return [];
  const read: KeyOperation =
    found.outcome === 'found'
      ? { ...answered, result: 'found', value: textOf(found.object.decode()), version: found.object.version }
      : { ...answered, result: 'absent' };
  if (n % 3 === 0) return [read];
  const write = await change(storage, { place, name, client, value, n }, found);
  return write === null ? [read] : [read, write];
}

interface Change {
  readonly place: ReturnType<typeof key>;
  readonly name: string;
  readonly client: string;
  readonly value: string;
  readonly n: number;
}

type Found = Awaited<ReturnType<RaftStorage['get']>>;

/** Null where the answer says that nothing was done, but nothing about the object. */
async function change(storage: RaftStorage, { place, name, client, value, n }: Change, found: Found): Promise<KeyOperation | null> {
  const reported = (): Reported => ({ key: name, client, startMs: performance.now() });
  const writing = reported();
  if (found.outcome === 'absent') {
    const result = await storage.create(place, objectFor(place, { text: value }), { timeoutMs });
    const create = { ...writing, endMs: performance.now(), kind: 'create' as const, value };
    if (result.outcome === 'applied') return { ...create, result: 'done', version: result.object.version };
    return wasDefinite(result)
      ? result.outcome === 'conflict'
        ? { ...create, result: 'exists' }
        : null
      : { ...create, result: 'unknown' };
  }
  if (found.outcome !== 'found') return null;
  const expected = found.object.version;
  if (n % 7 === 1) {
    const result = await storage.delete(place, expected, { timeoutMs });
    const removal = { ...writing, endMs: performance.now(), kind: 'delete' as const, expected };
    if (result.outcome === 'applied') return { ...removal, result: 'done' };
    return wasDefinite(result)
      ? result.outcome === 'conflict'
        ? { ...removal, result: result.current === null ? 'absent' : 'conflict' }
        : null
      : { ...removal, result: 'unknown' };
  }
  const result = await storage.update(place, objectFor(place, { text: value }), expected, { timeoutMs });
  const update = { ...writing, endMs: performance.now(), kind: 'update' as const, value, expected };
  if (result.outcome === 'applied') return { ...update, result: 'done', version: result.object.version };
  return wasDefinite(result)
    ? result.outcome === 'conflict'
      ? { ...update, result: result.current === null ? 'absent' : 'conflict' }
      : null
    : { ...update, result: 'unknown' };
}

const wasDefinite = ({ outcome }: WriteResult): boolean => outcome !== 'unknown';
