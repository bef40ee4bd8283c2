import { expect } from 'chai';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CommonForm, FormSubject, MadeForm } from '../../../../server/storage/commonForms.js';
import type { SegmentValue } from '../../../../server/storage/segment.js';
import { slabBytes } from '../../../../server/threads/formSlabs.js';
import { SharedForms } from '../../../../server/threads/sharedForms.js';
import { formsOfThreads, threadMesh, type ThreadForms } from '../../../fixtures/threadForms.js';
import type { FormWork, FormWorkDone } from './formWorker.js';

const facts = { resource: { group: 'apps', resource: 'deployments' } };
const subject = (name: string, version: number, namespace = 'ns'): FormSubject => ({ facts, namespace, name, version });
const made = (text: string): MadeForm => ({ bytes: Buffer.from(text), notes: [1, 2, 3, 4] });
const neverMade = (): MadeForm => {
  throw new Error('it has been made');
};

/** A lodger that moves only when asked. */
class Guest implements SegmentValue {
  readonly #form: CommonForm;
  moved = false;
  #place = 0;
  readonly size: number;

  constructor(form: CommonForm) {
    this.#form = form;
    this.size = form.bytes.length;
    this.#place = form.segment?.add(this) ?? 0;
  }

  moveOut(): void {
    this.moved = true;
  }

  leave(): void {
    this.#form.segment?.leave(this.#place, this.size);
  }
}

describe('threads/sharedForms', function () {
  let threads: ThreadForms;
  let two: { readonly one: SharedForms; readonly other: SharedForms; readonly heard: () => Promise<void> };
  beforeEach(() => {
    threads = formsOfThreads(2);
    const [one, other] = threads.forms as [SharedForms, SharedForms];
    two = { one, other, heard: threads.heard };
  });
  afterEach(() => {
    threads.close();
  });

  it('are made once, and lie in one place for all', async () => {
    const first = two.one.of(subject('a', 5), 'item', () => made('the one'));
    await two.heard();
    const second = two.other.of(subject('a', 5), 'item', neverMade);
    expect(second.bytes.toString()).to.equal('the one');
    expect(second.notes).to.deep.equal([1, 2, 3, 4]);
    expect(second.bytes.buffer).to.be.instanceOf(SharedArrayBuffer);
    first.bytes[0] = 'T'.charCodeAt(0);
    expect(second.bytes.toString()).to.equal('The one');
    expect([two.one.counts, two.other.counts]).to.deep.equal([
      { made: 1, found: 0, waited: 0, own: 0 },
      { made: 0, found: 1, waited: 0, own: 0 },
    ]);
  });

  it('are those of the very key, version and form', async () => {
    const others: readonly (readonly [FormSubject, string])[] = [
      [subject('a', 5), 'metadata'],
      [subject('a', 6), 'item'],
      [subject('a', 5 + 2 ** 32), 'item'],
      [subject('b', 5), 'item'],
      [subject('a', 5, 'other'), 'item'],
      [subject('sa', 5, 'n'), 'item'],
      [{ ...subject('a', 5), facts: { resource: { group: 'batch', resource: 'deployments' } } }, 'item'],
      [{ ...subject('a', 5), facts: { resource: { group: 'apps', resource: 'replicasets' } } }, 'item'],
    ];
    two.one.of(subject('a', 5), 'item', () => made('of a'));
    await two.heard();
    for (const [at, [of, form]] of others.entries())
      expect(two.other.of(of, form, () => made(`another ${at}`)).bytes.toString()).to.equal(`another ${at}`);
    await two.heard();
    for (const [at, [of, form]] of others.entries()) expect(two.one.of(of, form, neverMade).bytes.toString()).to.equal(`another ${at}`);
  });

  it("are a thread's own where keys are not ASCII, and nobody waits for them", () => {
    for (const forms of [two.one, two.other, two.one]) {
      const form = forms.of(subject('ä', 5), 'item', () => made('own'));
      expect(form.segment).to.equal(null);
      expect(form.bytes.toString()).to.equal('own');
    }
    expect(two.one.counts).to.deep.equal({ made: 0, found: 0, waited: 0, own: 2 });
  });

  it('are made by the next who asks when making them fails', async () => {
    expect(() => two.one.of(subject('a', 5), 'item', neverMade)).to.throw('it has been made');
    expect(two.one.of(subject('a', 5), 'item', () => made('later')).bytes.toString()).to.equal('later');
    await two.heard();
    expect(two.other.of(subject('a', 5), 'item', neverMade).bytes.toString()).to.equal('later');
  });

  it('may be large', async () => {
    const text = 'x'.repeat(3 << 20);
    two.one.of(subject('a', 5), 'item', () => made(text));
    await two.heard();
    expect(two.other.of(subject('a', 5), 'item', neverMade).bytes.toString()).to.equal(text);
  });

  it('go when their maker needs few of them, and those few move', async () => {
    const text = 'x'.repeat(1_000);
    const names = Array.from({ length: 2_000 }, (_, at) => `object-${at}`);
    const put = (forms: SharedForms, name: string): Guest => new Guest(forms.of(subject(name, 1), 'item', () => made(text)));
    const guests = names.map((name) => put(two.one, name));
    await two.heard();
    const readers = names.map((name) => put(two.other, name));
    expect(two.other.counts).to.deep.include({ made: 0, found: names.length });
    const full = two.one.slabs;
    expect(full.bytes).to.be.within(names.length * text.length, 1.1 * names.length * text.length + 6 * slabBytes);
    // One of sixteen stays in each slab.
    for (const [at, guest] of guests.entries()) if (at % 16 !== 0) guest.leave();
    // Full slabs are counted when the next form arrives.
    put(two.one, 'the next');
    await two.heard();
    for (const [at, reader] of readers.entries()) if (at % 16 !== 0) reader.leave();
    // All but those in the last slabs, which may not be full.
    for (const all of [guests, readers]) expect(all.filter(({ moved }, at) => moved && at % 16 === 0).length).to.be.at.least(90);
    for (const { slabs } of [two.one, two.other]) expect(slabs.bytes).to.be.at.most(6 * slabBytes);
  });

  it('are bounded while objects come and go for ever', async () => {
    const text = 'x'.repeat(2_000);
    const kept: Guest[] = [];
    for (let round = 0; round < 40; round++) {
      for (let at = 0; at < 200; at++) kept.push(new Guest(two.one.of(subject(`o-${round}-${at}`, round + 1), 'item', () => made(text))));
      for (const guest of kept.splice(0, kept.length - 100)) guest.leave();
      await two.heard();
      for (const { slabs } of [two.one, two.other]) expect(slabs.bytes).to.be.at.most(12 * slabBytes);
    }
  });

  describe('of several threads', function () {
    this.timeout(120_000);
    const threads = 3;

    /** Runs threads on the same keys, with a limited table. */
    async function work(given: Pick<FormWork, 'steps' | 'keys' | 'versions' | 'waitMs' | 'inStep'>): Promise<readonly FormWorkDone[]> {
      const table = new SharedArrayBuffer(SharedForms.tableBytes);
      const gate = new SharedArrayBuffer(8);
      const peers = threadMesh(threads);
      const workers = peers.map(
        (ports, thread) =>
          new Worker(new URL('./formWorker.js', import.meta.url), {
            workerData: { ...given, table, gate, thread, threads, peers: ports } satisfies FormWork,
            transferList: ports,
          }),
      );
      const done = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as FormWorkDone));
      await Promise.all(workers.map((worker) => worker.terminate()));
      return done;
    }

    it('are never those of another key or version, in any order of work', async () => {
      const done = await work({ steps: 20_000, keys: 300, versions: 20, waitMs: 1, inStep: false });
      for (const { wrong } of done) expect(wrong).to.deep.equal([]);
      expect(done.reduce((sum, { counts }) => sum + counts.found, 0)).to.be.greaterThan(0);
      // Every request made, found or privately made its form.
      for (const { counts, asked } of done) expect(counts.made + counts.found + counts.own).to.equal(asked);
    });

    it('are made once though all ask at the same moment', async () => {
      const keys = 500;
      const done = await work({ steps: keys, keys, versions: 1, waitMs: 60_000, inStep: true });
      for (const { wrong } of done) expect(wrong).to.deep.equal([]);
      const sum = (count: (done: FormWorkDone) => number): number => done.reduce((all, each) => all + count(each), 0);
      // A thread that loses its processor between two words is not waited for.
      expect(sum(({ makes }) => makes)).to.be.within(keys, 1.1 * keys);
      expect(sum(({ counts }) => counts.found)).to.be.at.least(1.9 * keys);
    });
  });
});
