import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { ListItemError } from '../../../../../server/patch/apply/items.js';
import { respelledFields } from '../../../../../server/patch/apply/respelled.js';
import { leaf, type Schema } from '../../../../../server/patch/apply/schema.js';

const struct = (fields: Readonly<Record<string, Schema>>, atomic = false): Schema => ({
  kind: 'struct',
  atomic,
  field: (name) => fields[name],
  always: [],
});
const listOf = (element: Schema): Schema => ({ kind: 'list', relationship: 'atomic', element });
const size = struct({ value: leaf });
const schema = struct({
  sizes: listOf(size),
  byName: {
    kind: 'list',
    relationship: 'map',
    keys: [{ name: 'name', default: null }],
    element: struct({ sizes: listOf(size), one: leaf, whole: struct({ one: size }, true) }),
  },
  whole: struct({ sizes: listOf(size), one: size }, true),
  raw: leaf,
  open: { kind: 'map', atomic: false, element: listOf(size) },
});
const sent: JsonObject = {
  sizes: [{ value: 'a' }, { value: 'b' }],
  byName: [{ name: 'x', one: 'a', whole: { one: { value: 'a' } } }, { name: 'y', sizes: [{ value: 'a' }] }, {}],
  whole: { sizes: [{ value: 'a' }], one: { value: 'a' } },
  open: { k: [{ value: 'a' }] },
  raw: [{ value: 'a' }],
};
const fields = (...paths: (string | number)[][]): unknown => respelledFields(paths, sent, schema).toFieldsV1();

describe('fields of respelled values', () => {
  it('are the atomic lists around them, wherever those are', () => {
    expect(fields(['sizes', 1, 'value'])).to.deep.equal({ 'f:sizes': {} });
    expect(fields(['byName', 1, 'sizes', 0, 'value'])).to.deep.equal({ 'f:byName': { 'k:{"name":"y"}': { 'f:sizes': {} } } });
    expect(fields(['open', 'k', 0, 'value'])).to.deep.equal({ 'f:open': { 'f:k': {} } });
    expect(fields(['raw', 0, 'value'])).to.deep.equal({ 'f:raw': {} });
  });

  it('are atomic structures with a list in between', () => {
    expect(fields(['whole', 'sizes', 0, 'value'])).to.deep.equal({ 'f:whole': {} });
    expect(fields(['whole', 'one', 'value'])).to.deep.equal({});
  });

  it('are none where each member has its own owner', () => {
    expect(fields(['byName', 0, 'one'])).to.deep.equal({});
    expect(fields(['byName', 0, 'whole', 'one', 'value'])).to.deep.equal({});
    expect(fields()).to.deep.equal({});
  });

  it('come together', () => {
    expect(fields(['sizes', 0, 'value'], ['sizes', 1, 'value'], ['open', 'k', 0])).to.deep.equal({
      'f:sizes': {},
      'f:open': { 'f:k': {} },
    });
  });

  it('cannot be named in items without a key', () => {
    expect(() => fields(['byName', 2, 'sizes', 0, 'value'])).to.throw(ListItemError);
  });
});
