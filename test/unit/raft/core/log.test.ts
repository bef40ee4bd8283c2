import { expect } from 'chai';
import fc from 'fast-check';
import { RaftLog } from '../../../../raft/core/log.js';
import { logIndex, term } from '../../../../raft/types.js';
import type { Entry } from '../../../../raft/types.js';
import { MemoryLog, entry, members } from './harness.js';

type Step = { readonly type: 'append' | 'truncate' | 'commit' | 'save' | 'install' | 'cut'; readonly size: number };

/** The log as a list, with the real one and its disk. */
class Model {
  readonly disk = new MemoryLog();
  readonly log = new RaftLog(this.disk, logIndex(0), 300);
  #entries: Entry[] = [];
  #base = { index: 0, term: 0 };
  #commit = 0;
  #term = 1;

  get #last(): number {
    return this.#base.index + this.#entries.length;
  }

  append(size: number): void {
    const added = Array.from({ length: size }, (_, at) => entry(this.#last + 1 + at, this.#term));
    this.#entries.push(...added);
    this.log.append(added);
  }

  /** Truncates like a follower, with replacements of a newer term. */
  truncate(size: number): void {
    if (this.#last === this.#commit) return;
    const from = this.#last - (size % (this.#last - this.#commit));
    this.#entries = this.#entries.filter(({ index }) => index < from);
    this.log.truncate(logIndex(from));
    this.#term++;
    this.append(1);
  }

  commitSome(size: number): void {
    this.#commit = Math.min(this.#commit + size, this.#last);
    this.log.commitTo(logIndex(this.#commit));
  }

  save(): void {
    const { install, entries } = this.log.hand();
    if (install !== null) {
      this.disk.base = { index: install.index, term: install.term };
      this.disk.stored = [];
    }
    this.disk.put(entries);
    this.log.persisted();
    expect(this.disk.stored.filter(({ index }) => index > this.#base.index)).to.deep.equal(this.#entries);
  }

  install(size: number): void {
    this.#base = { index: this.#commit + 1 + size, term: this.#term };
    this.#entries = [];
    this.#commit = this.#base.index;
    this.log.install({ index: logIndex(this.#base.index), term: term(this.#term), membership: members([]) });
  }

  /** Cuts the log up to a committed and saved entry. */
  cut(size: number): void {
    this.save();
    const to = Math.max(this.#base.index, this.#commit - size);
    this.#base = { index: to, term: this.disk.termAt(logIndex(to)) ?? 0 };
    this.#entries = this.#entries.filter(({ index }) => index > to);
    this.disk.cut(to);
  }

  check(): void {
    const { log } = this;
    expect([log.firstIndex, log.lastIndex, log.commit]).to.deep.equal([this.#base.index + 1, this.#last, this.#commit]);
    expect(log.lastTerm).to.equal(this.#entries.at(-1)?.term ?? this.#base.term);
    for (const item of this.#entries) expect(log.termAt(item.index)).to.equal(item.term);
    expect(log.termAt(this.#last + 1)).to.equal(null);
    expect(log.uncommittedBytes).to.equal(
      this.#entries.filter(({ index }) => index > this.#commit).reduce((sum, { data }) => sum + data.length + 64, 0),
    );
    this.#checkSlices();
  }

  #checkSlices(): void {
    const read: Entry[] = [];
    while (this.#base.index + read.length < this.#last) read.push(...this.log.slice(this.#base.index + read.length + 1, this.#last, 150));
    expect(read).to.deep.equal(this.#entries);
  }
}

describe('the log as the core sees it', () => {
  const step: fc.Arbitrary<Step> = fc.record({
    type: fc.constantFrom('append', 'append', 'append', 'truncate', 'commit', 'commit', 'save', 'save', 'install', 'cut'),
    size: fc.integer({ min: 1, max: 5 }),
  });

  it('is the plain list of entries that it stands for, whatever is in memory, on disk or on its way there', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new Model();
        for (const { type, size } of steps) {
          const act = {
            append: () => model.append(size),
            truncate: () => model.truncate(size),
            commit: () => model.commitSome(size),
            save: () => model.save(),
            install: () => model.install(size),
            cut: () => model.cut(size),
          };
          act[type]();
          model.check();
        }
      }),
      { numRuns: 200 },
    );
  });

  it('refuses gaps, falling terms, and taking back what is committed', () => {
    const log = new RaftLog(new MemoryLog(), logIndex(0), 300);
    log.append([entry(1, 2), entry(2, 2)]);
    log.commitTo(logIndex(2));
    expect(() => log.append([entry(4, 2)])).to.throw('follow one another');
    expect(() => log.append([entry(3, 1)])).to.throw('never go back');
    expect(() => log.truncate(logIndex(2))).to.throw('committed entries are never truncated');
    expect(() => log.commitTo(logIndex(1))).to.throw('never goes back');
    expect(() => log.commitTo(logIndex(3))).to.throw('never passes the log');
    expect(() => log.install({ index: logIndex(2), term: term(2), membership: members([]) })).to.throw(
      'never takes committed entries back',
    );
  });
});
