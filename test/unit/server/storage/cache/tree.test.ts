import { expect } from 'chai';
import fc from 'fast-check';
import { encodeStored } from '../../../../../server/storage/encoding.js';
import { ObjectTree, type TreeView } from '../../../../../server/storage/cache/tree.js';
import { compareKeys } from '../../../../../server/storage/matching.js';
import { storedObjectOf, type StoredItem } from '../../../../../server/storage/storedObject.js';
import { configMaps, fields, key, objectFor } from '../suite.js';

const facts = { resource: configMaps, fieldsOf: null };
const item = (namespace: string, name: string, version = 1): StoredItem => {
  const at = key(configMaps, namespace, name);
  return storedObjectOf(facts, at, version, encodeStored(at, objectFor(at)));
};

/** All items of a view from `start`, read in slices. */
function readAll(view: TreeView, start = 0, end = view.size): string[] {
  const read: string[] = [];
  while (start < end) {
    const items = view.slice(start, end);
    if (items.length === 0) throw new Error('a slice was empty');
    start += items.length;
    read.push(...items.map(({ namespace, name, version }) => `${namespace}/${name}@${version}`));
  }
  return read;
}

describe('the tree of objects', () => {
  const namespace = fc.constantFrom('a', 'a-b', 'a.b', 'b');
  const operation = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('set' as const),
        namespace,
        from: fc.nat({ max: 400 }),
        count: fc.nat({ max: 90 }),
        step: fc.constantFrom(1, -1, 7),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        namespace,
        from: fc.nat({ max: 400 }),
        count: fc.nat({ max: 120 }),
        step: fc.constantFrom(1, -1, 3),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'view' as const }) },
  );

  it('holds what a sorted array would, and frozen views never change', function () {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 25, size: 'max' }), (operations) => {
        const tree = new ObjectTree();
        const views: { readonly view: TreeView; readonly lines: readonly string[] }[] = [];
        const expected = new Map<string, StoredItem>();
        let version = 0;
        for (const next of operations) {
          if (next.do === 'view') {
            views.push({ view: tree.view(), lines: linesOf(expected) });
            continue;
          }
          for (let i = 0; i < next.count; i++) {
            const name = `n${String(Math.abs(next.from + i * next.step)).padStart(4, '0')}`;
            const id = `${next.namespace}/${name}`;
            const before = expected.get(id) ?? null;
            const stored = item(next.namespace, name, ++version);
            expect(next.do === 'set' ? tree.set(stored) : tree.delete(stored)).to.equal(before);
            if (next.do === 'set') expected.set(id, stored);
            else expected.delete(id);
          }
          expect(readAll(tree)).to.deep.equal(linesOf(expected));
          expect(tree.size).to.equal(expected.size);
        }
        for (const { view, lines } of views) expect(readAll(view)).to.deep.equal(lines);
      }),
      { numRuns: 60 },
    );
  });

  it('finds, ranks and bounds', () => {
    const tree = new ObjectTree();
    for (const name of ['a/x', 'a-b/x', 'a-b/y', 'b/a', 'b/b', 'b/c']) {
      const [ns = '', n = ''] = name.split('/');
      tree.set(item(ns, n));
    }
    expect(readAll(tree)).to.deep.equal(['a-b/x@1', 'a-b/y@1', 'a/x@1', 'b/a@1', 'b/b@1', 'b/c@1']);
    expect(tree.get({ namespace: 'b', name: 'b' })?.name).to.equal('b');
    expect(tree.get({ namespace: 'b', name: 'bb' })).to.equal(null);
    expect(tree.rank({ namespace: 'b', name: 'b' })).to.equal(4);
    expect(tree.rank({ namespace: 'zzz', name: '' })).to.equal(6);
    const all = { namespace: null, labels: [], fields: [] };
    expect(tree.range(all)).to.deep.equal({ start: 0, end: 6 });
    expect(tree.range({ ...all, namespace: 'a' })).to.deep.equal({ start: 2, end: 3 });
    expect(tree.range({ ...all, namespace: 'a-b' })).to.deep.equal({ start: 0, end: 2 });
    expect(tree.range({ ...all, namespace: 'b', fields: fields('metadata.name=b') })).to.deep.equal({ start: 4, end: 5 });
    expect(tree.range({ ...all, namespace: 'b', fields: fields('metadata.name=bb') })).to.deep.equal({ start: 5, end: 5 });
  });

  it('is empty again after everything was deleted', () => {
    const tree = new ObjectTree();
    for (let i = 0; i < 5_000; i++) tree.set(item('a', `n${i}`));
    for (let i = 0; i < 5_000; i++) expect(tree.delete({ namespace: 'a', name: `n${(i * 7) % 5_000}` })).to.not.equal(null);
    expect(tree.size).to.equal(0);
    expect(readAll(tree)).to.deep.equal([]);
    tree.set(item('a', 'x'));
    expect(readAll(tree)).to.deep.equal(['a/x@1']);
  });
});

const linesOf = (objects: ReadonlyMap<string, StoredItem>): string[] =>
  [...objects.values()].sort(compareKeys).map(({ namespace, name, version }) => `${namespace}/${name}@${version}`);
