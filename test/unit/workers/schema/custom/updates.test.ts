import { expect } from 'chai';
import type { Json, JsonMembers } from '../../../../../workers/codecs/value.js';
import { compile } from '../../../../../workers/schema/custom/compile.js';
import { inOneGo } from '../../../../../api/steps.js';

/** Paths of the errors in an update of the member `v`. */
const changed = (schema: JsonMembers, old: Json, value: Json): string[] =>
  inOneGo(compile({ type: 'object', properties: { v: schema } }, {}).validateUpdate({ v: value }, { v: old })).map(
    ({ path, type }) => `${path} ${type.replace('FieldValue', '')}`,
  );

const text = { type: 'string', minLength: 3 };
const item = { type: 'object', properties: { k: { type: 'string' }, t: text } };
const keyed = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
const plain = { type: 'array', items: item };

describe('updates of what was wrong before', () => {
  for (const [what, schema, old, value, ...causes] of [
    ['accept what has not changed', text, 'a', 'a'],
    ['refuse what has changed', text, 'a', 'b', 'v Invalid'],
    ['accept members that have not changed', { type: 'object', properties: { a: text, b: text } }, { a: 'x' }, { a: 'x', b: 'long' }],
    ['refuse members that are new', { type: 'object', properties: { a: text, b: text } }, { a: 'x' }, { a: 'x', b: 'y' }, 'v.b Invalid'],
    [
      'refuse an object that has changed and still lacks something',
      { type: 'object', required: ['r'], properties: { a: text } },
      { a: 'long' },
      { a: 'longer' },
      'v.r Required',
    ],
    [
      'accept an object that still lacks something',
      { type: 'object', required: ['r'], properties: { a: text } },
      { a: 'long' },
      { a: 'long' },
    ],
    ['accept entries of maps that have not changed', { type: 'object', additionalProperties: text }, { a: 'x' }, { a: 'x', b: 'long' }],
    [
      'know items by their keys',
      keyed,
      [
        { k: 'a', t: 'x' },
        { k: 'b', t: 'y' },
      ],
      [
        { k: 'b', t: 'y' },
        { k: 'a', t: 'z' },
      ],
      'v[1].t Invalid',
    ],
    ['know no items of plain lists', plain, [{ t: 'x' }], [{ t: 'x' }, { t: 'long' }], 'v[0].t Invalid'],
    ['accept plain lists that have not changed', plain, [{ t: 'x' }, { t: 'y' }], [{ t: 'x' }, { t: 'y' }]],
    [
      'know no items of atomic lists',
      { ...plain, 'x-kubernetes-list-type': 'atomic' },
      [{ t: 'x' }],
      [{ t: 'x' }, { t: 'long' }],
      'v[0].t Invalid',
    ],
    ['accept atomic lists that have not changed', { ...plain, 'x-kubernetes-list-type': 'atomic' }, [{ t: 'x' }], [{ t: 'x' }]],
    [
      'accept members below conditions',
      { type: 'object', properties: { a: { type: 'string' } }, allOf: [{ properties: { a: { minLength: 3 } } }] },
      { a: 'x', b: 1 },
      { a: 'x', b: 2 },
    ],
    ['accept keys twice if they were so before', keyed, [{ k: 'a' }, { k: 'a' }], [{ k: 'a' }, { k: 'a' }, { k: 'a' }]],
    ['refuse keys twice that are new', keyed, [{ k: 'a' }], [{ k: 'a' }, { k: 'a' }], 'v[1] Duplicate'],
    [
      'compare objects whatever the order of their members',
      { type: 'object', required: ['r'], properties: { a: text, b: { type: 'integer' } } },
      { a: 'x', b: 1 },
      { b: 1, a: 'x' },
    ],
    [
      'compare keyed lists whatever the order of their items',
      { type: 'object', required: ['r'], properties: { l: keyed } },
      { l: [{ k: 'a' }, { k: 'b', t: 'long' }] },
      { l: [{ k: 'b', t: 'long' }, { k: 'a' }] },
    ],
    [
      'take keyed lists as changed in which a key is another one',
      { type: 'object', required: ['r'], properties: { l: keyed } },
      { l: [{ k: 'a' }, { k: 'b' }] },
      { l: [{ k: 'a' }, { k: 'c' }] },
      'v.r Required',
    ],
    [
      'take sets as changed in another order',
      { type: 'object', required: ['r'], properties: { l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } } },
      { l: ['a', 'b'] },
      { l: ['b', 'a'] },
      'v.r Required',
    ],
    [
      'take objects as changed that have members of which nothing is known',
      { type: 'object', required: ['r'], properties: { a: text }, 'x-kubernetes-preserve-unknown-fields': true },
      { a: 'long', b: 1 },
      { a: 'long', b: 1 },
      'v.r Required',
    ],
    [
      'find no item again that lacks one of its keys',
      { ...keyed, 'x-kubernetes-list-map-keys': ['k', 't'] },
      [{ t: 'x' }],
      [{ t: 'x' }, { k: 'b', t: 'long' }],
      'v[0].t Invalid',
    ],
  ] as readonly (readonly [string, JsonMembers, Json, Json, ...string[]])[])
    it(what, () => expect(changed(schema, old, value)).to.deep.equal(causes));

  it('look anew at the version and the kind of an object, which are those of the request before and after', () => {
    const schema = compile({ type: 'object', properties: { apiVersion: { type: 'string', pattern: '/v1$' }, a: { type: 'integer' } } }, {});
    const at = (version: string, a: number): JsonMembers => ({ apiVersion: `example.com/${version}`, kind: 'K', metadata: {}, a });
    const causes = (version: string): string[] => inOneGo(schema.validateUpdate(at(version, 2), at(version, 1))).map(({ path }) => path);
    expect([causes('v1'), causes('v2')]).to.deep.equal([[], ['apiVersion']]);
  });

  it('compare numbers of any size', () => expect(changed({ type: 'integer', maximum: 5 }, 2n ** 60n, 2n ** 60n)).to.deep.equal([]));
});
