import { expect } from 'chai';
import fc from 'fast-check';
import { checkLinearizability } from '../../torture/checks/linearizability.js';
import type { KeyOperation } from '../../torture/checks/history.js';

type Happening = Omit<KeyOperation, 'key' | 'client' | 'startMs' | 'endMs'>;

const at = (startMs: number, endMs: number, happening: object): KeyOperation =>
  ({ key: 'k', client: 'c', startMs, endMs, ...(happening as Happening) }) as KeyOperation;
const created = (value: string, version: number): object => ({ kind: 'create', value, result: 'done', version });
const updated = (value: string, expected: number | null, version: number): object => ({
  kind: 'update',
  value,
  expected,
  result: 'done',
  version,
});
const found = (value: string, version: number): object => ({ kind: 'read', result: 'found', value, version });
const absent = { kind: 'read', result: 'absent' };
const lost = (kind: 'update' | 'delete', expected: number | null, value = ''): object => ({
  kind,
  expected,
  result: 'unknown',
  ...(kind === 'update' ? { value } : {}),
});

const holds = (...operations: readonly KeyOperation[]): boolean => {
  const { findings, undecided } = checkLinearizability(operations);
  expect(undecided).to.deep.equal([]);
  return findings.length === 0;
};

describe('torture/linearizability', () => {
  it('takes a history that one server could have answered in turn', () => {
    expect(
      holds(
        at(0, 1, absent),
        at(2, 3, created('a', 5)),
        at(4, 5, found('a', 5)),
        at(6, 7, updated('b', 5, 8)),
        at(8, 9, { kind: 'update', value: 'c', expected: 5, result: 'conflict' }),
        at(10, 11, { kind: 'delete', expected: 8, result: 'done' }),
        at(12, 13, absent),
        at(14, 15, created('d', 12)),
      ),
    ).to.equal(true);
  });

  it('lets operations that overlap happen in either order', () => {
    expect(holds(at(0, 1, created('a', 1)), at(2, 9, updated('b', 1, 2)), at(3, 4, found('a', 1)), at(5, 6, found('b', 2)))).to.equal(true);
    expect(holds(at(0, 9, created('a', 1)), at(1, 2, absent), at(3, 4, found('a', 1)))).to.equal(true);
  });

  it('notices a stale read', () => {
    expect(holds(at(0, 1, created('a', 1)), at(2, 3, updated('b', 1, 2)), at(4, 5, found('a', 1)))).to.equal(false);
    expect(holds(at(0, 1, created('a', 1)), at(2, 9, updated('b', 1, 2)), at(3, 4, found('b', 2)), at(5, 6, found('a', 1)))).to.equal(
      false,
    );
  });

  it('notices a lost update: two that both went on from the same version', () => {
    expect(holds(at(0, 1, created('a', 1)), at(2, 9, updated('b', 1, 2)), at(2, 9, updated('c', 1, 3)))).to.equal(false);
  });

  it('notices an acknowledged write that is gone', () => {
    expect(holds(at(0, 1, created('a', 1)), at(2, 3, absent))).to.equal(false);
    expect(
      holds(at(0, 1, created('a', 1)), at(2, 3, { kind: 'delete', expected: null, result: 'done' }), at(4, 5, found('a', 1))),
    ).to.equal(false);
  });

  it('notices a refusal without reason, such as that of a write which its server repeated by itself', () => {
    expect(holds(at(0, 1, created('a', 1)), at(2, 3, { kind: 'update', value: 'b', expected: 1, result: 'conflict' }))).to.equal(false);
    expect(holds(at(0, 1, { kind: 'create', value: 'a', result: 'exists' }))).to.equal(false);
  });

  it('notices versions that go back', () => {
    expect(holds(at(0, 1, created('a', 9)), at(2, 3, updated('b', 9, 4)))).to.equal(false);
    expect(holds(at(0, 1, created('a', 9)), at(2, 3, { kind: 'delete', expected: 9, result: 'done' }), at(4, 5, created('b', 7)))).to.equal(
      false,
    );
  });

  it('lets a write without an answer happen late, or never, but not twice and not before it was sent', () => {
    const write = at(2, Infinity, lost('update', 1, 'b'));
    expect(holds(at(0, 1, created('a', 1)), write, at(3, 4, found('a', 1)))).to.equal(true);
    expect(holds(at(0, 1, created('a', 1)), write, at(3, 4, found('a', 1)), at(5, 6, found('b', 2)))).to.equal(true);
    expect(holds(at(0, 1, created('a', 1)), write, at(3, 4, found('b', 2)), at(5, 6, found('a', 1)))).to.equal(false);
    expect(holds(at(0, 1, created('a', 1)), at(1.5, 1.6, found('b', 2)), write)).to.equal(false);
    expect(
      holds(at(0, 1, created('a', 1)), at(2, 2, lost('delete', null)), at(3, 4, absent), at(5, 6, created('c', 4)), at(7, 8, absent)),
    ).to.equal(false);
  });

  it('explains a conflict by a write that nobody saw', () => {
    const conflict = at(5, 6, { kind: 'update', value: 'c', expected: 1, result: 'conflict' });
    expect(holds(at(0, 1, created('a', 1)), at(2, 2, lost('update', 1, 'b')), conflict)).to.equal(true);
    expect(holds(at(0, 1, created('a', 1)), at(2, 2, lost('update', 7, 'b')), conflict)).to.equal(false);
  });

  it('looks at each key alone, and says when it gives up', () => {
    const operations = [at(0, 1, created('a', 1)), { ...at(2, 3, absent), key: 'other' }];
    expect(checkLinearizability(operations).findings).to.deep.equal([]);
    const many = Array.from({ length: 12 }, (_, index) => at(2, 100, updated(`u${index}`, null, 2 + index)));
    expect(checkLinearizability([at(0, 1, created('a', 1)), ...many, at(101, 102, absent)], 50).undecided).to.deep.equal(['k']);
  });

  it('takes whatever an atomic register answers, with any overlap and any answers lost', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            kind: fc.constantFrom('create', 'update', 'delete', 'read'),
            before: fc.nat(20),
            after: fc.nat(20),
            stale: fc.boolean(),
            lost: fc.integer({ min: 0, max: 9 }),
          }),
          { maxLength: 40 },
        ),
        (wanted) => {
          expect(holds(...atomicHistory(wanted))).to.equal(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('notices a change of any answered read to a value from before it began', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 30 }), fc.nat(), (writes, which) => {
        const operations = Array.from({ length: writes }, (_, n) => [
          at(10 * n, 10 * n + 8, n === 0 ? created('v0', 1) : updated(`v${n}`, n, n + 1)),
          at(10 * n + 8.5, 10 * n + 9, found(`v${n}`, n + 1)),
        ]).flat();
        const read = 2 * (1 + (which % (writes - 1))) + 1;
        operations[read] = at(operations[read]!.startMs, operations[read]!.endMs, found(`v${(read - 1) / 2 - 1}`, (read - 1) / 2));
        expect(holds(...operations)).to.equal(false);
      }),
      { numRuns: 50 },
    );
  });
});

interface Wanted {
  readonly kind: string;
  readonly before: number;
  readonly after: number;
  readonly stale: boolean;
  readonly lost: number;
}

/** Atomic operations at times 10, 20, ...; some answers are lost. */
function atomicHistory(wanted: readonly Wanted[]): KeyOperation[] {
  let object: { value: string; version: number; seen: boolean } | null = null;
  return wanted.map(({ kind, before, after, stale, lost: chance }, n) => {
    const time = 10 * (n + 1);
    // A client expects only versions that a client has seen.
    const expected: number | null = stale || object === null || !object.seen ? null : object.version;
    const seen = chance > 0;
    const version = n + 1;
    const value = `v${n}`;
    let happening: object;
    if (kind === 'read') {
      if (object !== null) object.seen = true;
      return at(time - before, time + after, object === null ? absent : found(object.value, object.version));
    }
    if (kind === 'create') {
      happening = object !== null ? { kind, value, result: 'exists' } : created(value, version);
      object ??= { value, version, seen };
    } else if (kind === 'update') {
      happening = object === null ? { kind, value, expected, result: 'absent' } : updated(value, expected, version);
      if (object !== null) object = { value, version, seen };
    } else {
      happening = { kind, expected, result: object === null ? 'absent' : 'done' };
      object = null;
    }
    return at(time - before, time + after, chance === 0 ? { ...happening, result: 'unknown', version: undefined } : happening);
  });
}
