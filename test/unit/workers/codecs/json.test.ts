import { expect } from 'chai';
import fc from 'fast-check';
import { countMembers, jsonCodec, parseJson } from '../../../../workers/codecs/json.js';
import { writeGoJson } from '../../../../workers/codecs/goJson.js';
import { readJson } from '../../../../workers/codecs/jsonReader.js';
import { writeSortedJson } from '../../../../workers/codecs/jsonWriter.js';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const decode = (text: string) => jsonCodec.decode(bytesOf(text), { findDuplicates: true, depthMax: 100 });
const valueOf = (text: string): unknown => {
  const result = decode(text);
  if (!result.ok) throw new Error(result.message);
  return result.value;
};
const messageOf = (text: string): string => {
  const result = decode(text);
  return result.ok ? 'accepted' : result.message;
};

/** Unsafe integers become bigint, which JSON.parse cannot do. */
const withoutUnsafeIntegers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, item: unknown) =>
    typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item) ? 0 : item,
  );

describe('JSON codec', () => {
  it('keeps 64-bit integers', () => {
    expect(valueOf('{"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551615,"d":9007199254740991}')).to.deep.equal({
      a: 9223372036854775807n,
      b: -9223372036854775808n,
      c: 18446744073709551615n,
      d: 9007199254740991,
    });
    expect(jsonCodec.encode({ a: 9223372036854775807n, b: [1n], c: undefined, d: 'x' }).toString()).to.equal(
      '{"a":9223372036854775807,"b":[1],"d":"x"}',
    );
  });

  it('reads numbers of other forms as floating point', () => {
    expect(valueOf('[1.0, 1e3, -0.5, 99999999999999999999999]')).to.deep.equal([1, 1000, -0.5, 1e23]);
    expect(messageOf('[1e999]')).to.equal('json: cannot unmarshal number 1e999 into Go value of type float64');
  });

  it('finds duplicate members, with the last one winning', () => {
    const result = decode('{"spec":{"replicas":1,"replicas":2},"list":[{"a":1},{"b":{"c":1,"c":{"d":1}}}],"spec2":"a:b\\"c\\":"}');
    expect(result).to.deep.equal({
      ok: true,
      duplicates: ['spec.replicas', 'list[1].b.c'],
      value: { spec: { replicas: 2 }, list: [{ a: 1 }, { b: { c: { d: 1 } } }], spec2: 'a:b"c":' },
    });
  });

  it('finds them also within members that are replaced, in each text of their own', () => {
    const result = decode('{"data":{"a":"1","a":"2"},"data":{"b":"1","a":"3"},"spec":{"x":{"y":1}},"spec":{"x":{"y":2,"z":0,"z":1}}}');
    expect(result).to.deep.equal({
      ok: true,
      duplicates: ['data.a', 'data', 'spec.x.z', 'spec'],
      value: { data: { b: '1', a: '3' }, spec: { x: { y: 2, z: 1 } } },
    });
  });

  it('replaces invalid UTF-8 and lone surrogates', () => {
    const result = jsonCodec.decode(Buffer.from([0x22, 0x61, 0xff, 0x22]), { findDuplicates: false, depthMax: 10 });
    expect(result).to.deep.include({ value: 'a\ufffd' });
    expect(valueOf('"\\ud800x\\ud83d\\ude00"')).to.equal('\ufffdx😀');
  });

  it('treats __proto__ as any other member', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1},"n":1.0}']) {
      const value = valueOf(text) as object;
      expect(Object.keys(value)[0]).to.equal('__proto__');
      expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    }
  });

  it('sorts members by their bytes, at every depth', () => {
    const members = { '\u{10000}': 1, '\uffff': 2, 10: 3, 9: 4 };
    const sorted = '{"10":3,"9":4,"\uffff":2,"\u{10000}":1}';
    expect(writeSortedJson({ b: [members], a: 0 })).to.equal(`{"a":0,"b":[${sorted}]}`);
    expect(writeGoJson(members)).to.equal(sorted);
  });

  it('refuses what is nested too deeply', () => {
    expect(messageOf('['.repeat(101) + ']'.repeat(101))).to.equal('exceeded max depth');
    expect(messageOf('['.repeat(1e6))).to.equal('exceeded max depth');
  });

  it('says what is wrong in the words of the reference', () => {
    const cases: Record<string, string> = {
      '': 'unexpected end of JSON input',
      '{': 'unexpected end of JSON input',
      'not json at all': "invalid character 'o' in literal null (expecting 'u')",
      '{} x': "invalid character 'x' after top-level value",
      '{a': "invalid character 'a' looking for beginning of object key string",
      '{"a" 1}': "invalid character '1' after object key",
      '{"a":1 "b"}': "invalid character '\"' after object key:value pair",
      '{"a":1,}': "invalid character '}' looking for beginning of object key string",
      '[1 2]': "invalid character '2' after array element",
      '[1,]': "invalid character ']' looking for beginning of value",
      '01': "invalid character '1' after top-level value",
      '-x': "invalid character 'x' in numeric literal",
      '1.x': "invalid character 'x' after decimal point in numeric literal",
      '1ex': "invalid character 'x' in exponent of numeric literal",
      '"\\x"': "invalid character 'x' in string escape code",
      '"\\u12g4"': "invalid character 'g' in \\u hexadecimal character escape",
      '"a\nb"': "invalid character '\\n' in string literal",
      '\ufeff{}': "invalid character 'ï' looking for beginning of value",
    };
    for (const [text, message] of Object.entries(cases)) expect(messageOf(text), text).to.equal(message);
  });

  it('agrees with JSON.parse on every value, in both readers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }).map(withoutUnsafeIntegers), fc.constantFrom(undefined, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const expected: unknown = JSON.parse(text);
        const careful = readJson(text, { depthMax: 100, keepLiterals: false });
        expect(careful.ok && careful.value).to.deep.equal(expected);
        const fast = parseJson(bytesOf(text), { depthMax: 100, keepLiterals: false });
        expect(fast.ok && fast.value).to.deep.equal(expected);
        if (fast.ok) expect(countMembers(fast.value)).to.equal(fast.members);
      }),
      { numRuns: 300 },
    );
  });

  it('accepts and refuses the same texts as JSON.parse, whatever the bytes', () => {
    const noise = fc.array(fc.constantFrom(...'{}[]",:\\u0123456789eE+-.truefalsn \n'), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(noise, (text) => {
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        if (/[0-9]{3}|[eE]/.test(text)) return; // out of the range of a double
        expect(decode(text).ok, text).to.equal(accepted);
      }),
      { numRuns: 3000 },
    );
  });
});
