import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { compileRules } from '../../../cel/rules/compile.js';
import { blocksRules, type RulesVerdict } from '../../../cel/rules/contract.js';
import { reviewRules } from '../../../cel/rules/review.js';
import { reservedWords } from '../../../cel/reserved.js';
import { turns } from '../../../workers/turns/turns.js';
import { inOneGo } from '../../../api/steps.js';

const rule = (text: string, more: JsonObject = {}): JsonObject => ({ rule: text, ...more });
const object = (properties: JsonObject, ...rules: JsonObject[]): JsonObject => ({
  type: 'object',
  properties,
  ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
});
const spec = (schema: JsonObject): JsonObject => object({ spec: schema });
const int: JsonObject = { type: 'integer' };

/** Errors of an object with this spec: field and message. */
async function causes(schema: JsonObject, now: JsonValue, before?: JsonValue): Promise<string[]> {
  const verdict = await verdictOf(schema, now, before);
  return verdict.causes.map(({ field, message }) => `${field}: ${message}`);
}
const verdictOf = async (schema: JsonObject, now: JsonValue, before?: JsonValue): Promise<RulesVerdict> =>
  await compileRules(spec(schema)).verdict(
    { metadata: { name: 'x' }, spec: now },
    before === undefined ? null : { metadata: { name: 'x' }, spec: before },
  );

const findings = (schema: JsonObject): string[] =>
  inOneGo(reviewRules(spec(schema), 'root', () => false)).map(({ at, detail }) => `${at}: ${detail}`);

describe('rules of schemas', () => {
  it('say where and what, with the value where it is no structure', async () => {
    const schema = object(
      {
        n: { ...int, 'x-kubernetes-validations': [rule('self % 2 == 0')] },
        l: { type: 'array', items: { ...object({ k: { type: 'string' } }, rule('self.k != "bad"', { message: 'bad k' })) } },
        m: { type: 'object', additionalProperties: { type: 'string', 'x-kubernetes-validations': [rule('self != "x"')] } },
      },
      rule('!has(self.n) || self.n < 9', { reason: 'FieldValueForbidden', fieldPath: '.n', messageExpression: '"n is " + string(self.n)' }),
    );
    expect(await causes(schema, { n: 11, l: [{ k: 'ok' }, { k: 'bad' }], m: { 'a.b': 'x' } })).to.deep.equal([
      'spec.n: Forbidden: n is 11',
      'spec.n: Invalid value: 11: failed rule: self % 2 == 0',
      'spec.l[1]: Invalid value: bad k',
      'spec.m[a.b]: Invalid value: "x": failed rule: self != "x"',
    ]);
    expect(await causes(schema, { n: 4 })).to.deep.equal([]);
  });

  it('see what the schema knows: types of formats, defaults of names, fields with odd names, and nothing else', async () => {
    const schema = object(
      {
        t: { type: 'string', format: 'date-time' },
        d: { type: 'string', format: 'duration' },
        b: { type: 'string', format: 'byte' },
        f: { type: 'number' },
        'a-b': int,
        namespace: int,
        nul: { ...int, nullable: true },
        io: { 'x-kubernetes-int-or-string': true },
      },
      rule(
        'self.t.getFullYear() == 2024 && self.d == duration("90m") && string(self.b) == "hi" && self.f == 1.0 && type(self.f) == double',
      ),
      rule('self.a__dash__b + self.__namespace__ == 3 && !has(self.nul)'),
      rule('type(self.io) == string ? self.io == "5%" : self.io < 5'),
    );
    expect(findings(schema)).to.deep.equal([]);
    expect(
      await causes(schema, {
        t: '2024-05-06T07:08:09Z',
        d: '1h30m',
        b: 'aGk=',
        f: 1,
        'a-b': 1,
        namespace: 2,
        nul: null,
        io: '5%',
        unseen: 1,
      }),
    ).to.deep.equal([]);
  });

  for (const word of reservedWords)
    it(`see a field that is called ${word} by that name and as it is spelled`, async () => {
      const schema = object(
        { [word]: int, i: int },
        rule(`has(self.${word}) && self.${word} == 1 && self.?${word}.orValue(2) == 1 && self.__${word}__ == 1 && !has(self.i)`),
      );
      expect(findings(schema)).to.deep.equal([]);
      expect(await causes(schema, { [word]: 1 })).to.deep.equal([]);
      expect(await causes(schema, { [word]: 2 })).to.have.length(1);
    });

  it('are an error where the schemas above leave nothing to see, and are left out below what is not seen', async () => {
    const item = { ...object({ n: int }, rule('self.n < 9')) };
    const why = 'rule compiler initialization error: failed to convert to declType for CEL validation rules';
    expect(await causes(object({ o: { type: 'object', items: item } }), { o: [{ n: 1 }] })).to.deep.equal([
      `spec.o[0]: Invalid value: "object": ${why}`,
    ]);
    const unseen = { 'x-kubernetes-preserve-unknown-fields': true, properties: { i: item } };
    expect(
      await causes(object({ l: { type: 'array', items: unseen }, u: unseen }), { l: [{ i: { n: 9 } }], u: { i: { n: 9 } } }),
    ).to.deep.equal([]);
  });

  it('do not see fields by words that mean something', () => {
    for (const word of ['true', 'false', 'null', 'in']) {
      expect(findings(object({ [word]: int }, rule(`self.__${word}__ == 1`))), word).to.deep.equal([]);
      expect(findings(object({ [word]: int }, rule(`self.${word} == 1`)))[0], word).to.contain('Syntax error');
    }
  });

  it('find reserved words in the place of names, beside an error of syntax', () => {
    const reported = findings(object({ n: int }, rule('namespace is immutable'), rule('import == package')));
    expect(
      reported.map((text) =>
        text
          .split('\n')
          .filter((line) => line.includes('ERROR'))
          .join('\n')
          .replace(/^.*ERROR/, 'ERROR'),
      ),
    ).to.deep.equal([
      "ERROR: <input>:1:1: reserved identifier: namespace\nERROR: <input>:1:11: Syntax error: mismatched input 'is' expecting <EOF>",
      'ERROR: <input>:1:1: reserved identifier: import\nERROR: <input>:1:11: reserved identifier: package',
    ]);
  });

  it('compare members of an atomic map with what they were', async () => {
    const fixed = { ...int, 'x-kubernetes-validations': [rule('self == oldSelf', { message: 'fixed' })] };
    const atomic = (more: JsonObject): JsonObject => object({ m: { type: 'object', 'x-kubernetes-map-type': 'atomic', ...more } });
    for (const schema of [atomic({ properties: { n: fixed } }), atomic({ additionalProperties: fixed })]) {
      expect(findings(schema)).to.deep.equal([]);
      expect(await causes(schema, { m: { n: 1 } }, { m: { n: 1 } })).to.deep.equal([]);
      expect(await causes(schema, { m: { n: 2 } }, { m: { n: 1 } })).to.have.length(1);
    }
  });

  it('compare with what was before where values correlate, and nowhere else', async () => {
    const immutable = [rule('self == oldSelf', { message: 'fixed' })];
    const item = { ...object({ k: { type: 'string' }, v: { ...int, 'x-kubernetes-validations': immutable } }) };
    const keyed = object({ l: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } });
    expect(
      await causes(
        keyed,
        {
          l: [
            { k: 'b', v: 2 },
            { k: 'a', v: 7 },
            { k: 'c', v: 9 },
          ],
        },
        {
          l: [
            { k: 'a', v: 1 },
            { k: 'b', v: 2 },
          ],
        },
      ),
    ).to.deep.equal(['spec.l[1].v: Invalid value: 7: fixed']);
    expect(await causes(keyed, { l: [{ k: 'a', v: 7 }] })).to.deep.equal([]);
    expect(findings(object({ l: { type: 'array', items: { ...int, 'x-kubernetes-validations': immutable } } }))).to.deep.equal([
      '.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: oldSelf cannot be used on the uncorrelatable portion of the schema within root.properties[spec].properties[l]',
    ]);
  });

  it('can ask whether there was anything before', async () => {
    const schema = object({ n: { ...int, 'x-kubernetes-validations': [rule('self > oldSelf.orValue(0)', { optionalOldSelf: true })] } });
    expect(await causes(schema, { n: 0 })).to.deep.equal(['spec.n: Invalid value: 0: failed rule: self > oldSelf.orValue(0)']);
    expect([await causes(schema, { n: 1 }), await causes(schema, { n: 2 }, { n: 1 })]).to.deep.equal([[], []]);
  });

  it('let values pass that an update leaves as they were, with a warning; rules that compare never', async () => {
    const schema = object(
      { a: { ...int, 'x-kubernetes-validations': [rule('self < 5')] }, b: int },
      rule('self.b < 5', { message: 'b too large' }),
    );
    const kept = await verdictOf(schema, { a: 9, b: 1 }, { a: 9, b: 0 });
    expect([kept.causes, kept.warnings]).to.deep.equal([[], ['spec.a: Invalid value: 9: failed rule: self < 5']]);
    expect(await causes(schema, { a: 8, b: 9 }, { a: 9, b: 9 })).to.deep.equal([
      'spec: Invalid value: b too large',
      'spec.a: Invalid value: 8: failed rule: self < 5',
    ]);
    const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const items = { type: 'object', properties: { k: { type: 'string' } } };
    const ordered = object({ a: int, l: { ...keyed, items } }, rule('self.a < 5'));
    const turned = await verdictOf(ordered, { a: 9, l: [{ k: 'b' }, { k: 'a' }] }, { a: 9, l: [{ k: 'a' }, { k: 'b' }] });
    expect([turned.causes, turned.warnings]).to.deep.equal([[], ['spec: Invalid value: failed rule: self.a < 5']]);
    const changing = object({ a: { ...int, 'x-kubernetes-validations': [rule('self > oldSelf')] } });
    expect(await causes(changing, { a: 1 }, { a: 1 })).to.deep.equal(['spec.a: Invalid value: 1: failed rule: self > oldSelf']);
  });

  it('tell what failed while they ran, and go on with the others', async () => {
    const schema = object(
      { a: int, l: { type: 'array', items: int }, io: { 'x-kubernetes-int-or-string': true } },
      rule('10 / self.a > 1', { message: 'quotient' }),
      rule('self.l[2] > 0'),
      rule('self.io > 1'),
      rule('self.a == 1'),
    );
    expect(await causes(schema, { a: 0, l: [], io: 'x' })).to.deep.equal([
      'spec: Invalid value: "object": division by zero evaluating rule: quotient',
      'spec: Invalid value: "object": index out of bounds: 2 evaluating rule: self.l[2] > 0',
      'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.io > 1',
      'spec: Invalid value: failed rule: self.a == 1',
    ]);
  });

  it('end with the budget of the object, whatever it holds', async () => {
    const costly = rule('self.l.all(a, self.l.all(b, a != "z" || b != "z"))');
    const schema = object({ l: { type: 'array', items: { type: 'string' } } }, ...Array.from({ length: 30 }, () => costly));
    const texts = (length: number): JsonValue => ({ l: Array.from({ length }, (_, i) => `text ${i}`) });
    expect(await causes(schema, texts(2_000))).to.deep.equal([
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${String(costly['rule'])}`,
    ]);
    expect(await causes(schema, texts(300))).to.deep.equal([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
    expect(await causes(schema, texts(10))).to.deep.equal([]);
  });

  it('end where a message costs more than is left or than one expression may cost, and say so', async () => {
    const every = 'self.l.map(a, self.l.map(b, a + b).join()).join()';
    const within = (...rules: JsonObject[]): JsonObject => object({ l: { type: 'array', items: { type: 'string' } } }, ...rules);
    const texts = (length: number): JsonValue => ({ l: Array.from({ length }, (_, i) => `text ${i}`) });
    const reported = rule('false', { messageExpression: every });
    expect(await causes(within(reported, rule('1 == 2')), texts(600))).to.deep.equal([
      `spec: Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for messageExpression: "${every}"`,
    ]);
    const ended = await causes(within(...Array.from({ length: 60 }, () => reported)), texts(100));
    expect(ended.length).to.be.within(2, 59);
    expect(ended.at(-1)).to.equal(
      'spec: Invalid value: "object": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('keep carriage returns of messages, and take none with line breaks', async () => {
    const schema = object(
      { n: int },
      rule('false', { messageExpression: '"a\\rb"' }),
      rule('false', { messageExpression: '"a\\nb"', message: 'c' }),
    );
    expect(await causes(schema, { n: 1 })).to.deep.equal(['spec: Invalid value: a\rb', 'spec: Invalid value: c']);
  });

  it('show messages the old value only where a rule beside them compares with it', async () => {
    const reported = rule('self.n < 0', { messageExpression: '"was " + string(oldSelf.n)' });
    const plain = 'spec: Invalid value: failed rule: self.n < 0';
    expect(await causes(object({ n: int }, reported), { n: 2 }, { n: 1 })).to.deep.equal([plain]);
    expect(await causes(object({ n: int }, reported, rule('self.n >= oldSelf.n')), { n: 2 }, { n: 1 })).to.deep.equal([
      'spec: Invalid value: was 1',
    ]);
    expect(await causes(object({ n: int }, reported, rule('self.n >= oldSelf.n')), { n: 2 })).to.deep.equal([plain]);
  });

  it('see sets and lists with keys without regard to their order', async () => {
    const set = { type: 'array', items: int, 'x-kubernetes-list-type': 'set' };
    const schema = object({ s: set, t: set }, rule('self.s == self.t'), rule('(self.s + [1, 9]).size() == 3'));
    expect(await causes(schema, { s: [1, 2], t: [2, 1] })).to.deep.equal([]);
  });

  it('tell how long they took: once a schema, and once an object, also where others had their turn', async () => {
    const reported = { compiled: 0, evaluated: 0 };
    const count = (what: keyof typeof reported) => (seconds: number) => {
      expect(seconds).to.be.greaterThan(0);
      reported[what]++;
    };
    const times = { compiled: count('compiled'), evaluated: count('evaluated') };
    expect(compileRules(spec(int), times).isEmpty).to.equal(true);
    expect(reported).to.deep.equal({ compiled: 0, evaluated: 0 });
    const costly = { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': [rule('self.all(a, self.all(b, a != "z"))')] };
    const rules = compileRules(spec(object({ n: { ...int, 'x-kubernetes-validations': [rule('self > 0')] }, l: costly })), times);
    const now = (value: JsonObject): JsonObject => ({ metadata: { name: 'x' }, spec: value });
    expect(rules.verdict(now({ n: 1 }), null)).to.not.be.instanceOf(Promise);
    expect(reported).to.deep.equal({ compiled: 1, evaluated: 1 });
    const before = turns.steps;
    const later = rules.verdict(now({ l: Array.from({ length: 400 }, String) }), null);
    await later;
    expect(turns.steps).to.be.above(before);
    expect(reported).to.deep.equal({ compiled: 1, evaluated: 2 });
  });

  it('wait until the schema is content', () => {
    expect([blocksRules([{ reason: 'FieldValueTypeInvalid' }]), blocksRules([{ reason: 'FieldValueInvalid' }])]).to.deep.equal([
      true,
      false,
    ]);
  });
});

describe('rules of schemas that are stored', () => {
  const texts = (items: JsonObject, more: JsonObject = {}): JsonObject =>
    object({ l: { type: 'array', items: { type: 'string', ...items }, ...more } }, rule('self.l.all(x, self.l.all(y, x == y))'));
  const rows: [string, JsonObject, string[]][] = [
    ['cost that bounds hold', texts({ maxLength: 10 }, { maxItems: 10 }), []],
    ['cost of long texts', texts({}, { maxItems: 10 }), ['3.1x']],
    ['cost close to the bound of all rules', texts({ maxLength: 50 }, { maxItems: 2000 }), ['10.0x', 'contributed', '1.000120x']],
    ['cost that nothing bounds', texts({}), ['more than 100x', 'contributed', 'more than 100x']],
    ['texts of a known choice', texts({ enum: ['x', 'y'] }, { maxItems: 100 }), []],
    [
      'messages without end',
      object({ a: int }, rule('self.a > 1', { messageExpression: '"a is " + string(self.a)' })),
      ['estimated messageExpression cost', 'contributed', 'more than 100x'],
    ],
    [
      'a message of a rule that cannot be used',
      object({ a: int }, rule('self.a + 1', { messageExpression: 'self.b' })),
      ['cel expression must evaluate to a bool'],
    ],
    ['names that the schema has not', object({ a: int }, rule('self.b > 1')), ["undefined field 'b'"]],
    [
      'types that do not fit',
      object({ a: int }, rule('self.a == "x"')),
      ["found no matching overload for '_==_' applied to '(int, string)'"],
    ],
    ['results that are no bool', object({ a: int }, rule('self.a + 1')), ['cel expression must evaluate to a bool']],
    ['patterns that are none', object({ a: { type: 'string' } }, rule('self.a.matches("([")')), ['invalid matches argument']],
    [
      'durations that are none',
      object({ a: { type: 'string', format: 'duration' } }, rule('self.a > duration("1x")')),
      ['invalid duration argument'],
    ],
    ['integers that are too large', object({ a: int }, rule('self.a < 9223372036854775808')), ['1:10: invalid int literal']],
    ['the smallest integer', object({ a: int }, rule('self.a > -9223372036854775808')), []],
    ['lists of several types', object({ a: int }, rule('self.a in [1, "x"]')), ["expected type 'int' but found 'string'"]],
    ['what may be of several types', object({ a: int }, rule('"%d %s".format([self.a, "x"]) != "" && self.a in [dyn(1), dyn("x")]')), []],
    [
      'what is not known of an object',
      object({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }, rule('self.a.b == 1')),
      ["undefined field 'b'"],
    ],
    [
      'a question that is not asked',
      object({ a: int }, rule('self.a > 1', { optionalOldSelf: true })),
      ['may not be set if oldSelf is not used in rule'],
    ],
  ];
  for (const [name, schema, wanted] of rows) {
    it(`are reviewed: ${name}`, () => {
      const found = findings(schema);
      expect(found.length, found.join('\n')).to.equal(wanted.length);
      wanted.forEach((text, i) => {
        expect(found[i]).to.contain(text);
      });
    });
  }
});
