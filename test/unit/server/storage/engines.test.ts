import { expect } from 'chai';
import fc from 'fast-check';
import { createReplica } from '../../../../raft/replica/local.js';
import { memberId, revision } from '../../../../raft/types.js';
import type { Change, KeyValue, StoreEngine } from '../../../../server/storage/engine.js';
import { EtcdClient } from '../../../../server/storage/etcd/client.js';
import { EtcdEngine } from '../../../../server/storage/etcd/engine.js';
import { Leases } from '../../../../server/storage/etcd/leases.js';
import { MemoryEngine } from '../../../../server/storage/memoryEngine.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../../../fixtures/etcdServers.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { FakeReplica } from './fakeReplica.js';

/**
 * Compares the engines: the same random transactions and reads must have equal results. Revisions are compared by their transaction, because counters differ.
 */
const names = ['a', 'a/b', 'a0', 'ä', '日', '\uffee', '😀', 'z'];
const timeoutMs = 10_000;
/** Each run has its own keys. */
const root = '/engines/';

type Step =
  | {
      readonly do: 'write';
      readonly puts: readonly (readonly [name: number, text: string])[];
      readonly deletes: readonly number[];
      readonly compared: readonly (readonly [name: number, at: 'now' | 'absent' | 'before'])[];
    }
  | { readonly do: 'range'; readonly from: number; readonly to: number | null; readonly limit: number | null; readonly back: number }
  | { readonly do: 'changes'; readonly back: number; readonly bytesMax: number }
  | { readonly do: 'compact'; readonly back: number };

const name = fc.nat(names.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      puts: fc.array(fc.tuple(name, fc.string({ maxLength: 9 })), { minLength: 1, maxLength: 3 }),
      deletes: fc.array(name, { maxLength: 2 }),
      compared: fc.array(
        fc.tuple(name, fc.constantFrom('now' as const, 'now' as const, 'now' as const, 'absent' as const, 'before' as const)),
        { maxLength: 2 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('range' as const),
      from: name,
      to: fc.option(name),
      limit: fc.option(fc.nat(4)),
      back: fc.nat(6),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('changes' as const), back: fc.nat(6), bytesMax: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(6) }) },
);

class Subject {
  readonly #engine: StoreEngine;
  readonly #prefix: string;

  /** This engine's revisions, by transaction. */
  readonly #made: number[] = [];

  private constructor(engine: StoreEngine, prefix: string, first: number) {
    this.#engine = engine;
    this.#prefix = prefix;
    this.#made.push(first);
  }

  static async begin(engine: StoreEngine, prefix: string): Promise<Subject> {
    const begun = await engine.write(
      { comparisons: [], operations: [{ type: 'put', key: `${prefix}a`, value: Buffer.from('begin') }] },
      { timeoutMs },
    );
    if (begun.outcome !== 'applied') throw new Error(begun.outcome);
    return new Subject(engine, prefix, begun.revision);
  }

  async do(step_: Step): Promise<unknown> {
    switch (step_.do) {
      case 'write':
        return this.#write(step_);
      case 'range':
        return this.#range(step_);
      case 'changes':
        return this.#changes(step_);
      case 'compact': {
        const { outcome } = await this.#engine.compact(revision(this.#at(step_.back)), timeoutMs);
        return outcome;
      }
    }
  }

  async #write({ puts, deletes, compared }: Extract<Step, { do: 'write' }>): Promise<unknown> {
    const put = new Map(puts.map(([at, text]) => [this.#key(at), text]));
    const operations = [
      ...[...put].map(([key, text]) => ({ type: 'put' as const, key, value: Buffer.from(text) })),
      ...[...new Set(deletes.map((at) => this.#key(at)))].filter((key) => !put.has(key)).map((key) => ({ type: 'delete' as const, key })),
    ];
    const comparisons = await Promise.all(
      [...new Map(compared)].map(async ([at, when]) => {
        const now = (await this.#present(this.#key(at)))?.modRevision ?? 0;
        const wanted = when === 'now' ? now : when === 'absent' ? 0 : (this.#made[0] ?? 0);
        return { key: this.#key(at), modRevision: revision(wanted) };
      }),
    );
    const outcome = await this.#engine.write({ comparisons, operations }, { timeoutMs });
    if (outcome.outcome === 'applied') this.#made.push(outcome.revision);
    return outcome.outcome === 'conflict' ? ['conflict', outcome.current.map((item) => item && this.#reported(item))] : outcome.outcome;
  }

  async #range({ from, to, limit, back }: Extract<Step, { do: 'range' }>): Promise<unknown> {
    const end = to === null ? `${this.#prefix.slice(0, -1)}0` : this.#key(to);
    const result = await this.#engine.range({ start: this.#key(from), end, revision: revision(this.#at(back)), limit });
    return result.outcome === 'found' ? [result.items.map((item) => this.#reported(item)), result.remaining] : result.outcome;
  }

  async #changes({ back, bytesMax }: Extract<Step, { do: 'changes' }>): Promise<unknown> {
    const all: unknown[] = [];
    for (let after = this.#at(back); after < this.#at(0);) {
      const page = await this.#engine.changesSince(revision(after), bytesMax);
      if (page.outcome !== 'found') return page.outcome;
      const own = page.changes.filter(({ key }) => key.startsWith(this.#prefix));
      all.push(...own.map((change) => this.#toldChange(change)));
      after = page.through;
    }
    // Keys of one revision have no guaranteed order.
    return all.map((each) => JSON.stringify(each)).sort();
  }

  async #present(key: string): Promise<KeyValue | null> {
    const result = await this.#engine.range({ start: key, end: `${key}\0`, revision: null, limit: 1 });
    return result.outcome === 'found' ? (result.items[0] ?? null) : null;
  }

  #key(at: number): string {
    return `${this.#prefix}${names[at] ?? ''}`;
  }

  /** The revision of an earlier transaction, or of the first. */
  #at(back: number): number {
    return this.#made[Math.max(0, this.#made.length - 1 - back)] ?? 0;
  }

  #reported({ key, value, createRevision, modRevision, version }: KeyValue): unknown {
    return [key, Buffer.from(value).toString(), this.#made.indexOf(createRevision), this.#made.indexOf(modRevision), version];
  }

  #toldChange({ key, value, revision: at }: Change): unknown {
    return [this.#made.indexOf(at), key, value === null ? null : Buffer.from(value).toString()];
  }
}

describe('storage engines', function () {
  const engines: [name: string, engine: StoreEngine][] = [];
  const stops: (() => unknown)[] = [];
  let runs = 0;

  before(async () => {
    const id = memberId('one');
    const replica = await createReplica({
      dataDirectory: temporaryDirectory('engines'),
      memberId: id,
      initialMembers: [{ id, role: 'voter', address: '127.0.0.1:1' }],
      clusterToken: 'test',
      listenAddress: null,
      tls: null,
      heartbeatIntervalMs: 5,
      electionTimeoutMs: 20,
      logEntriesKept: 100,
    });
    stops.push(() => replica.stop());
    await replica.barrier(timeoutMs);
    engines.push(['model', new FakeReplica()], ['memory', new MemoryEngine()], ['replica', replica]);
    if (!hasEtcd()) return;
    const etcd: EtcdServers = await startEtcd();
    const client = new EtcdClient({ servers: etcd.urls, tls: { ca: null, cert: null, key: null } });
    const engine = new EtcdEngine({
      client,
      start: root,
      end: `${root.slice(0, -1)}0`,
      leases: new Leases({ client, reuseMs: 0, now: () => 0 }),
    });
    stops.push(async () => {
      engine.stop();
      await etcd.stop();
    });
    await engine.barrier(timeoutMs);
    engines.push(['etcd', engine]);
  });

  after(async () => {
    for (const stop of stops) await stop();
  });

  it('answer alike', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const prefix = `${root}${++runs}/`;
        const subjects = await Promise.all(engines.map(async ([name_, engine]) => [name_, await Subject.begin(engine, prefix)] as const));
        for (const each of steps) {
          const answers = await Promise.all(subjects.map(async ([name_, subject]) => [name_, await subject.do(each)] as const));
          const [, wanted] = answers[0]!;
          for (const [name_, answer] of answers) expect(answer, `${name_}, ${JSON.stringify(each)}`).to.deep.equal(wanted);
        }
      }),
      { numRuns: 60 },
    );
  });
});
