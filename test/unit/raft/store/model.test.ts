import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Command, Operation } from '../../../../raft/store/contract.js';
import { revision } from '../../../../raft/types.js';
import { crashCopy, removeScratch, scratch } from '../log/scratch.js';
import { apply, compact, open, put, remove, tell, tellChange, tellRange, transaction } from './commands.js';

interface Version {
  readonly key: string;
  readonly value: string;
  readonly create: number;
  readonly mod: number;
  readonly version: number;
}

/** A minimal model of the store: a map for every revision, and an advancing compacted revision. */
class Model {
  readonly maps: ReadonlyMap<string, Version>[] = [new Map()];
  readonly changes: { readonly revision: number; readonly text: string }[] = [];
  compacted = 0;

  get revision(): number {
    return this.maps.length - 1;
  }

  get now(): ReadonlyMap<string, Version> {
    return this.maps[this.revision] ?? new Map();
  }

  apply(command: Command): string {
    if (command.type === 'compact') {
      if (command.revision <= this.compacted) return 'compacted';
      this.compacted = Math.min(command.revision, this.revision);
      return 'applied';
    }
    const { comparisons, operations } = command.transaction;
    if (comparisons.some(({ key, modRevision }) => (this.now.get(key)?.mod ?? 0) !== modRevision)) return 'conflict';
    const effective = operations.filter((operation) => operation.type === 'put' || this.now.has(operation.key));
    if (effective.length > 0) this.#change(effective);
    return 'applied';
  }

  #change(operations: readonly Operation[]): void {
    const next = new Map(this.now);
    const at = this.revision + 1;
    for (const operation of operations) {
      const { key } = operation;
      const old = next.get(key);
      if (operation.type === 'delete') {
        next.delete(key);
        this.changes.push({ revision: at, text: `${at} ${key}=null ${old?.create}` });
      } else {
        const value = Buffer.from(operation.value).toString();
        const create = old?.create ?? at;
        next.set(key, { key, value, create, mod: at, version: (old?.version ?? 0) + 1 });
        this.changes.push({ revision: at, text: `${at} ${key}=${value} ${create}` });
      }
    }
    this.maps.push(next);
  }

  range(start: string, end: string | null, at: number, limit: number | null) {
    if (at < this.compacted) return { outcome: 'compacted', compacted: this.compacted };
    if (at > this.revision) return { outcome: 'future', revision: this.revision };
    const bytes = (text: string) => Buffer.from(text);
    const found = [...(this.maps[at] ?? new Map<string, Version>()).values()]
      .filter(({ key }) => bytes(key).compare(bytes(start)) >= 0 && (end === null || bytes(key).compare(bytes(end)) < 0))
      .sort((a, b) => bytes(a.key).compare(bytes(b.key)))
      .map(({ key, value, create, mod, version }) => `${key}=${value} ${create}/${mod}/${version}`);
    const items = found.slice(0, limit ?? found.length);
    return { outcome: 'found', revision: at, items, remaining: found.length - items.length };
  }
}

const key = fc.constantFrom('\0', 'a', 'a\0', 'a\0b', 'a/', 'a/b', 'b', 'é', '\u{1f600}', '\uffff');
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(key, fc.string({ maxLength: 5 })).map(([name, value]) => put(name, value)) },
  { weight: 2, arbitrary: key.map(remove) },
);
const operations = fc.uniqueArray(operation, { maxLength: 4, selector: ({ key: name }) => name });
/** `age`: revisions ago. `wrong` 0: compares with another revision than the key's. */
type Step =
  | { readonly type: 'write'; readonly operations: Operation[]; readonly compared: string[]; readonly wrong: number }
  | { readonly type: 'compact'; readonly age: number }
  | { readonly type: 'maintain' }
  | { readonly type: 'settle' }
  | { readonly type: 'checkpoint' }
  | { readonly type: 'reopen' }
  | { readonly type: 'crash' }
  | { readonly type: 'read'; readonly start: string; readonly end: string | null; readonly age: number; readonly limit: number | null }
  | { readonly type: 'feed'; readonly age: number; readonly bytesMax: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      operations,
      compared: fc.uniqueArray(key, { maxLength: 2 }),
      wrong: fc.integer({ min: 0, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('compact' as const), age: fc.integer({ min: -2, max: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('maintain' as const, 'settle' as const, 'checkpoint' as const, 'reopen' as const, 'crash' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('read' as const),
      start: fc.oneof(key, fc.constant('')),
      end: fc.option(key),
      age: fc.integer({ min: -1, max: 8 }),
      limit: fc.option(fc.nat(4)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('feed' as const), age: fc.nat(8), bytesMax: fc.nat(12) }) },
);

describe('raft store against a model', function () {
  afterEach(removeScratch);

  it('agrees after any commands, compactions, restarts and crashes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const model = new Model();
        let path = join(scratch(), 'store.db');
        let store = open(path);
        /** All applied commands, as in Raft's log, and how many must survive a crash. */
        const log: Command[] = [];
        let settled = 0;
        const at = (age: number) => Math.max(0, model.revision - age);
        const run = (command: Command) => {
          const known = model.changes.length;
          log.push(command);
          const {
            results: [result],
            changes,
          } = apply(store, command);
          expect(result?.outcome).to.equal(model.apply(command));
          expect(result?.revision).to.equal(model.revision);
          expect(changes.map(tellChange)).to.deep.equal(model.changes.slice(known).map(({ text }) => text));
          if (result?.outcome === 'conflict' && command.type === 'transaction') {
            const expected = command.transaction.comparisons
              .map(({ key: name }) => model.now.get(name))
              .map((now) => (now === undefined ? null : `${now.key}=${now.value} ${now.create}/${now.mod}/${now.version}`));
            expect(result.current.map((item) => (item === null ? null : tell(item)))).to.deep.equal(expected);
          }
        };
        const reopen = (from: string) => {
          store.close();
          path = from;
          store = open(path);
        };
        /** Commands that the disk lacks are applied again, with equal results. */
        const crash = () => {
          reopen(crashCopy(path));
          expect(store.appliedIndex).to.be.within(settled, log.length);
          if (store.appliedIndex < log.length) apply(store, ...log.slice(store.appliedIndex));
        };
        try {
          for (const next of steps) {
            if (next.type === 'write') {
              run(
                transaction(
                  next.operations,
                  Object.fromEntries(next.compared.map((name) => [name, next.wrong === 0 ? at(1) : (model.now.get(name)?.mod ?? 0)])),
                ),
              );
            } else if (next.type === 'compact') run(compact(at(next.age)));
            else if (next.type === 'maintain') store.maintain();
            else if (next.type === 'settle') store.settle();
            else if (next.type === 'checkpoint') expect(store.checkpoint()).to.equal(store.appliedIndex);
            else if (next.type === 'reopen') reopen(path);
            else if (next.type === 'crash') crash();
            else if (next.type === 'read') {
              const options = { start: next.start, end: next.end, revision: revision(at(next.age)), limit: next.limit };
              expect(tellRange(store.range(options))).to.deep.equal(model.range(next.start, next.end, at(next.age), next.limit));
              const single = model.range(next.start, `${next.start}\0`, at(next.age), null);
              expect(tellRange(store.get(next.start, revision(at(next.age))))).to.deep.equal(single);
            } else {
              const result = store.changesSince(revision(at(next.age)), next.bytesMax);
              if (at(next.age) < model.compacted) expect(result).to.deep.equal({ outcome: 'compacted', compacted: model.compacted });
              else if (result.outcome === 'found') {
                const expected = model.changes.filter((change) => change.revision > at(next.age) && change.revision <= result.through);
                expect(result.changes.map(tellChange)).to.deep.equal(expected.map(({ text }) => text));
                expect(result.through === model.revision || result.changes.length > 0).to.equal(true);
              } else expect.fail('compacted too early');
            }
            if (['maintain', 'settle', 'checkpoint', 'reopen'].includes(next.type)) settled = log.length;
            expect([store.revision, store.compactedRevision]).to.deep.equal([model.revision, model.compacted]);
          }
        } finally {
          store.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
