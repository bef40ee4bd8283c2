import { expect } from 'chai';
import fc from 'fast-check';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ChangeBatch } from '../../../../../server/storage/engine.js';
import { EtcdClient } from '../../../../../server/storage/etcd/client.js';
import { EtcdEngine } from '../../../../../server/storage/etcd/engine.js';
import { Leases } from '../../../../../server/storage/etcd/leases.js';
import { txn, type RequestOp } from '../../../../../server/storage/etcd/messages.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../../../../fixtures/etcdServers.js';

const noTls = { ca: null, cert: null, key: null };
const timeoutMs = 20_000;

/** Forwards connections, and breaks them all on request. */
class Cutter {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(target: string): Promise<Cutter> {
    const server = createServer((from) => {
      const to = connect(Number(new URL(target).port), '127.0.0.1');
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        cutter.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          cutter.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    const cutter = new Cutter(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return cutter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.cuts += this.#sockets.size > 0 ? 1 : 0;
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }
}

type Step =
  | { readonly do: 'write'; readonly puts: readonly number[]; readonly deletes: readonly number[]; readonly bytes: number }
  /** Unwatched keys: their revisions arrive only as progress. */
  | { readonly do: 'elsewhere' }
  | { readonly do: 'cut' }
  | { readonly do: 'barrier' };

const keys = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), puts: keys, deletes: keys, bytes: fc.nat(100) }) },
  // Several of these exceed one watch message.
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('write' as const), puts: keys, deletes: fc.constant([]), bytes: fc.constant(400_000) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'elsewhere' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'cut' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'barrier' as const }) },
);

describe('storage/etcd: a watch whose connection is cut', function () {
  this.timeout(180_000);
  let etcd: EtcdServers;
  let direct: EtcdClient;
  let runs = 0;

  before(async function () {
    if (!hasEtcd()) return this.skip();
    etcd = await startEtcd();
    direct = new EtcdClient({ servers: etcd.urls, tls: noTls });
  });

  after(async () => {
    direct?.close();
    await etcd?.stop();
  });

  const written = async (success: readonly RequestOp[]): Promise<number> =>
    (await direct.call(txn, { compare: [], success, failure: [] }, { timeoutMs, repeatable: false })).header.revision;

  it('tells what a model says: every change once, whole revisions, in order', async () => {
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const root = `/cuts-${++runs}/`;
        const cutter = await Cutter.before(etcd.urls[0]!);
        const client = new EtcdClient({ servers: [cutter.url], tls: noTls });
        const engine = new EtcdEngine({
          client,
          start: root,
          end: `${root.slice(0, -1)}0`,
          leases: new Leases({ client, reuseMs: 0, now: () => 0 }),
        });
        const batches: ChangeBatch[] = [];
        engine.onChanges((batch) => batches.push(batch));
        const there = new Set<string>();
        const model: string[] = [];
        try {
          await engine.barrier(timeoutMs);
          let newest = 0;
          for (const each of steps) {
            if (each.do === 'cut') cutter.cut();
            else if (each.do === 'barrier') {
              const reached = await engine.barrier(timeoutMs);
              expect(reached.outcome).to.equal('reached');
              expect(engine.revision).to.be.at.least(newest);
            } else if (each.do === 'elsewhere') newest = await written([{ put: { key: 'elsewhere', value: Buffer.alloc(1) } }]);
            else {
              const puts = each.puts.map((n) => `${root}k${n}`);
              const deletes = each.deletes.map((n) => `${root}k${n}`).filter((key) => !puts.includes(key) && there.has(key));
              newest = await written([
                ...puts.map((key) => ({ put: { key, value: Buffer.alloc(each.bytes) } })),
                ...deletes.map((key) => ({ deleteRange: { key } })),
              ]);
              model.push(
                ...[...puts.map((key) => `${newest} ${key} ${each.bytes}`), ...deletes.map((key) => `${newest} ${key} gone`)].sort(),
              );
              for (const key of puts) there.add(key);
              for (const key of deletes) there.delete(key);
            }
          }
          expect((await engine.barrier(timeoutMs)).outcome).to.equal('reached');
        } finally {
          engine.stop();
          await cutter.stop();
        }
        cuts += cutter.cuts;
        expect(batches.filter(({ gap }) => gap)).to.have.length(0);
        const reported = batches.flatMap(({ changes }) => changes).filter(({ key }) => !key.startsWith(`${root}raftplane/`));
        expect(reported.map(({ revision: at }) => at)).to.deep.equal(reported.map(({ revision: at }) => at).sort((a, b) => a - b));
        // Each revision is in one batch, whose revision is at least that of its changes.
        const batchOf = new Map<number, ChangeBatch>();
        for (const batch of batches)
          for (const { revision: at } of batch.changes) {
            expect(batchOf.get(at) ?? batch).to.equal(batch);
            expect(batch.revision).to.be.at.least(at);
            batchOf.set(at, batch);
          }
        const asText = reported.map(({ revision: at, key, value }) => `${at} ${key} ${value === null ? 'gone' : value.byteLength}`);
        const byRevision = (a: string, b: string): number => Number.parseInt(a) - Number.parseInt(b) || (a < b ? -1 : 1);
        expect(asText.sort(byRevision)).to.deep.equal(model.sort(byRevision));
      }),
      { numRuns: 12 },
    );
    expect(cuts).to.be.greaterThan(10);
  });
});
