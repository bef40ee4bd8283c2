import { expect } from 'chai';
import type { Json, JsonMembers } from '../../../../../workers/codecs/value.js';
import { compile } from '../../../../../workers/schema/custom/compile.js';
import { causesMax, keepsRulesFromRunning, type Cause } from '../../../../../workers/schema/custom/contract.js';
import { inOneGo, type Steps } from '../../../../../api/steps.js';

/** Errors for a member `v` with this schema, as `path reason message`. */
const causesOf = (schema: JsonMembers, value: Json): string[] =>
  lines(compile({ type: 'object', properties: { v: schema } }, {}).validate({ v: value }));
const lines = (causes: Steps<Cause[]>): string[] =>
  inOneGo(causes).map(({ path, type, message }) => `${path} ${type.replace('FieldValue', '')} ${message}`);

const typed = 'v TypeInvalid Invalid value:';
const body = 'v Invalid Invalid value:';
const plain = '<nil> Invalid Invalid value: "":';

type Row = readonly [what: string, schema: JsonMembers, value: Json, ...causes: string[]];

const rows: readonly Row[] = [
  ['a text for a number', { type: 'integer' }, 'x', `${typed} "string": v in body must be of type integer: "string"`],
  [
    'a fraction for a whole number',
    { type: 'integer' },
    1.5,
    `${typed} "number": v in body must be of type integer: "number"`,
    `${plain} Checked value must be of type integer (default format) in v`,
  ],
  [
    'a whole number beyond 64 bits',
    { type: 'integer' },
    1e30,
    `${typed} "number": v in body must be of type integer: "number"`,
    `${plain} Checked value must be of type integer (default format) in v`,
  ],
  ['a whole number of 64 bits', { type: 'integer' }, 2n ** 62n],
  ['a whole number for any', { type: 'number' }, 3],
  [
    'too large for its format',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    `${plain} Checked value must be of type integer with format int32 in v`,
  ],
  [
    'too large for a float',
    { type: 'number', format: 'float' },
    1e39,
    `${plain} Checked value must be of type number with format float in v`,
  ],
  ['truth for a number with a format', { type: 'integer', format: 'int32' }, true, `${typed} "": v in body must be of type int32: ""`],
  ['a number for a text with a format', { type: 'string', format: 'date' }, 5, `${typed} "int64": v in body must be of type date: "int64"`],
  ['a list for a text with a format, which nobody looks at', { type: 'string', format: 'date' }, [1]],
  ['null', { type: 'string' }, null, `${typed} "null": v in body must be of type string: "null"`],
  ['null where it is allowed', { type: 'string', nullable: true }, null],
  [
    'null is none of the values',
    { type: 'string', nullable: true, enum: ['a'] },
    null,
    'v NotSupported Unsupported value: null: supported values: "a"',
  ],
  ['a format that nobody knows', { type: 'string', format: 'colour' }, 'x'],
  ['a format of another type', { type: 'integer', format: 'date' }, 1],
  ['none of the values', { type: 'string', enum: ['a', 'b'] }, 'c', 'v NotSupported Unsupported value: "c": supported values: "a", "b"'],
  ['none of the numbers', { type: 'integer', enum: [1, 2] }, 3, 'v NotSupported Unsupported value: 3: supported values: "1", "2"'],
  ['one of the values', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 }],
  ['too long, in code points', { type: 'string', maxLength: 3 }, '😀😀😀😀', 'v TooLong Too long: may not be more than 3 bytes'],
  ['longer than nothing may be', { type: 'string', maxLength: -1 }, '', 'v TooLong Too long: value is too long'],
  ['as long as may be, in code points', { type: 'string', maxLength: 3 }, '😀😀😀'],
  ['too short', { type: 'string', minLength: 3 }, '😀😀', `${body} "😀😀": v in body should be at least 3 chars long`],
  ['a wrong pattern', { type: 'string', pattern: '^[a-z]+$' }, 'A', `${body} "A": v in body should match '^[a-z]+$'`],
  [
    'too long is all that is said',
    { type: 'string', maxLength: 1, pattern: '^a$' },
    'bb',
    'v TooLong Too long: may not be more than 1 byte',
  ],
  ['a wrong format', { type: 'string', format: 'date-time' }, 'now', `${typed} "now": v in body must be of type date-time: "now"`],
  ['too small', { type: 'integer', minimum: 2 }, 1, `${body} 1: v in body should be greater than or equal to 2`],
  ['not more', { type: 'integer', minimum: 2, exclusiveMinimum: true }, 2, `${body} 2: v in body should be greater than 2`],
  ['too large', { type: 'integer', maximum: 2_000_000 }, 2_000_001, `${body} 2000001: v in body should be less than or equal to 2000000`],
  [
    'too large a fraction',
    { type: 'number', maximum: 2_000_000 },
    2_000_000.5,
    `${body} 2.0000005e+06: v in body should be less than or equal to 2e+06`,
  ],
  ['not less', { type: 'number', maximum: 0.5, exclusiveMaximum: true }, 0.5, `${body} 0.5: v in body should be less than 0.5`],
  [
    'a bound that is no whole number',
    { type: 'integer', maximum: 2.5 },
    2,
    `${plain} Maximum boundary value must be of type integer (default format) in v`,
  ],
  ['no multiple', { type: 'integer', multipleOf: 3 }, 4, `${body} 4: v in body should be a multiple of 3`],
  ['a multiple of a fraction', { type: 'number', multipleOf: 0.1 }, 0.3],
  [
    'a whole number, of which a fraction is no factor',
    { type: 'number', multipleOf: 0.5 },
    3,
    `${body} 0: factor MultipleOf declared for v must be positive: 0`,
  ],
  [
    'a large number whose bound is no whole number',
    { type: 'integer', maximum: 2.5, minimum: 3e9 },
    2_147_483_648,
    `${body} 2147483648: v in body should be greater than or equal to 3000000000`,
    `${plain} Maximum boundary value must be of type integer (default format) in v`,
    `${body} 2.147483648e+09: v in body should be less than or equal to 2.5`,
  ],
  ['no multiple of a fraction', { type: 'number', multipleOf: 0.1 }, 0.35, `${body} 0.35: v in body should be a multiple of 0.1`],
  ['too few items', { type: 'array', items: { type: 'integer' }, minItems: 2 }, [1], `${body} 1: v in body should have at least 2 items`],
  ['too many items', { type: 'array', items: { type: 'integer' }, maxItems: 1 }, [1, 2], 'v TooMany Too many: 2: must have at most 1 item'],
  [
    'items twice',
    { type: 'array', items: { type: 'integer' }, uniqueItems: true },
    [1, 1],
    `${body} "": v in body shouldn't contain duplicates`,
  ],
  [
    'a wrong item',
    { type: 'array', items: { type: 'integer' } },
    [1, 'x'],
    'v[1] TypeInvalid Invalid value: "string": v[1] in body must be of type integer: "string"',
  ],
  [
    'something missing',
    { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' } } },
    { a: '' },
    'v.b Required Required value',
  ],
  ['a name of every object that is missing', { type: 'object', required: ['constructor'] }, {}, 'v.constructor Required Required value'],
  [
    'several members of which none may be there',
    { type: 'object', additionalProperties: false },
    { a: 1, b: 2 },
    `${body} "a": v.a in body is a forbidden property`,
    `${body} "b": v.b in body is a forbidden property`,
  ],
  [
    'too few members, and which of them are missing',
    { type: 'object', minProperties: 1, required: ['a'] },
    {},
    `${body} 0: v in body should have at least 1 properties`,
    'v.a Required Required value',
  ],
  [
    'too many members, and which of them are wrong',
    { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    { a: 1, b: 'x' },
    'v TooMany Too many: 2: must have at most 1 item',
    'v.a TypeInvalid Invalid value: "integer": v.a in body must be of type string: "integer"',
  ],
  [
    'a member that may not be',
    { type: 'object', additionalProperties: false },
    { a: 1 },
    `${body} "a": v.a in body is a forbidden property`,
  ],
  [
    'a wrong member of a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { a: 1 },
    'v.a TypeInvalid Invalid value: "integer": v.a in body must be of type string: "integer"',
  ],
  [
    'neither number nor text',
    { 'x-kubernetes-int-or-string': true },
    1.5,
    `${typed} "number": v in body must be of type integer,string: "number"`,
  ],
  ['a number or a text', { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+%$' }, 5],
  [
    'none of several',
    { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    `${plain} "v" must validate at least one schema (anyOf)`,
    `${body} 3: v in body should be greater than or equal to 5`,
  ],
  ['one of several', { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 3 }] }, 3],
  [
    'two of one',
    { type: 'integer', oneOf: [{ minimum: 1 }, { maximum: 5 }] },
    3,
    `${plain} "v" must validate one and only one schema (oneOf). Found 2 valid alternatives`,
  ],
  [
    'none of one',
    { type: 'integer', oneOf: [{ minimum: 5 }] },
    3,
    `${plain} "v" must validate one and only one schema (oneOf). Found none valid`,
    `${body} 3: v in body should be greater than or equal to 5`,
  ],
  [
    'the alternative that went furthest',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['c'] }, { required: ['c'], properties: { a: { minLength: 1 }, b: { minLength: 9 } } }],
    },
    { a: 'x', b: 'y' },
    `${plain} "v" must validate at least one schema (anyOf)`,
    'v.b Invalid Invalid value: "y": v.b in body should be at least 9 chars long',
    'v.c Required Required value',
  ],
  [
    'not all',
    { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 5 }] },
    3,
    `${body} 3: v in body should be greater than or equal to 5`,
    `${plain} "v" must validate all the schemas (allOf)`,
  ],
  [
    'none of all',
    { type: 'integer', allOf: [{ minimum: 5 }] },
    3,
    `${body} 3: v in body should be greater than or equal to 5`,
    `${plain} "v" must validate all the schemas (allOf). None validated`,
  ],
  ['what may not be', { type: 'string', not: { enum: ['bad'] } }, 'bad', `${plain} "v" must not validate the schema (not)`],
  [
    'the same finding twice',
    { type: 'integer', allOf: [{ minimum: 5 }, { minimum: 5 }] },
    3,
    `${body} 3: v in body should be greater than or equal to 5`,
    `${plain} "v" must validate all the schemas (allOf). None validated`,
  ],
  [
    'an item twice in a set',
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ['a', 'b', 'a', 'a'],
    'v[2] Duplicate Duplicate value: "a"',
  ],
  [
    'numbers and texts are different items',
    { type: 'array', items: { 'x-kubernetes-int-or-string': true }, 'x-kubernetes-list-type': 'set' },
    [1, '1'],
  ],
  [
    'a key twice',
    {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['p', 'k'],
    },
    [
      { k: 'a', p: 1, v: 1 },
      { p: 1, k: 'a' },
    ],
    'v[1] Duplicate Duplicate value: {"k":"a","p":1}',
  ],
];

describe('conditions of schemas', () => {
  for (const [what, schema, value, ...causes] of rows) it(what, () => expect(causesOf(schema, value)).to.deep.equal(causes));

  it('are those of the root as well', () => {
    const compiled = compile({ type: 'object', required: ['spec'], properties: { spec: { type: 'object' } } }, {});
    expect(lines(compiled.validate({}))).to.deep.equal(['spec Required Required value']);
    expect(lines(compiled.validate({ spec: 1 }))).to.deep.equal([
      'spec TypeInvalid Invalid value: "integer": spec in body must be of type object: "integer"',
    ]);
  });

  it('are the same for values so large that they are looked at in steps, at the places that they have there', () => {
    for (const [what, schema, value] of rows) {
      const alone = causesOf({ type: 'array', items: schema }, [value]);
      const steps = compile({ type: 'object', properties: { v: { type: 'array', items: schema } } }, {}).validate({
        v: Array(150).fill(value) as Json,
      });
      expect(steps.next().done, what).to.equal(false);
      const last = lines(steps).filter((text) => text.includes('v[149]') || !text.includes('v['));
      expect(last, what).to.deep.equal(alone.map((text) => text.replaceAll('v[0]', 'v[149]')));
    }
  });

  it('take findings of others between their own', () => {
    const compiled = compile(
      { type: 'object', required: ['a'], properties: { s: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } } },
      {},
    );
    const between: Cause[] = [{ type: 'FieldValueInvalid', path: 'spec.replicas', message: 'Invalid value: -1: no' }];
    expect(inOneGo(compiled.validate({ s: ['x', 'x'] }, { between })).map(({ path }) => path)).to.deep.equal([
      'a',
      'spec.replicas',
      's[1]',
    ]);
  });

  it('of members without a schema of their own have a point before them, in the object itself', () => {
    const few = { type: 'object', additionalProperties: { type: 'integer', maximum: 1 } };
    const reported = (value: JsonMembers): string[] => lines(compile(few, {}).validate(value));
    expect(reported({ b: 2 })).to.deep.equal(['b Invalid Invalid value: 2: .b in body should be less than or equal to 1']);
    expect(causesOf(few, { b: 2 })).to.deep.equal(['v.b Invalid Invalid value: 2: v.b in body should be less than or equal to 1']);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${index}`, 1]));
    expect(reported({ ...many, b: 2 })).to.deep.equal(reported({ b: 2 }));
  });

  it('of a status alone begin at it', () => {
    const compiled = compile(
      {
        type: 'object',
        required: ['spec'],
        properties: { status: { type: 'object', properties: { n: { type: 'integer', maximum: 5 } } } },
      },
      {},
    );
    expect(lines(compiled.validateUpdate({ status: { n: 9 } }, {}, { statusOnly: true }))).to.deep.equal([
      'status.n Invalid Invalid value: 9: n in body should be less than or equal to 5',
    ]);
    expect(inOneGo(compiled.validateUpdate({}, {}, { statusOnly: true }))).to.deep.equal([]);
  });

  it('end with a bounded number of findings', () => {
    expect(causesOf({ type: 'array', items: { type: 'integer' } }, new Array<string>(5_000).fill('x'))).to.have.length(causesMax);
  });

  it('take time in proportion to their number, however deep they are nested', () => {
    let schema: JsonMembers = { type: 'string', minLength: 2 };
    for (let depth = 0; depth < 200; depth++) schema = { anyOf: [{ type: 'integer' }, schema] };
    expect(causesOf(schema, 'x')[0]).to.equal(`${plain} "v" must validate at least one schema (anyOf)`);
  });

  it('tell which findings keep rules from running', () => {
    const types = ['FieldValueInvalid', 'FieldValueRequired', 'FieldValueTypeInvalid', 'FieldValueDuplicate', 'FieldValueTooLong'] as const;
    expect(types.filter((type) => keepsRulesFromRunning({ type }))).to.deep.equal([
      'FieldValueRequired',
      'FieldValueTypeInvalid',
      'FieldValueTooLong',
    ]);
  });
});
