import { expect } from 'chai';
import type { JsonMembers } from '../../../../../workers/codecs/value.js';
import { compile } from '../../../../../workers/schema/custom/compile.js';
import type { CompileOptions, EmbeddedRules } from '../../../../../workers/schema/custom/contract.js';
import { inOneGo } from '../../../../../api/steps.js';

const spec = (properties: JsonMembers, more: JsonMembers = {}): JsonMembers => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});
const type = { apiVersion: 'a.b/v1', kind: 'Widget' };

/** The result for a received object, and dropped members. */
function received(
  schema: JsonMembers,
  object: JsonMembers,
  options: CompileOptions = {},
): { object: JsonMembers; unknown: readonly string[] } {
  const whole = { ...type, ...object };
  const result = inOneGo(compile(schema, options).receive(whole));
  if (!result.ok) throw new Error(result.message);
  const { apiVersion, kind, ...rest } = whole;
  expect({ apiVersion, kind }).to.deep.equal(type);
  return { object: rest, unknown: result.unknown };
}

const refusal = (schema: JsonMembers, object: JsonMembers): string => {
  const result = inOneGo(compile(schema, {}).receive({ ...type, ...object }));
  return result.ok ? '' : result.message;
};

describe('what is unknown', () => {
  const inner = { type: 'object', properties: { a: { type: 'integer' } } };
  const schema = spec({
    known: { type: 'string' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    half: { type: 'object', properties: { inner }, 'x-kubernetes-preserve-unknown-fields': true },
    list: { type: 'array', items: inner },
    map: { type: 'object', additionalProperties: inner },
    any: { type: 'object', additionalProperties: true },
  });

  it('is dropped at every level, and named in order', () => {
    const { object, unknown } = received(schema, {
      spec: {
        known: 'x',
        odd: 1,
        free: { z: { y: 1 } },
        half: { other: 1, inner: { a: 1, b: 2 } },
        list: [{ a: 1, b: 2 }, 5],
        map: { k: { a: 1, b: 2 } },
        any: { k: { b: 1 }, l: [{ c: 1 }], m: 1 },
      },
      extra: {},
      data: 5,
    });
    expect(object).to.deep.equal({
      spec: {
        known: 'x',
        free: { z: { y: 1 } },
        half: { other: 1, inner: { a: 1 } },
        list: [{ a: 1 }, 5],
        map: { k: { a: 1 } },
        any: { k: {}, l: [{}], m: 1 },
      },
    });
    expect(unknown).to.deep.equal([
      'data',
      'extra',
      'spec.any.k.b',
      'spec.any.l[0].c',
      'spec.half.inner.b',
      'spec.list[0].b',
      'spec.map.k.b',
      'spec.odd',
    ]);
  });

  it('is kept in lists of what is preserved', () => {
    const preserving = spec({ l: { type: 'array', items: { type: 'array', items: inner }, 'x-kubernetes-preserve-unknown-fields': true } });
    expect(received(preserving, { spec: { l: [[{ a: 1, b: { c: 1 } }]] } })).to.deep.equal({
      object: { spec: { l: [[{ a: 1, b: { c: 1 } }]] } },
      unknown: [],
    });
  });

  it('is kept where the whole definition says so', () => {
    expect(received(schema, { odd: 1 }, { preserveUnknownFields: true }).object).to.deep.equal({ odd: 1 });
  });

  it('may have any name', () => {
    const object = JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":1,"toString":1}}') as JsonMembers;
    expect(received(schema, object)).to.deep.equal({
      object: { spec: {} },
      unknown: ['spec.__proto__', 'spec.constructor', 'spec.toString'],
    });
    const known = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","properties":{"a":{"type":"integer","default":3}},"default":{}}}}',
    ) as JsonMembers;
    const whole = { ...type };
    inOneGo(compile(known, {}).receive(whole));
    expect(JSON.stringify(whole)).to.equal('{"apiVersion":"a.b/v1","kind":"Widget","__proto__":{"a":3}}');
  });

  it('is dropped from metadata too', () => {
    const { object, unknown } = received(schema, {
      metadata: { name: 'n', odd: 1, ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', z: 1 }] },
      y: 1,
    });
    expect((object['metadata'] as JsonMembers)['odd']).to.equal(undefined);
    expect(unknown).to.deep.equal(['metadata.odd', 'metadata.ownerReferences[0].z', 'y']);
  });
});

describe('defaults', () => {
  const schema = spec({
    mode: { type: 'string', default: 'auto' },
    nested: {
      type: 'object',
      properties: {
        x: { type: 'integer', default: 7 },
        y: { type: 'object', properties: { z: { type: 'boolean', default: true } }, default: {} },
      },
    },
    list: { type: 'array', items: { type: 'object', properties: { proto: { type: 'string', default: 'TCP' } } } },
    map: { type: 'object', additionalProperties: { type: 'object', properties: { w: { type: 'integer', default: 1 } } } },
  });

  it('are set at every level of what is there', () => {
    expect(received(schema, {}).object).to.deep.equal({});
    expect(received(schema, { spec: {} }).object).to.deep.equal({ spec: { mode: 'auto' } });
    expect(received(schema, { spec: { nested: {}, list: [{}, { proto: 'UDP' }], map: { a: {}, b: { w: 2 } } } }).object).to.deep.equal({
      spec: {
        mode: 'auto',
        nested: { x: 7, y: { z: true } },
        list: [{ proto: 'TCP' }, { proto: 'UDP' }],
        map: { a: { w: 1 }, b: { w: 2 } },
      },
    });
  });

  it('belong to one object each', () => {
    const compiled = compile(spec({ o: { type: 'object', properties: { a: { type: 'integer' } }, default: { a: 1 } } }), {});
    const [one, two]: JsonMembers[] = [
      { ...type, spec: {} },
      { ...type, spec: {} },
    ];
    for (const each of [one, two]) inOneGo(compiled.receive(each as JsonMembers));
    ((one?.['spec'] as JsonMembers)['o'] as JsonMembers)['a'] = 2;
    expect(two?.['spec']).to.deep.equal({ o: { a: 1 } });
  });

  it('has a generation when it comes from storage, as very old objects have none', () => {
    const generationOf = (metadata: JsonMembers): unknown => {
      const object: JsonMembers = { metadata };
      inOneGo(compile({ type: 'object' }, {}).restore(object));
      return (object['metadata'] as JsonMembers)['generation'];
    };
    expect([generationOf({ name: 'n' }), generationOf({ generation: 0 }), generationOf({ generation: 4 })]).to.deep.equal([1, 1, 4]);
  });

  it('are set in what was stored, and not in what was converted', () => {
    const [stored, converted]: JsonMembers[] = [
      { ...type, spec: { odd: 1 } },
      { ...type, spec: { odd: 1 } },
    ];
    inOneGo(compile(schema, {}).restore(stored as JsonMembers));
    inOneGo(compile(schema, {}).receiveConverted(converted as JsonMembers));
    expect(stored?.['spec']).to.deep.equal({ mode: 'auto' });
    expect(converted?.['spec']).to.deep.equal({});
  });
});

describe('nulls', () => {
  const schema = spec({
    n: { type: 'string', nullable: true },
    nd: { type: 'string', nullable: true, default: 'd' },
    d: { type: 'string', default: 'd' },
    p: { type: 'string' },
    l: { type: 'array', items: { type: 'string' } },
    ld: { type: 'array', items: { type: 'string', default: 'i' } },
    m: { type: 'object', additionalProperties: { type: 'string' } },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  });

  for (const [what, given, kept] of [
    ['stay where they may', { n: null, nd: null }, { n: null, nd: null, d: 'd' }],
    ['give way to defaults', { d: null }, { nd: 'd', d: 'd' }],
    ['are dropped where they may not be', { p: null, m: { a: null, b: 'x' } }, { nd: 'd', d: 'd', m: { b: 'x' } }],
    ['stay in lists, unless items have a default', { l: [null], ld: [null] }, { nd: 'd', d: 'd', l: [null], ld: ['i'] }],
    ['stay where nothing is known', { any: { a: null } }, { nd: 'd', d: 'd', any: { a: null } }],
  ] as const)
    it(what, () =>
      expect(received(schema, { spec: structuredClone(given) as unknown as JsonMembers }).object).to.deep.equal({ spec: kept }),
    );
});

describe('embedded objects', () => {
  const schema = spec({
    t: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    m: {
      type: 'object',
      additionalProperties: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
  });
  const rules: EmbeddedRules = {
    kind: (kind) => (kind === 'Bad' ? ['is bad'] : []),
    metadata: (metadata, path) =>
      metadata['name'] === 'bad' ? [{ type: 'FieldValueInvalid', path: `${path}.name`, message: 'Invalid value: "bad": no' }] : [],
  };

  it('have metadata in its form where it is a default, of the whole or of a part', () => {
    const within = (metadata: JsonMembers, more: JsonMembers = {}): JsonMembers => ({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { metadata },
      ...more,
    });
    const whole = { name: 'n', unknown: 'u', finalizers: ['f'] };
    const compiled = compile(
      {
        type: 'object',
        properties: {
          object: { ...within({ type: 'object' }), default: { apiVersion: 'v1', kind: 'K', metadata: whole } },
          metadata: { type: 'object' },
          full: within({ type: 'object', default: whole }, { default: {} }),
          part: within({ type: 'object', default: {}, properties: { name: { type: 'string', default: 'n' } } }, { default: {} }),
          list: { type: 'array', items: within({ type: 'object', default: whole }) },
          map: { type: 'object', additionalProperties: within({ type: 'object', default: whole }) },
        },
      },
      {},
    );
    const object: JsonMembers = { list: [{}], map: { a: {} } };
    inOneGo(compiled.receive(object));
    const metadata = { name: 'n', finalizers: ['f'] };
    expect(object).to.deep.equal({
      object: { apiVersion: 'v1', kind: 'K', metadata },
      full: { metadata },
      part: { metadata: { name: 'n' } },
      list: [{ metadata }],
      map: { a: { metadata } },
    });
  });

  it('have metadata in its form', () => {
    const { object, unknown } = received(schema, {
      spec: {
        t: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', bogus: 1, creationTimestamp: null }, spec: { x: 1 } },
        m: { k: { metadata: { odd: 1 } } },
      },
      z: 1,
    });
    expect(object['spec']).to.deep.equal({
      t: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { x: 1 } },
      m: { k: { metadata: {} } },
    });
    expect(unknown).to.deep.equal(['z', 'spec.t.metadata.bogus', 'spec.m[k].metadata.odd']);
  });

  it('are refused where it does not fit', () => {
    expect(refusal(schema, { spec: { t: { metadata: { labels: { a: 5 } } } } })).to.equal(
      'spec.t.metadata: Invalid value: {"labels":{"a":5}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    expect(refusal(schema, { spec: { m: { k: { metadata: 'text' } } } })).to.equal(
      'spec.m[k].metadata: Invalid value: "text": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    );
    expect(refusal(schema, { spec: { t: { kind: 5 } } })).to.equal('spec.t.kind: Invalid value: 5: must be a string');
    expect(refusal(schema, { metadata: 5 })).to.equal('json: cannot unmarshal number into Go value of type v1.ObjectMeta');
  });

  it('lose what does not fit when they were stored like that', () => {
    const stored: JsonMembers = {
      ...type,
      metadata: { name: 'n', labels: 5 },
      spec: { t: { kind: 5, metadata: { name: 'p', labels: { a: 5 } } } },
    };
    inOneGo(compile(schema, {}).restore(stored));
    expect((stored['metadata'] as JsonMembers)['labels']).to.equal(undefined);
    expect((stored['metadata'] as JsonMembers)['name']).to.equal('n');
    expect(stored['spec']).to.deep.equal({ t: { metadata: { name: 'p' } } });
  });

  it('say which kind they are, and meet the rules of all objects', () => {
    const causes = inOneGo(
      compile(schema, { embedded: rules }).validate({
        spec: { t: {}, m: { a: { apiVersion: 'a/b/c', kind: 'Bad', metadata: { name: 'bad' } }, b: { apiVersion: '', kind: 'Good' } } },
      }),
    );
    expect(causes.map(({ path, message }) => `${path}: ${message}`)).to.deep.equal([
      'spec.t.apiVersion: Required value',
      'spec.t.kind: Required value',
      'spec.m[a].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.m[a].kind: Invalid value: "Bad": is bad',
      'spec.m[a].metadata.name: Invalid value: "bad": no',
      'spec.m[b].apiVersion: Invalid value: "": must not be empty',
    ]);
  });
});
