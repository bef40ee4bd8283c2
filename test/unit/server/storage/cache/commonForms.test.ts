import { expect } from 'chai';
import fc from 'fast-check';
import { revision, type Change } from '../../../../../raft/index.js';
import { WatchCache } from '../../../../../server/storage/cache/watchCache.js';
import type { WatchEvent } from '../../../../../server/storage/contract.js';
import { encodeWrite, type EncodedWrite } from '../../../../../server/storage/encoding.js';
import type { StoredForm } from '../../../../../server/storage/forms.js';
import { KeySpace } from '../../../../../server/storage/keys.js';
import { noSelectableFields, type StoredItem } from '../../../../../server/storage/storedObject.js';
import { Watcher } from '../../../../../server/storage/cache/watcher.js';
import { slabBytes } from '../../../../../server/threads/formSlabs.js';
import type { SharedForms } from '../../../../../server/threads/sharedForms.js';
import { formsOfThreads, type ThreadForms } from '../../../../fixtures/threadForms.js';

const resource = { group: '', resource: 'configmaps' };
const keys = new KeySpace('/registry');
const key = (name: string) => ({ resource, namespace: 'one', name });
const stored: Readonly<Record<string, StoredForm | null>> = {
  JSON: null,
  Protobuf: { mediaType: 'application/vnd.kubernetes.protobuf', kind: () => 'ConfigMap' },
};
const textBytes = 300;

/** A thread's cache and its pending writes. */
interface Thread {
  readonly cache: WatchCache;
  readonly written: Map<string, EncodedWrite>;
}

function threadWith(commonForms: SharedForms | null, changesMax = 50): Thread {
  const written = new Map<string, EncodedWrite>();
  const cache = new WatchCache({
    keys,
    selectableFields: noSelectableFields,
    history: { changesMax },
    commonForms,
    writtenHere: (of) => written.get(of)?.json ?? null,
  });
  cache.beginLoad(0);
  cache.endLoad();
  return { cache, written };
}

const textOf = (name: string, version: number): string => `${name} ${version} `.repeat(textBytes / 10);
const encodedOf = (name: string, version: number, form: StoredForm | null): EncodedWrite =>
  encodeWrite(
    key(name),
    {
      apiVersion: 'v1',
      metadata: { name, namespace: 'one', uid: `u-${name}`, labels: { parity: String(version % 2) } },
      data: { text: textOf(name, version) },
    },
    form,
  );

/** A change as the consensus thread sends it: in shared memory. */
function changeTo(name: string, version: number, value: Buffer | null): Change {
  const shared = value === null ? null : Buffer.from(new SharedArrayBuffer(value.length));
  if (shared !== null) value?.copy(shared);
  return { revision: revision(version), createRevision: revision(1), key: keys.keyOf(key(name)), value: shared };
}

const objectIn = ({ cache }: Thread, name: string): StoredItem | null => cache.of(resource).tree.get(key(name));
const metadataOf = (object: StoredItem): string =>
  object.encoded('metadata', (each) => Buffer.from(JSON.stringify(each.decode().metadata))).toString();

/** All threads see a write to shared memory, though each has its own view. */
function expectOnePlace(items: readonly Buffer[]): void {
  for (const item of items) {
    const before = item[1]!;
    item[1] = 0;
    expect(items.map((each) => each[1])).to.deep.equal(items.map(() => 0));
    item[1] = before;
  }
}

describe('storage/commonForms', () => {
  let common: ThreadForms;
  beforeEach(() => {
    common = formsOfThreads(3);
  });
  afterEach(() => {
    common.close();
  });

  for (const [form, storedForm] of Object.entries(stored)) {
    const apply = (threads: readonly Thread[], name: string, version: number, deleted = false): void => {
      const change = changeTo(name, version, deleted ? null : encodedOf(name, version, storedForm).value);
      for (const { cache } of threads) cache.apply([change]);
    };

    it(`are read once, whichever thread needs them first, and lie in one place: ${form}`, async () => {
      const threads = common.forms.map((each) => threadWith(each));
      apply(threads, 'a', 1);
      await common.heard();
      const items = [2, 0, 1].map((thread) => objectIn(threads[thread]!, 'a')!.item);
      expectOnePlace(items);
      expect(common.forms.map(({ counts }) => counts.made)).to.deep.equal([0, 0, 1]);
      for (const thread of threads) {
        const object = objectIn(thread, 'a')!;
        expect(object.decode()).to.deep.include({ data: { text: textOf('a', 1) } });
        expect(object.decode().metadata.resourceVersion).to.equal('1');
        expect(object.labels).to.deep.equal({ parity: '1' });
        expect(object.uid).to.equal('u-a');
        expect(object.apiVersion).to.equal('v1');
      }
      let made = 0;
      for (const thread of threads)
        objectIn(thread, 'a')!.encoded('other', () => {
          made++;
          return Buffer.from('other form');
        });
      expect(made).to.equal(1);
    });

    it(`of an object that leaves a selector are those of its last state, not of the one that it has now: ${form}`, async () => {
      const threads = common.forms.map((each) => threadWith(each));
      const shown = threads.map(({ cache }) => {
        const events: WatchEvent[] = [];
        const watcher = new Watcher(
          {
            resource,
            namespace: null,
            labels: [{ key: 'parity', operator: 'in', values: ['1'] }],
            fields: [],
            start: { at: 'any' },
            initialEvents: false,
          },
          { event: (event) => events.push(event), synced: () => undefined, end: () => undefined },
        );
        watcher.startAfter(cache.of(resource), 0);
        return events;
      });
      apply(threads, 'a', 1);
      await common.heard();
      for (const [at, thread] of threads.entries()) {
        const { cache } = thread;
        cache.apply([changeTo('a', 2, encodedOf('a', 2, storedForm).value)]);
        // The first thread reads the new state first, the others the previous one.
        if (at === 0) expect(objectIn(thread, 'a')!.decode()).to.deep.include({ data: { text: textOf('a', 2) } });
        const left = shown[at]!.at(-1)!;
        expect(left.type).to.equal('DELETED');
        expect(left.object.decode()).to.deep.include({ data: { text: textOf('a', 1) } });
        expect(left.object.decode().metadata.resourceVersion).to.equal('2');
        expect(metadataOf(left.object as StoredItem)).to.include('"parity":"1"');
        expect(metadataOf(objectIn(thread, 'a')!)).to.include('"parity":"0"');
        expect(objectIn(thread, 'a')!.decode()).to.deep.include({ data: { text: textOf('a', 2) } });
      }
    });

    it(`are bounded however often objects change, and right wherever they have moved: ${form}`, async () => {
      const threads = common.forms.map((each) => threadWith(each));
      const names = Array.from({ length: 100 }, (_, at) => `object-${at}`);
      const read = (thread: Thread, name: string): void => {
        const object = objectIn(thread, name)!;
        expect(object.decode()).to.deep.include({ data: { text: textOf(name, object.version) } });
        metadataOf(object);
      };
      let version = 0;
      for (const name of names) apply(threads, name, ++version);
      for (const name of names) for (const thread of threads) read(thread, name);
      // A few objects change all the time; the others stay, and move between slabs.
      for (let round = 0; round < 2_000; round++) {
        const name = names[round % 10]!;
        apply(threads, name, ++version);
        read(threads[round % 3]!, name);
        if (round % 2 === 0) read(threads[(round + 1) % 3]!, name);
        if (round % 50 === 0) await common.heard();
      }
      await common.heard();
      for (const name of names) for (const thread of threads) read(thread, name);
      for (const { slabs } of common.forms) expect(slabs.bytes).to.be.at.most(20 * slabBytes);
    });

    it(`go with what a cache held before it was loaded anew: ${form}`, async () => {
      const threads = common.forms.map((each) => threadWith(each, 5_000));
      let version = 0;
      for (let at = 0; at < 1_500; at++) apply(threads, `object-${at % 500}`, ++version);
      for (const thread of threads) for (let at = 0; at < 500; at++) void objectIn(thread, `object-${at}`)!.item;
      for (const { cache } of threads) {
        cache.beginLoad(revision(version));
        cache.endLoad();
      }
      for (let at = 0; at < 5; at++) apply(threads, 'other', ++version);
      for (const thread of threads) void objectIn(thread, 'other')!.item;
      await common.heard();
      for (const { slabs } of common.forms) expect(slabs.bytes).to.be.at.most(9 * slabBytes);
    });
  }

  it('come from whoever has written the object, if he takes it in first', async () => {
    const threads = common.forms.map((each) => threadWith(each));
    const write = encodedOf('a', 1, stored['Protobuf']!);
    const change = changeTo('a', 1, write.value);
    threads[1]!.written.set(change.key, write);
    for (const { cache } of [threads[1]!, threads[0]!, threads[2]!]) cache.apply([change]);
    await common.heard();
    const [first, ...others] = threads.map((thread) => objectIn(thread, 'a')!.item);
    expectOnePlace([first!, ...others]);
    expect(common.forms.map(({ counts }) => counts.made)).to.deep.equal([0, 1, 0]);
    expect(JSON.parse(first!.toString())).to.deep.include({ data: { text: textOf('a', 1) } });
  });

  it("of damaged values are nobody's", async () => {
    const threads = common.forms.map((each) => threadWith(each));
    const { value } = encodedOf('a', 1, null);
    value[40] = (value[40] ?? 0) ^ 1;
    for (const { cache } of threads) cache.apply([changeTo('a', 1, value)]);
    for (const thread of threads) {
      expect(objectIn(thread, 'a')).to.have.property('damage');
      expect(
        objectIn(thread, 'a')!
          .encoded('form', () => Buffer.from('its name alone'))
          .toString(),
      ).to.equal('its name alone');
    }
    await common.heard();
    expect(common.forms.map(({ counts }) => counts.made)).to.deep.equal([0, 0, 0]);
  });

  it('are what each thread would have made for itself, in any order of changes and reads', async () => {
    const step = fc.record({
      name: fc.integer({ min: 0, max: 5 }),
      deleted: fc.boolean(),
      protobuf: fc.boolean(),
      writer: fc.integer({ min: 0, max: 3 }),
      readers: fc.array(
        fc.record({ thread: fc.integer({ min: 0, max: 2 }), name: fc.integer({ min: 0, max: 5 }), encoded: fc.boolean() }),
        { maxLength: 6 },
      ),
      heard: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const several = formsOfThreads(3);
        const threads = several.forms.map((each) => threadWith(each, 8));
        const alone = threadWith(null, 8);
        for (const [at, { name, deleted, protobuf, writer, readers, heard }] of steps.entries()) {
          const write = encodedOf(`o${name}`, at + 1, stored[protobuf ? 'Protobuf' : 'JSON']!);
          const change = changeTo(`o${name}`, at + 1, deleted ? null : write.value);
          if (!deleted) threads[writer]?.written.set(change.key, write);
          for (const { cache, written } of [...threads, alone]) {
            cache.apply([change]);
            written.clear();
          }
          for (const { thread, name: of, encoded } of readers) {
            const [object, expected] = [threads[thread]!, alone].map((each) => objectIn(each, `o${of}`));
            expect(object?.version).to.equal(expected?.version);
            expect(object?.item.toString()).to.equal(expected?.item.toString());
            if (encoded && object != null && expected != null) expect(metadataOf(object)).to.equal(metadataOf(expected));
          }
          if (heard) await several.heard();
        }
        several.close();
      }),
      { numRuns: 60 },
    );
  });
});
