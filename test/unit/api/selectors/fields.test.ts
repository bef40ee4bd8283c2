import { expect } from 'chai';
import fc from 'fast-check';
import { formatFieldSelector, matchesFields, parseFieldSelector, type FieldSelector } from '../../../../api/selectors/index.js';

const problem = (text: string): string => {
  const result = parseFieldSelector(text);
  return result.ok ? 'accepted' : result.message;
};

describe('field selectors', () => {
  const forms: [string, FieldSelector][] = [
    ['', []],
    [',', []],
    ['=', []],
    ['a=b,!=', [{ field: 'a', equals: true, value: 'b' }]],
    ['a=b', [{ field: 'a', equals: true, value: 'b' }]],
    ['a==b', [{ field: 'a', equals: true, value: 'b' }]],
    ['a!=b', [{ field: 'a', equals: false, value: 'b' }]],
    [
      'b=,a=1',
      [
        { field: 'a', equals: true, value: '1' },
        { field: 'b', equals: true, value: '' },
      ],
    ],
    ['a=x\\,y\\=z\\\\', [{ field: 'a', equals: true, value: 'x,y=z\\' }]],
    ['spec.host.ip=::1', [{ field: 'spec.host.ip', equals: true, value: '::1' }]],
  ];
  for (const [text, selector] of forms)
    it(`reads ${JSON.stringify(text)}`, () => expect(parseFieldSelector(text)).to.deep.equal({ ok: true, selector }));

  const problems: [string, string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=1,b', "invalid selector: 'a=1,b'; can't understand 'b'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ];
  for (const [text, message] of problems) it(`refuses ${JSON.stringify(text)}`, () => expect(problem(text)).to.equal(message));

  it('reads back what it writes', () => {
    const field = fc.constantFrom('metadata.name', 'spec.nodeName', 'type');
    const requirement = fc.record({
      field,
      equals: fc.boolean(),
      value: fc.string({ unit: fc.constantFrom('\\', ',', '=', '!', 'a', 'ü', '😀') }),
    });
    const key = (selector: FieldSelector): string[] => selector.map((one) => JSON.stringify(one)).sort();
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (selector) => {
        const result = parseFieldSelector(formatFieldSelector(selector));
        expect(result.ok && key(result.selector)).to.deep.equal(key(selector));
      }),
    );
  });

  it('takes an absent field as empty', () => {
    const valueOf = (field: string): string => ({ a: '1' })[field] ?? '';
    const matches = (text: string): boolean => {
      const result = parseFieldSelector(text);
      return result.ok && matchesFields(result.selector, valueOf);
    };
    expect(['a=1', 'a!=1', 'b=', 'b!=', 'a=1,b!=2', 'a=1,b=2'].map(matches)).to.deep.equal([true, false, true, false, true, false]);
  });
});
