import { expect } from 'chai';
import type { JsonMembers } from '../../../../../workers/codecs/value.js';
import { compile } from '../../../../../workers/schema/custom/compile.js';
import type { MergeSchema } from '../../../../../workers/schema/custom/contract.js';

const metadata: MergeSchema = { kind: 'struct', atomic: false, field: () => undefined, always: [] };
const root = (properties: JsonMembers): MergeSchema => compile({ type: 'object', properties }, {}).mergeTypes(metadata);

const text: MergeSchema = { kind: 'leaf', scalar: 'string' };

/** A member's type, with field names resolved. */
function member(schema: MergeSchema, name: string): MergeSchema | undefined {
  return schema.kind === 'struct' ? schema.field(name) : undefined;
}

describe('types for the ownership of fields', () => {
  it('know kind and metadata of whole objects, wherever they are', () => {
    const schema = root({ t: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } });
    const embedded = member(schema, 't') as MergeSchema;
    for (const each of [schema, embedded]) {
      expect(member(each, 'kind')).to.deep.equal(text);
      expect(member(each, 'metadata')).to.equal(metadata);
    }
    expect(member(schema, 'other')).to.equal(undefined);
    expect(member(embedded, 'other')).to.equal(undefined);
    expect([schema, embedded].map((each) => each.kind === 'struct' && each.open)).to.deep.equal([false, true]);
  });

  for (const [what, schema, expected] of [
    ['texts', { type: 'string' }, text],
    ['numbers', { type: 'integer' }, { kind: 'leaf', scalar: 'numeric' }],
    ['truths', { type: 'boolean' }, { kind: 'leaf', scalar: 'boolean' }],
    // A schema without a type takes any (parseSchema in kube-openapi/schemaconv).
    ['numbers or texts', { 'x-kubernetes-int-or-string': true }, { kind: 'unknown' }],
    ['anything', { 'x-kubernetes-preserve-unknown-fields': true }, { kind: 'unknown' }],
    ['objects of which nothing is known', { type: 'object' }, { kind: 'map', atomic: false, element: { kind: 'unknown' } }],
    [
      'maps',
      { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
      { kind: 'map', atomic: true, element: text },
    ],
    ['lists', { type: 'array', items: { type: 'string' } }, { kind: 'list', relationship: 'atomic', element: text }],
    [
      'sets',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      { kind: 'list', relationship: 'set', element: text },
    ],
  ] as readonly (readonly [string, JsonMembers, unknown])[])
    it(`of ${what}`, () => expect(member(root({ v: schema }), 'v')).to.deep.equal(expected));

  it('of keyed lists, with the defaults of keys', () => {
    const list = member(
      root({
        v: {
          type: 'array',
          items: { type: 'object', properties: { k: { type: 'string' }, p: { type: 'integer', default: 80 } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'p'],
        },
      }),
      'v',
    );
    expect(list).to.deep.include({
      kind: 'list',
      relationship: 'map',
      keys: [
        { name: 'k', default: null },
        { name: 'p', default: 80 },
      ],
    });
  });

  it('of what nothing prunes, with members that nobody describes', () => {
    const types = compile(
      { properties: { spec: { properties: { a: { type: 'string' } }, type: 'object' } } },
      { preserveUnknownFields: true },
    );
    const merged = types.mergeTypes({ kind: 'unknown' });
    expect(merged).to.deep.include({ kind: 'struct', open: true });
    expect(member(merged, 'spec')).to.deep.include({ kind: 'struct', open: true });
  });
});
