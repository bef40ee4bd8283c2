import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { applyJsonPatch, checkOperations, copiedBytesMax, movedItemsMax, operationsMax } from '../../../../server/patch/jsonPatch.js';
import { PatchError } from '../../../../server/patch/patchError.js';
import { inOneGo } from '../../../../api/steps.js';

const kindOf = (patch: JsonValue, document: JsonObject = { data: { k: '1' }, list: ['a', 'b'] }): string => {
  try {
    inOneGo(applyJsonPatch(document, patch));
    return 'applied';
  } catch (error) {
    expect(error).to.be.instanceOf(PatchError);
    return (error as PatchError).kind;
  }
};

describe('JSON patch', () => {
  const applied: readonly [string, JsonValue, JsonObject][] = [
    ['adds to the end of a list', [{ op: 'add', path: '/list/-', value: 'c' }], { data: { k: '1' }, list: ['a', 'b', 'c'] }],
    [
      'replaces an absent member, as the reference does',
      [{ op: 'replace', path: '/data/absent', value: 'x' }],
      { data: { k: '1', absent: 'x' }, list: ['a', 'b'] },
    ],
    [
      'moves and copies',
      [
        { op: 'copy', from: '/data', path: '/other' },
        { op: 'move', from: '/list/0', path: '/first' },
      ],
      { data: { k: '1' }, other: { k: '1' }, first: 'a', list: ['b'] },
    ],
    [
      'counts items from the end',
      [
        { op: 'remove', path: '/list/-1' },
        { op: 'add', path: '/list/-1', value: 'z' },
        { op: 'replace', path: '/list/-2', value: 'y' },
      ],
      { data: { k: '1' }, list: ['y', 'z'] },
    ],
    [
      'finds absent members as good as null',
      [
        { op: 'test', path: '/data/absent', value: null },
        { op: 'copy', from: '/data/absent', path: '/data/copied' },
      ],
      { data: { k: '1', copied: null }, list: ['a', 'b'] },
    ],
    ['moves a value onto itself', [{ op: 'move', from: '/data', path: '/data' }], { data: { k: '1' }, list: ['a', 'b'] }],
    [
      'replaces the whole, and finds it',
      [
        { op: 'test', path: '', value: { list: ['a', 'b'], data: { k: '1' } } },
        { op: 'replace', path: '', value: { x: [] } },
        { op: 'add', path: '/x/0', value: 1 },
      ],
      { x: [1] },
    ],
    [
      'unescapes',
      [
        { op: 'add', path: '/data/a~1b~0c', value: 1 },
        { op: 'add', path: '/', value: 2 },
      ],
      { data: { k: '1', 'a/b~c': 1 }, list: ['a', 'b'], '': 2 },
    ],
    ['does nothing for no operations', [], { data: { k: '1' }, list: ['a', 'b'] }],
  ];
  for (const [what, patch, expected] of applied) {
    it(what, () => {
      const document: JsonObject = { data: { k: '1' }, list: ['a', 'b'] };
      expect(inOneGo(applyJsonPatch(document, patch))).to.deep.equal(expected);
      expect(document).to.deep.equal({ data: { k: '1' }, list: ['a', 'b'] });
    });
  }

  const refused: readonly [string, JsonValue, string][] = [
    ['a patch that is no list', { op: 'add' }, 'malformed'],
    ['an operation that is no object', [1], 'malformed'],
    ['a failed test', [{ op: 'test', path: '/data/k', value: 'no' }], 'failed'],
    ['removal of an absent member', [{ op: 'remove', path: '/data/absent' }], 'failed'],
    ['removal beyond the end of a list', [{ op: 'remove', path: '/list/9' }], 'failed'],
    ['an unknown operation', [{ op: 'frobnicate', path: '/data/k' }], 'failed'],
    ['a path through a scalar', [{ op: 'add', path: '/data/k/deeper', value: 1 }], 'failed'],
    ['a path to a prototype', [{ op: 'add', path: '/__proto__/polluted', value: 'yes' }], 'failed'],
    ['a path to a prototype through a constructor', [{ op: 'add', path: '/data/constructor/prototype/polluted', value: 'yes' }], 'failed'],
    ['a copy from beyond the end of a list', [{ op: 'copy', from: '/list/2', path: '/list/0' }], 'failed'],
    ['a move from what is absent', [{ op: 'move', from: '/data/absent', path: '/data/k' }], 'failed'],
    ['a move into what is moved', [{ op: 'move', from: '/data', path: '/data/k' }], 'failed'],
    ['an item behind the end', [{ op: 'add', path: '/list/3', value: 'x' }], 'failed'],
    ['an item before the beginning', [{ op: 'add', path: '/list/-4', value: 'x' }], 'failed'],
    ['a replaced item that is not there', [{ op: 'replace', path: '/list/2', value: 'x' }], 'failed'],
    ['the length of a list', [{ op: 'test', path: '/list/length', value: 2 }], 'failed'],
    ['a path that begins nowhere', [{ op: 'add', path: 'data', value: 1 }], 'failed'],
    ['an added or removed whole', [{ op: 'add', path: '', value: {} }], 'failed'],
    ['a result that is no object', [{ op: 'replace', path: '', value: 3 }], 'failed'],
    ['too many operations', Array.from({ length: operationsMax + 1 }, () => ({ op: 'test', path: '/data/k', value: '1' })), 'tooLarge'],
  ];
  for (const [what, patch, kind] of refused) {
    it(`refuses ${what}`, () => {
      expect(kindOf(patch)).to.equal(kind);
      expect(({} as JsonObject)['polluted']).to.equal(undefined);
    });
  }

  it('gives a result that shares nothing with the patch, which may have to be applied again', () => {
    const patch = [
      { op: 'add', path: '/added', value: { deep: ['x'] } },
      { op: 'replace', path: '', value: { data: { k: ['v'] } } },
      { op: 'add', path: '/more', value: [{}] },
    ];
    const before = structuredClone(patch);
    const result = inOneGo(applyJsonPatch({}, patch as JsonValue)) as { data: { k: string[] }; more: JsonObject[] };
    result.data.k.push('changed');
    result.more.push({ changed: true });
    expect(patch).to.deep.equal(before);
  });

  it('refuses copies that double an object until memory ends', () => {
    const doubling = Array.from({ length: 40 }, (_, round) => ({ op: 'copy', from: '/data', path: `/data/c${round}` }));
    expect(kindOf(doubling, { data: { k: 'x'.repeat(1024) } })).to.equal('tooLarge');
    expect(copiedBytesMax).to.be.at.most(3 * 1024 * 1024);
  });

  it('names members that no operation has, where fields are validated', () => {
    const patch = [{ op: 'add', path: '/a', value: { odd: 1 } }, null, { op: 'test', Path: '/a', more: 1 }];
    expect(checkOperations(patch)).to.deep.equal(['unknown field "[2].Path"', 'unknown field "[2].more"']);
    expect(checkOperations(null)).to.deep.equal([]);
  });

  for (const [patch, why] of [
    [{ op: 'add' }, 'object into Go value of type []handlers.jsonPatchOp'],
    [[5], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: true }], 'bool into Go struct field jsonPatchOp.op of type string'],
    [[{ op: 'add', path: [] }], 'array into Go struct field jsonPatchOp.path of type string'],
  ] as const) {
    it(`takes ${JSON.stringify(patch)} for no patch, where fields are validated`, () => {
      expect(() => checkOperations(patch as unknown as JsonValue)).to.throw(
        PatchError,
        `error decoding patch: json: cannot unmarshal ${why}`,
      );
    });
  }

  it('puts members of objects that it opens in the order of their names (evanphx/json-patch)', () => {
    const document = { kind: 'K', b: { z: 1, a: { z: 1, a: 1 } }, a: { z: 1, a: 1 } };
    const patch = [{ op: 'replace', path: '/b/-', value: { z: 1, a: 1 } }];
    expect(JSON.stringify(inOneGo(applyJsonPatch(document, patch)))).to.equal(
      '{"a":{"z":1,"a":1},"b":{"-":{"z":1,"a":1},"a":{"z":1,"a":1},"z":1},"kind":"K"}',
    );
  });

  it('takes a step for each operation', () => {
    const steps = applyJsonPatch(
      { l: [1, 2, 3] },
      Array.from({ length: 50 }, () => ({ op: 'move', from: '/l/0', path: '/l/2' })),
    );
    expect([...steps]).to.have.length(50);
  });

  it('counts the items that come, go and move, and moves a bounded number of them', () => {
    const items = 50_000;
    const moves = (count: number): JsonValue[] =>
      Array.from({ length: count }, () => ({ op: 'move', from: '/l/0', path: `/l/${items - 1}` }));
    const document = { l: Array.from({ length: items }, (_item, index) => index) };
    const allowed = movedItemsMax / items;
    const moved = inOneGo(applyJsonPatch(document, moves(allowed))) as { l: number[] };
    expect(moved.l[0]).to.equal(allowed);
    expect(() => inOneGo(applyJsonPatch(document, moves(allowed + 1)))).to.throw(PatchError, 'move more than 100000000 items');
    // Appending to a list moves nothing.
    const adding = Array.from({ length: operationsMax }, () => ({ op: 'add', path: '/l/-', value: 0 }));
    expect(inOneGo(applyJsonPatch(document, adding)))
      .to.have.property('l')
      .with.length(items + operationsMax);
  });
});
