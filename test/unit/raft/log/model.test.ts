import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Entry, LogIndex } from '../../../../raft/types.js';
import { logIndex } from '../../../../raft/types.js';
import { contents, entry, open, snapshot, state } from './entries.js';
import { crashCopy, removeScratch, scratch } from './scratch.js';

type Step =
  | { readonly type: 'append'; readonly back: number; readonly count: number; readonly newTerm: boolean; readonly commit: number }
  | { readonly type: 'compact'; readonly part: number }
  | { readonly type: 'reset'; readonly ahead: number; readonly newTerm: boolean }
  | { readonly type: 'reopen' | 'crash' };

const fraction = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      back: fraction,
      count: fc.nat(6),
      newTerm: fc.boolean(),
      commit: fraction,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('compact' as const), part: fraction }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('reset' as const), ahead: fc.integer({ min: 0, max: 4 }), newTerm: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('reopen' as const, 'crash' as const) }) },
);

/** A minimal model of a log. */
class Model {
  entries: Entry[] = [];
  base = { index: 0, term: 0 };
  term = 0;
  commit = 0;

  get last(): number {
    return this.base.index + this.entries.length;
  }

  termAt(index: number): number {
    return index === this.base.index ? this.base.term : (this.entries[index - this.base.index - 1]?.term ?? -1);
  }

  contents() {
    return {
      state: state(this.term, null, this.commit),
      base: this.base,
      entries: this.entries.map(({ index, term, kind, data }) => `${index}/${term}/${kind}/${Buffer.from(data).toString('base64')}`),
    };
  }
}

describe('raft log against a model', () => {
  afterEach(removeScratch);

  it('agrees after any steps, restarts and crashes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25, size: 'max' }), fc.constantFrom(0, 40, 1e6), (steps, tailBytesMax) => {
        const model = new Model();
        let path = join(scratch(), 'log.db');
        let log = open(path, { tailBytesMax });
        const reopenAt = (next: string) => {
          log.close();
          path = next;
          log = open(path, { tailBytesMax });
        };
        const carryOut: { [T in Step['type']]: (step: Extract<Step, { type: T }>) => void } = {
          append: ({ back, count, newTerm, commit }) => {
            model.term += newTerm || model.term === 0 ? 1 : 0;
            const free = model.last - Math.max(model.commit, model.base.index);
            const first = model.last + 1 - Math.floor(free * back);
            const added = Array.from({ length: count }, (_, place) =>
              entry(first + place, model.term, `${first + place} in ${model.term}`),
            );
            if (count > 0) model.entries = [...model.entries.slice(0, first - model.base.index - 1), ...added];
            model.commit = Math.max(model.commit, Math.floor(model.last * commit));
            log.append({ hardState: state(model.term, null, model.commit), entries: added });
          },
          compact: ({ part }) => {
            const index = model.base.index + Math.floor((model.commit - model.base.index) * part);
            log.compactTo(logIndex(index));
            const base = { index, term: model.termAt(index) };
            model.entries = model.entries.slice(index - model.base.index);
            model.base = base;
          },
          reset: ({ ahead, newTerm }) => {
            const index = Math.max(model.commit, 1) + ahead;
            if (index <= model.base.index) return;
            const term = newTerm ? model.term + 1 : Math.max(1, model.termAt(Math.min(index, model.last)));
            log.resetTo(snapshot(index, term));
            model.entries = model.termAt(index) === term ? model.entries.slice(index - model.base.index) : [];
            model.base = { index, term };
            model.term = Math.max(model.term, term);
            model.commit = Math.max(model.commit, index);
          },
          reopen: () => reopenAt(path),
          crash: () => reopenAt(crashCopy(path)),
        };
        try {
          for (const next of steps) {
            (carryOut[next.type] as (step: Step) => void)(next);
            expect(contents(log)).to.deep.equal(model.contents());
            for (let index = model.base.index; index <= model.last; index += 1)
              expect(log.termAt(index as LogIndex)).to.equal(model.termAt(index));
          }
        } finally {
          log.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
