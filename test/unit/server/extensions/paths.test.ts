import { expect } from 'chai';
import { parseJsonPath } from '../../../../api/jsonPath.js';
import type { JsonValue } from '../../../../api/object.js';
import { pathCell } from '../../../../server/extensions/serving/pathCells.js';
import { compareVersions } from '../../../../server/extensions/versions.js';

const object = {
  metadata: { name: 'one', labels: { 'a.b/c': 'lab' } },
  spec: {
    color: 'red',
    size: 5,
    items: [{ name: 'a', n: 1 }, { name: 'b', n: 2 }, { name: 'c' }],
    map: { y: 'z', x: 1 },
    'odd name': true,
  },
  status: {
    conditions: [
      { type: 'Other', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
    nested: { deep: [{ id: 1 }, { id: 2 }] },
  },
};

const find = (path: string): readonly JsonValue[] | undefined => parseJsonPath(path)?.(object);

describe('extensions/jsonPath', () => {
  for (const [path, found] of [
    ['.spec.color', ['red']],
    ['.spec.none', []],
    ['.spec.color.deeper', []],
    ['.metadata.labels.a\\.b/c', ['lab']],
    [".metadata.labels['a.b/c']", ['lab']],
    ['.spec["odd name"]', [true]],
    ['.spec.items[0].name', ['a']],
    ['.spec.items[-1].name', ['c']],
    ['.spec.items[9].name', []],
    ['.spec.items[*].name', ['a', 'b', 'c']],
    ['.spec.items[].name', ['a', 'b', 'c']],
    ['.spec.map[]', []],
    ['.spec.items[1:].name', ['b', 'c']],
    ['.spec.items[0:2].name', ['a', 'b']],
    ['.spec.items[::2].name', ['a', 'c']],
    ['.spec.items[0,2].name', ['a', 'c']],
    [".spec['color','size']", ['red', 5]],
    ['.spec.map.*', [1, 'z']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['.status.conditions[?(@.type!="Ready")].status', ['False']],
    ['.spec.items[?(@.n>1)].name', ['b']],
    ['.spec.items[?(@.n)].name', ['a', 'b']],
    [".spec.items[?(@.name=='b')].n", [2]],
    ['.status..id', [1, 2]],
    ['..color', ['red']],
    ['$.spec.size', [5]],
  ] as const)
    it(`finds ${JSON.stringify(found)} at ${path}`, () => {
      expect(find(path)).to.deep.equal(found);
    });

  for (const path of ['spec.color', '.spec[', '.spec.items[?(@.n>1].name', '.spec.items[x]', '.a b', '.spec{'])
    it(`cannot read ${path}`, () => {
      expect(find(path)).to.equal(undefined);
    });

  it('is bounded', () => {
    expect(parseJsonPath('.a'.repeat(100_000))).to.equal(null);
    const wide = { a: Array.from({ length: 200_000 }, () => ({ b: {} })) };
    expect(parseJsonPath('..b')?.(wide)).to.have.length.within(1, 200_000);
  });
});

describe('extensions/columns', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  for (const [type, path, value, cell] of [
    ['string', '.v', 'x', 'x'],
    ['string', '.v', 5, '5'],
    ['string', '.v', { y: 'z', x: 1 }, '{"x":1,"y":"z"}'],
    ['string', '.v', [1, 2], '[1,2]'],
    ['string', '.v', null, '<no value>'],
    ['integer', '.v', null, null],
    ['integer', '.v', 5, 5],
    ['integer', '.v', 5.9, 5],
    ['integer', '.v', 'five', null],
    ['number', '.v', 1.5, 1.5],
    ['number', '.v', 'w', null],
    ['boolean', '.v', true, true],
    ['boolean', '.v', 'yes', null],
    ['date', '.v', '2026-01-01T00:00:00Z', '24h'],
    ['date', '.v', '2999-01-01T00:00:00Z', '<invalid>'],
    ['date', '.v', 'never', '<invalid>'],
    ['date', '.v', 5, null],
    ['string', '.w', 'x', null],
    ['nonsense', '.v', 'x', null],
    ['string', 'v', 'x', null],
  ] as const) {
    it(`shows ${JSON.stringify(value)} at ${path} as ${type}: ${JSON.stringify(cell)}`, () => {
      expect(pathCell(path, type)({ metadata: {}, v: value as JsonValue }, now)).to.equal(cell);
    });
  }
});

describe('extensions/versions', () => {
  it('are ordered as clients prefer them', () => {
    const inOrder = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
    expect([...inOrder].reverse().sort(compareVersions)).to.deep.equal(inOrder);
  });
});
