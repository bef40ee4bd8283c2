import { expect } from 'chai';
import { yamlCodec } from '../../../../workers/codecs/yaml.js';
import { recordedSteps } from './files.js';

const decode = (text: string) => yamlCodec.decode(Buffer.from(text), { findDuplicates: true, depthMax: 100 });
const valueOf = (text: string): unknown => {
  const result = decode(text);
  if (!result.ok) throw new Error(result.message);
  return result.value;
};
const messageOf = (text: string): string => {
  const result = decode(text);
  return result.ok ? 'accepted' : result.message;
};

describe('YAML codec', () => {
  it('understands the booleans of YAML 1.1, also as names', () => {
    expect(valueOf('[y, Yes, on, TRUE, n, No, off, False, "y", \'no\', !!str on, yEs]')).to.deep.equal([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      'y',
      'no',
      'on',
      'yEs',
    ]);
    expect(valueOf('y: 1\nn: 2\n3: 3\n1.5: 4\n"q": 5')).to.deep.equal({ true: 1, false: 2, 3: 3, '1.5': 4, q: 5 });
  });

  it('knows neither dates nor base-60 numbers', () => {
    expect(valueOf('[2024-01-01, 2024-01-01T00:00:00Z, 1:30, 190:20:30]')).to.deep.equal([
      '2024-01-01',
      '2024-01-01T00:00:00Z',
      '1:30',
      '190:20:30',
    ]);
  });

  it('reads numbers as the reference does', () => {
    expect(valueOf('[0x51, 010, 0o17, 0b11, 1_000, 09, +5, -0x10, 1e3, 1., .5, 0.1, 9223372036854775807, 1e, 0x, "1"]')).to.deep.equal([
      81,
      8,
      15,
      3,
      1000,
      9,
      5,
      -16,
      1000,
      1,
      0.5,
      0.1,
      9223372036854775807n,
      '1e',
      '0x',
      '1',
    ]);
    expect(messageOf('.inf')).to.equal('json: unsupported value: +Inf');
    expect(messageOf('a: .nan')).to.equal('json: unsupported value: NaN');
  });

  it('takes the first document only', () => {
    expect(valueOf('a: 1\n---\na: 2\n')).to.deep.equal({ a: 1 });
    expect(valueOf('a: 1\n---\n[broken')).to.deep.equal({ a: 1 });
    expect(valueOf('---\na: 1\n...\n')).to.deep.equal({ a: 1 });
    expect(valueOf('')).to.equal(null);
    expect(valueOf('a:\nb: ~')).to.deep.equal({ a: null, b: null });
  });

  it('reports duplicates with their lines, the last one winning', () => {
    expect(decode('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')).to.deep.equal({
      ok: true,
      value: { a: 3, b: { c: 2 } },
      duplicates: ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'],
    });
  });

  it('follows aliases and merges, but not bombs', () => {
    expect(valueOf('base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nagain: *b')).to.deep.equal({
      base: { x: 1, true: 2 },
      use: { x: 1, true: 3 },
      again: { x: 1, true: 2 },
    });
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...'bcdefg'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(10).slice(0, -1)}]`),
    ].join('\n');
    expect(messageOf(bomb)).to.equal('yaml: document contains excessive aliasing');
    expect(messageOf('a: &a [*a]')).to.match(/^yaml: /);
    expect(messageOf('a: *nothing')).to.match(/^yaml: .*nothing/i);
  });

  it('says what is missing where a flow collection ends too early, and names repeated keys once their values are read', () => {
    expect(messageOf('{')).to.equal('yaml: line 1: did not find expected node content');
    expect(messageOf('{a: 1')).to.equal("yaml: line 1: did not find expected ',' or '}'");
    expect(messageOf('[a')).to.equal("yaml: line 1: did not find expected ',' or ']'");
    const decoded = yamlCodec.decode(Buffer.from('{a: {b: 1}, a: {b: 1, b: 2}}'), { findDuplicates: true, depthMax: 10 });
    expect(decoded).to.have.deep.property('duplicates', ['line 1: key "b" already set in map', 'line 1: key "a" already set in map']);
  });

  it('gives up at more properties than a node may have, and at more parts than an honest document has', () => {
    for (const many of ['&a '.repeat(1e5), '!a '.repeat(1e5), '!a\n'.repeat(1e5), '&a #\n '.repeat(1e5)])
      expect(messageOf(`a: ${many}b`)).to.equal('yaml: did not find expected node content');
    expect(messageOf('-\n'.repeat(300_001))).to.equal('yaml: document has more than 600000 parts');
    expect(valueOf('a: !!str &x 1\nb: &y !!str 2\nc: &z\n  # why\n  !!map\n  d: |\n    &a &b &c &d &e &f\n    !a\n    !b\n')).to.deep.equal(
      { a: '1', b: '2', c: { d: '&a &b &c &d &e &f\n!a\n!b\n' } },
    );
  });

  it('refuses what it cannot read, naming the line', () => {
    expect(messageOf('apiVersion: v1\nkind: ConfigMap\n\tbad: tab\n')).to.equal(
      'yaml: line 3: found a tab character that violates indentation',
    );
    expect(messageOf('a: b: c')).to.equal('yaml: line 1: mapping values are not allowed in this context');
    expect(messageOf('{? {a: 1} : 2}')).to.equal('yaml: invalid map key');
    expect(messageOf('['.repeat(20_000))).to.equal('yaml: exceeded max depth');
    expect(messageOf('- '.repeat(20_000))).to.equal('yaml: exceeded max depth');
    expect(messageOf(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`)).to.equal('yaml: exceeded max depth');
  });

  it('keeps every text through writing and reading', () => {
    const texts = [
      '',
      ' ',
      'y',
      'no',
      '~',
      'null',
      '1',
      '0x1',
      '1_0',
      '.5',
      '1:30',
      '2024-01-01',
      '<<',
      '=',
      '- a',
      '-',
      '?',
      'a: b',
      'a #b',
      '#',
      '*',
      '&a',
      '!x',
      '%',
      '@',
      '`',
      '"',
      "'",
      "it's",
      'a\nb',
      'a\nb\n',
      '\n',
      '\n\n',
      ' lead\nx',
      'x\n\n\n',
      'trail \nx',
      'tab\tx',
      '\u0000',
      '\u2028',
      '😀',
      '\ufeff',
      '---',
      '--- a',
      '...',
      'a,b',
      '[a',
      '{a',
      'a]',
      ':',
      'a:',
      ':a',
      'word '.repeat(60),
      `${'"q" '.repeat(60)}\t`,
      '\r\n',
    ];
    const value = Object.fromEntries(texts.map((text, index) => [`k${index}`, { [text]: text, list: [text, [text]] }]));
    expect(valueOf(yamlCodec.encode(value).toString())).to.deep.equal(value);
  });

  it('writes the same text as the reference', () => {
    const texts = recordedSteps()
      .map(({ step }) => step.expect)
      .filter((expected) => expected?.headers?.['content-type'] === 'application/yaml')
      .map((expected) => expected?.body?.['text'])
      .filter((text) => typeof text === 'string');
    expect(texts.length).to.be.greaterThan(5);
    // Placeholders for times need no quotes, but times do.
    for (const text of texts.map((recorded) => recorded.replaceAll('<time>', '2024-01-01T00:00:00Z')))
      expect(yamlCodec.encode(valueOf(text)).toString()).to.equal(text);
  });
});
