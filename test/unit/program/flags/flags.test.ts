import { expect } from 'chai';
import { formatDuration, parseDuration } from '../../../../program/flags/duration.js';
import { inGroup } from '../../../../program/flags/flag.js';
import { helpText } from '../../../../program/flags/help.js';
import { parseFlags } from '../../../../program/flags/parse.js';
import { closest } from '../../../../program/flags/suggest.js';

const table = inGroup('All', {
  'secure-port': { kind: 'int', default: 6443, min: 0, max: 65_535, help: 'Port.' },
  switch: { kind: 'bool', default: false, help: 'Switch.' },
  'etcd-servers': { kind: 'strings', default: [], help: 'Servers.' },
  'tls-sni-cert-key': { kind: 'repeated', default: [], help: 'Pairs.' },
  'request-timeout': { kind: 'duration', default: 60_000, min: 1, help: 'Timeout.' },
  'storage-backend': { kind: 'string', default: 'etcd3', oneOf: ['etcd3'], help: 'Store.' },
  'client-ca-file': { kind: 'string', default: null, help: 'File.' },
  'feature-gates': { kind: 'gates', default: {}, help: 'Gates.', withoutEffect: true },
  buffer: { kind: 'quantity', default: 0, help: 'Buffer.' },
  share: { kind: 'float', default: 0, max: 0.02, help: 'Share.' },
  v: { kind: 'int', default: 0, short: 'v', help: 'Level.' },
  version: { kind: 'version', default: null, help: 'Version.' },
});

function read(...argv: string[]): unknown {
  const result = parseFlags(table, argv);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return Object.fromEntries([...result.given].map((name) => [name, result.values[name as keyof typeof table]]));
}
function errors(...argv: string[]): readonly string[] {
  const result = parseFlags(table, argv);
  return result.ok ? [] : result.errors;
}

const accepted: [string[], object][] = [
  [['--secure-port=1'], { 'secure-port': 1 }],
  [['--secure-port', '1'], { 'secure-port': 1 }],
  [['--secure_port=1'], { 'secure-port': 1 }],
  [['', '--secure-port=1', ''], { 'secure-port': 1 }],
  [['--secure-port=1', '--secure-port=2'], { 'secure-port': 2 }],
  [['--switch'], { switch: true }],
  [['--switch=false'], { switch: false }],
  [['--switch=T'], { switch: true }],
  [
    ['--etcd-servers=https://a:1,https://b:2', '--etcd-servers', 'https://c:3'],
    { 'etcd-servers': ['https://a:1', 'https://b:2', 'https://c:3'] },
  ],
  [['--kvstore-servers=https://a:1'], { 'etcd-servers': ['https://a:1'] }],
  [['--storage-backend=kvstore3'], { 'storage-backend': 'etcd3' }],
  [['--tls-sni-cert-key=a,b:x,y', '--tls-sni-cert-key=c,d'], { 'tls-sni-cert-key': ['a,b:x,y', 'c,d'] }],
  [['--request-timeout=1m30s'], { 'request-timeout': 90_000 }],
  [['--request-timeout=1.5h'], { 'request-timeout': 5_400_000 }],
  [['--feature-gates=A=true,kube:B=false', '--feature-gates=A=false'], { 'feature-gates': { A: 'false', B: 'false' } }],
  [['--buffer=1.5Ki'], { buffer: 1536 }],
  [['--share=.01'], { share: 0.01 }],
  [['-v', '3'], { v: 3 }],
  [['-v=3'], { v: 3 }],
  [['-v3'], { v: 3 }],
  [['--v=3'], { v: 3 }],
  [['--version'], { version: 'true' }],
  [['--version=raw'], { version: 'raw' }],
  [['--client-ca-file='], {}],
];

const refused: [string[], RegExp][] = [
  [['--secure-prot=1'], /unknown flag: --secure-prot \(did you mean --secure-port\?\)/],
  [['--kvstore-server=x'], /unknown flag: --kvstore-server \(did you mean --kvstore-servers\?\)/],
  [['--zzzzzzzzz'], /^unknown flag: --zzzzzzzzz$/],
  [['--secure-port=abc'], /invalid argument "abc" for "--secure-port" flag: want a whole number from 0 to 65535/],
  [['--secure-port=70000'], /invalid argument "70000" for "--secure-port" flag: want a whole number from 0 to 65535/],
  [['--secure-port=1e3'], /invalid argument "1e3"/],
  [['--secure-port'], /--secure-port needs a value/],
  [['--client-ca-file', '--switch'], /--client-ca-file needs a value, but --switch follows/],
  [['--switch=maybe'], /invalid argument "maybe" for "--switch" flag: want true or false/],
  [['--request-timeout=5'], /invalid argument "5" for "--request-timeout" flag: want a duration such as/],
  [['--request-timeout=-5s'], /want a duration/],
  [['--storage-backend=etcd2'], /invalid argument "etcd2" for "--storage-backend" flag: want one of etcd3/],
  [['--feature-gates=A'], /want pairs such as key=value/],
  [['--buffer=12Q'], /want a quantity/],
  [['--share=0.5'], /want a number of at most 0.02/],
  [['run'], /unexpected argument "run"/],
  [['--'], /unexpected argument "--"/],
  [['--__proto__=x'], /unexpected argument|unknown flag/],
  [['--constructor=x'], /unknown flag: --constructor/],
];

describe('flags', () => {
  for (const [argv, values] of accepted)
    it(`reads ${argv.join(' ')}`, () => {
      expect(read(...argv)).to.deep.equal(values);
    });
  for (const [argv, message] of refused)
    it(`refuses ${argv.join(' ')}`, () => {
      expect(errors(...argv).join('\n')).to.match(message);
    });

  it('takes no more time for long numbers than their length', () => {
    const digits = '1'.repeat(200_000);
    expect(errors(`--share=${digits}x`, `--buffer=${digits}!`)).to.have.length(2);
  });
  it('reports every mistake of a command line at once', () => {
    expect(errors('--nope', '--switch=x', '--secure-port=y')).to.have.length(3);
  });
  it('gives defaults for what was not given', () => {
    const result = parseFlags(table, []);
    expect(result.ok && result.values['secure-port']).to.equal(6443);
    expect(result.ok && result.values['client-ca-file']).to.equal(null);
  });
  it('prints help with headings, defaults, neutral spellings and what has no effect', () => {
    const text = helpText(table, { program: 'p', about: 'About.', examples: [{ about: 'Example.', command: 'p --switch' }], width: 100 });
    expect(text).to.match(/--etcd-servers strings\n\s+Servers\. \(also --kvstore-servers\)/);
    expect(text).to.match(/Gates\. \(accepted, without effect\)/);
    expect(text).to.match(/Timeout\. \(default 1m0s\)/);
    expect(text).to.match(/also the value kvstore3/);
    expect(text).to.include('p --switch');
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.at.most(100);
  });
});

describe('durations', () => {
  const good: [string, number][] = [
    ['0', 0],
    ['0s', 0],
    ['300ms', 300],
    ['1h0m0s', 3_600_000],
    ['1h30m', 5_400_000],
    ['-1.5s', -1_500],
    ['1µs', 0.001],
    ['8760h0m0s', 31_536_000_000],
  ];
  for (const [text, milliseconds] of good)
    it(`reads ${text}`, () => {
      expect(parseDuration(text)).to.deep.equal({ ok: true, milliseconds });
    });
  const bad: [string, string][] = [
    ['abc', 'time: invalid duration "abc"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['9999999999h', 'time: invalid duration "9999999999h"'],
  ];
  for (const [text, message] of bad)
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseDuration(text)).to.deep.equal({ ok: false, message });
    });
  it('prints what it reads', () => {
    for (const text of ['0s', '5s', '1m30s', '1h0m0s', '150ms', '8760h0m0s', '-2s', '1.5µs', '20ns', '12.345678ms']) {
      const parsed = parseDuration(text);
      expect(parsed.ok && formatDuration(parsed.milliseconds)).to.equal(text);
    }
  });
});

describe('suggestions', () => {
  it('finds swapped, missing and wrong letters, and nothing for words that are far off', () => {
    expect(closest('bind-adress', ['bind-address', 'advertise-address'])).to.equal('bind-address');
    expect(closest('vesrion', ['version', 'v'])).to.equal('version');
    expect(closest('something-else', ['version'])).to.equal(null);
  });
});
