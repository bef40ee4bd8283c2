import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { PatchError } from '../../../../server/patch/patchError.js';
import { applyStrategicPatch, mergedInStep, type PatchField, type PatchType } from '../../../../server/patch/strategic.js';
import { inOneGo } from '../../../../api/steps.js';

const type = (fields: Record<string, Partial<PatchField>>): PatchType => ({
  name: 'Spec',
  field: (name) => (fields[name] === undefined ? undefined : { strategies: [], mergeKey: null, isList: true, type: null, ...fields[name] }),
});
const env = type({});
const container = type({ env: { strategies: ['merge'], mergeKey: 'name', type: env }, args: {} });
const podSpec = type({
  containers: { strategies: ['merge'], mergeKey: 'name', type: container },
  tolerations: {},
  initContainers: { strategies: ['merge'], mergeKey: 'name', type: container },
  finalizers: { strategies: ['merge'] },
  strategy: { strategies: ['retainKeys'], type: type({}) },
  nodeSelector: { strategies: ['replace'] },
});

interface Case {
  readonly what: string;
  readonly live: JsonObject;
  readonly patch: JsonObject;
  readonly expected: JsonObject;
}
const c = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more });

const cases: readonly Case[] = [
  {
    what: 'merges items by their key and keeps the rest',
    live: { containers: [c('a', { image: '1', args: ['x'] }), c('b')] },
    patch: { containers: [c('a', { image: '2' })] },
    expected: { containers: [c('a', { image: '2', args: ['x'] }), c('b')] },
  },
  {
    what: 'puts a new item before those that only the server has',
    live: { containers: [c('a'), c('b')] },
    patch: { containers: [c('new')] },
    expected: { containers: [c('new'), c('a'), c('b')] },
  },
  {
    what: 'deletes an item',
    live: { containers: [c('a'), c('b')] },
    patch: { containers: [c('a', { $patch: 'delete' })] },
    expected: { containers: [c('b')] },
  },
  {
    what: 'replaces a list',
    live: { containers: [c('a'), c('b')] },
    patch: { containers: [{ $patch: 'replace' }, c('only')] },
    expected: { containers: [c('only')] },
  },
  {
    what: 'orders a list as the directive says',
    live: { containers: [c('a'), c('b')] },
    patch: { '$setElementOrder/containers': [c('z'), c('b'), c('a')], containers: [c('z')] },
    expected: { containers: [c('z'), c('b'), c('a')] },
  },
  {
    what: 'merges nested lists',
    live: { containers: [c('a', { env: [c('A', { value: '1' }), c('B')] })] },
    patch: { containers: [c('a', { env: [c('B', { value: '3' }), c('C')] })] },
    expected: { containers: [c('a', { env: [c('A', { value: '1' }), c('B', { value: '3' }), c('C')] })] },
  },
  {
    what: 'replaces lists that do not merge',
    live: { tolerations: [{ key: 'a' }] },
    patch: { tolerations: [{ key: 'b' }] },
    expected: { tolerations: [{ key: 'b' }] },
  },
  {
    what: 'finds no directives in lists that do not merge',
    live: { tolerations: [{ key: 'a' }] },
    patch: { tolerations: [{ key: 'a', $patch: 'delete' }] },
    expected: { tolerations: [{ key: 'a', $patch: 'delete' }] },
  },
  {
    what: 'joins lists of scalars',
    live: { finalizers: ['a', 'b'] },
    patch: { finalizers: ['b', 'c'] },
    expected: { finalizers: ['a', 'b', 'c'] },
  },
  {
    what: 'turns lists of scalars round under an empty order (normalizeSliceOrder in strategicpatch/patch.go)',
    live: {},
    patch: { finalizers: ['a', 'b', 'c'], '$setElementOrder/finalizers': [] },
    expected: { finalizers: ['c', 'b', 'a'] },
  },
  {
    what: 'deletes from lists of scalars',
    live: { finalizers: ['a', 'b'] },
    patch: { '$deleteFromPrimitiveList/finalizers': ['a'] },
    expected: { finalizers: ['b'] },
  },
  {
    what: 'retains only the named members',
    live: { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    expected: { strategy: { type: 'Recreate' } },
  },
  {
    what: 'replaces and deletes maps',
    live: { labels: { a: '1' }, other: { b: '2' } },
    patch: { labels: { $patch: 'replace', c: '3' }, other: { $patch: 'delete' } },
    expected: { labels: { c: '3' }, other: {} },
  },
  {
    what: 'removes members by null and drops nulls that meet nothing',
    live: { x: 1, y: 2 },
    patch: { x: null, z: { deep: null, kept: 1 } },
    expected: { y: 2, z: { kept: 1 } },
  },
  {
    what: 'takes new items as they stand, but for objects with a directive in new members',
    live: { containers: [c('a')] },
    patch: { containers: [c('b', { $retainKeys: ['x'], args: null })], other: { $retainKeys: [], gone: { $patch: 'replace', a: 1 } } },
    expected: { containers: [c('b', { $retainKeys: ['x'], args: null }), c('a')], other: { $retainKeys: [] } },
  },
  {
    what: 'merges objects that are deleted as scalars would be',
    live: { containers: [c('a')] },
    patch: { '$deleteFromPrimitiveList/containers': [c('a', { image: '1' })], '$deleteFromPrimitiveList/none': ['a'] },
    expected: { containers: [c('a', { image: '1' })] },
  },
  {
    what: 'merges items whose key is null',
    live: { containers: [c('a')] },
    patch: { containers: [{ name: null, image: '1' }] },
    expected: { containers: [{ name: null, image: '1' }, c('a')] },
  },
  {
    what: 'keeps nulls in new lists that have an order, and drops them in others',
    live: {},
    patch: { '$setElementOrder/containers': [], containers: [{ name: null, image: '1' }], initContainers: [{ name: null, image: '1' }] },
    expected: { containers: [{ name: null, image: '1' }], initContainers: [{ image: '1' }] },
  },
];

describe('strategic merge patch', () => {
  for (const { what, live, patch, expected } of cases) {
    it(what, () => {
      const [before, asked] = [structuredClone(live), structuredClone(patch)];
      expect(inOneGo(applyStrategicPatch(live, patch, podSpec))).to.deep.equal(expected);
      expect([live, patch]).to.deep.equal([before, asked]);
    });
  }

  const refused: readonly [string, JsonObject, RegExp][] = [
    [
      'an unknown directive',
      { containers: [c('a', { $patch: 'explode' })] },
      /unknown patch type: explode in map: map\[\$patch:explode name:a\]/,
    ],
    ['an item without its key', { containers: [{ image: 'nokey' }] }, /map: map\[image:nokey\] does not contain declared merge key: name/],
    ['an order that is no list', { $setElementOrder: 1 }, /expected a \[\]interface \{\}, but received a int64/],
    ['members outside $retainKeys', { strategy: { $retainKeys: ['type'], other: 1 } }, /retainKeys/],
    ['a directive of the wrong type', { $patch: 1 }, /unknown patch type: %!s\(int64=1\) in map: map\[\$patch:1\]/],
    ['items of several types', { containers: ['a'] }, /list element types are not identical: \[\[map\[name:a\]\] \[a\]\]/],
    ['objects where scalars merge', { finalizers: [{}] }, /cannot merge lists without merge key for struct/],
    ['scalars where objects merge', { initContainers: ['a'] }, /expected a map\[string\]interface \{\}, but received a string/],
    ['a merge directive of an item', { containers: [c('a', { $patch: 'merge' })] }, /merging lists cannot yet be specified in the patch/],
    [
      'an order without keys',
      { '$setElementOrder/containers': [{}], containers: [c('a')] },
      /map: map\[\] does not contain declared merge key/,
    ],
    ['an order of nothing', { '$setElementOrder/finalizers': [], finalizers: [] }, /no elements in any of the given slices/],
    [
      'an order for null',
      { '$setElementOrder/containers': [], containers: null },
      /expected a \[\]interface \{\}, but received a %!s\(<nil>\)/,
    ],
    ['other members outside $retainKeys', { strategy: { $retainKeys: ['type'], other: 1 } }, /retainKeys/],
  ];
  for (const [what, patch, message] of refused) {
    it(`refuses ${what}`, () =>
      expect(() =>
        inOneGo(applyStrategicPatch({ containers: [c('a')], initContainers: [], finalizers: [], strategy: {} }, patch, podSpec)),
      ).to.throw(PatchError, message));
  }

  it('never touches a prototype', () => {
    const patch = JSON.parse('{"labels":{"__proto__":{"polluted":"yes"},"constructor":"x"}}') as JsonObject;
    const result = inOneGo(applyStrategicPatch({ labels: { a: '1' } }, patch, podSpec));
    expect(Object.keys(result['labels'] as JsonObject)).to.have.members(['a', '__proto__', 'constructor']);
    expect(({} as JsonObject)['polluted']).to.equal(undefined);
  });

  it('stops again and again in wide objects and long lists', () => {
    const wide = Object.fromEntries(Array.from({ length: 10 * mergedInStep }, (_item, index) => [`m${index}`, 'x']));
    expect([...applyStrategicPatch({ labels: {} }, { labels: wide }, podSpec)].length).to.be.at.least(10);
    const containers = Array.from({ length: 10 * mergedInStep }, (_item, index) => ({ name: `c${index}`, image: 'i' }));
    const patch = { containers: containers.map(({ name }) => ({ name, image: 'j' })) };
    expect([...applyStrategicPatch({ containers }, patch, podSpec)].length).to.be.at.least(10);
  });
});
