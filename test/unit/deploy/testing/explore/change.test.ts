import { expect } from 'chai';
import type { KubeObject } from '../../../../../api/meta/object.js';
import { changesFor, changeText, edited, editsOf, schemaOf, type Schema } from '../../../../../deploy/testing/explore/change.js';

const spec = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties: { metadata: { type: 'object' }, spec: { type: 'object', properties, required }, status: { type: 'object', properties } },
});
const object = (value: object): KubeObject => ({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x' }, spec: value }) as KubeObject;
const values = (schema: Schema, value: unknown): unknown[] =>
  editsOf(spec({ it: schema }, ['it']), object(value === undefined ? {} : { it: value }))
    .filter(({ path }) => path.join('.') === 'spec.it')
    .map((edit) => edit.value);

describe('testing/explore/change', () => {
  it('takes other values of a list, both of a boolean, neighbours and limits of a number, and texts within their bounds', () => {
    expect(values({ type: 'string', enum: ['a', 'b', 'c'] }, 'b')).to.deep.equal(['a', 'c']);
    expect(values({ type: 'boolean' }, true)).to.deep.equal([false]);
    expect(values({ type: 'boolean', default: false }, undefined)).to.deep.equal([true]);
    expect(values({ type: 'integer', minimum: 1, maximum: 9 }, 1)).to.deep.equal([2, 9]);
    expect(values({ type: 'integer' }, 0)).to.deep.equal([1]);
    expect(values({ type: 'string', minLength: 1, maxLength: 4 }, 'abcd')).to.deep.equal(['bcdx', 'x', 'xxxx']);
    expect(values({ type: 'string', pattern: '^[a-c]+$' }, 'abc')).to.deep.equal([]);
    expect(values({ type: 'array', items: { type: 'string' } }, ['a', 'b'])).to.deep.equal([['a']]);
    expect(values({ type: 'array', minItems: 2, items: { type: 'string' } }, ['a', 'b'])).to.deep.equal([]);
  });

  it('removes what is not required, goes into objects and items, and leaves status and metadata', () => {
    const schema = spec({ list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } } } } });
    const paths = editsOf(schema, object({ list: [{ on: true }] })).map(({ path }) => path.join('.'));
    expect(paths).to.have.members(['spec.list', 'spec.list', 'spec.list.0.on', 'spec.list.0.on']);
  });

  it('edits copies', () => {
    const before = object({ a: { b: 1 }, list: [{ c: 1 }] });
    const after = edited(before, [
      { path: ['spec', 'a', 'b'], value: 2 },
      { path: ['spec', 'list', 0, 'c'] },
      { path: ['spec', 'd', 'e'], value: 3 },
    ]);
    expect((after as unknown as { spec: unknown }).spec).to.deep.equal({ a: { b: 2 }, list: [{}], d: { e: 3 } });
    expect(before).to.deep.equal(object({ a: { b: 1 }, list: [{ c: 1 }] }));
  });

  it('makes each edit, and sequences of two properties', () => {
    const changes = changesFor([[object({ a: true, b: true }), spec({ a: { type: 'boolean' }, b: { type: 'boolean' } }, ['a', 'b'])]]);
    expect(changes.map(changeText)).to.deep.equal([
      'a/v1 A x: spec.a is set to false',
      'a/v1 A x: spec.b is set to false',
      'a/v1 A x: spec.a is set to false, then spec.b is set to false',
    ]);
  });

  it('finds the schema of a version', () => {
    const versions = ['v1', 'v2'].map((name) => ({ name, schema: { openAPIV3Schema: { type: name } } }));
    const definitions = [{ spec: { group: 'a', names: { kind: 'A' }, versions } }] as unknown as KubeObject[];
    expect(schemaOf(definitions, object({}))?.type).to.equal('v1');
    expect(schemaOf(definitions, { ...object({}), apiVersion: 'b/v1' })).to.equal(undefined);
  });
});
