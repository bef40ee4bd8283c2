import { expect } from 'chai';
import { parse } from '../../../cel/check/parser.js';
import { Meter, OverBudget } from '../../../cel/eval/budget.js';
import { Compiler } from '../../../cel/eval/compile.js';
import { AuthorizerValue } from '../../../cel/eval/functions/authorization.js';
import { functionNames } from '../../../cel/eval/functions/registry.js';
import { firstPosition, lastPosition, pieces } from '../../../cel/eval/functions/search.js';
import { plainView } from '../../../cel/eval/json.js';
import type { JsonValue } from '../../../api/object.js';
import type { Value } from '../../../cel/eval/values.js';

const user = { name: 'u', uid: '', groups: [], extra: {} };
const authorizer = new AuthorizerValue(user, () => ({ allowed: true, reason: '' }));

/** The charged work of one evaluation, and whether it exceeded the budget. Uncharged work shows as a test that does not end. */
function workOf(expression: string, variables: Readonly<Record<string, JsonValue>>): { readonly work: number; readonly over: boolean } {
  const compiler = new Compiler({ variables: new Set(['authorizer', ...Object.keys(variables)]), types: null, folds: true });
  const code = compiler.code(parse(expression), new Map());
  const values = new Map<string, Value>([
    ['authorizer', authorizer],
    ...Object.entries(variables).map(([name, value]): [string, Value] => [name, plainView(value)]),
  ]);
  const meter = new Meter();
  const run = { meter, activation: (name: string) => values.get(name), names: new Array<Value>(compiler.places).fill(null) };
  try {
    code(run);
    return { work: meter.cost + meter.stepped, over: false };
  } catch (error) {
    if (error instanceof OverBudget) return { work: meter.cost + meter.stepped, over: true };
    throw error;
  }
}

/** Texts whose length makes naive algorithms quadratic. */
const gap = (n: number): string => `x${' '.repeat(n)}x`;
const letters = (n: number): string => 'a'.repeat(n);
const almost = (n: number): string => `${'a'.repeat(n / 4)}b${'a'.repeat(n / 4)}`;
const digits = (n: number): string => `${'1'.repeat(n)}x`;
const list = (n: number): JsonValue[] => Array.from({ length: n }, (_, i) => i % 10);
const texts = (n: number): string[] => Array.from({ length: n }, () => 'ab');

type Case = readonly [expression: string, variables: (n: number) => Readonly<Record<string, JsonValue>>];
const t = (expression: string, text: (n: number) => JsonValue): Case => [expression, (n) => ({ t: text(n), p: almost(n) })];
const fixed = (expression: string): Case => [expression, () => ({})];
const both = (key: string, ...cases: readonly Case[]): readonly (readonly [string, readonly Case[]])[] =>
  key.split(' ').map((one) => [one, cases]);

const time = "timestamp('2026-01-02T03:04:05Z')";
const check = "authorizer.group('apps').resource('pods')";
const parts = 'getFullYear getMonth getDayOfYear getDayOfMonth getDate getDayOfWeek getHours getMinutes getSeconds getMilliseconds'.split(
  ' ',
);
const formats =
  'dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime'.split(
    ' ',
  );
const spaced = (n: number): string => `${letters(n)} `;

/** Inputs for every function; names with `.` are methods. */
const casesByFunction: Readonly<Record<string, readonly Case[]>> = Object.fromEntries([
  ...both('.contains/1', t('t.contains(p)', letters)),
  ...both('.startsWith/1', t('t.startsWith(p)', letters)),
  ...both('.endsWith/1', t('t.endsWith(p)', letters)),
  ...both(
    '.matches/1 matches/2',
    t("t.matches('(a|aa)+$')", spaced),
    t("matches(t, 'a*b')", letters),
    t('p.matches(t)', (n) => '(a?)'.repeat(n / 4)),
    t('p.matches(t)', (n) => '('.repeat(n)),
    t('p.matches(t)', (n) => 'a{1000}'.repeat(n / 8)),
  ),
  ...both('.find/1', t("t.find('a*b')", letters), t("t.find('(a|aa)+$')", spaced)),
  ...both('.findAll/1', t("t.findAll('a*b|a')", letters), t("t.findAll('')", letters)),
  ...both('.findAll/2', t("t.findAll('a*b|a', 5)", letters)),
  ...both(
    '.charAt/1',
    t('t.charAt(5)', letters),
    t('t.charAt(5)', (n) => '\u{1f600}'.repeat(n / 2)),
  ),
  ...both(
    '.indexOf/1',
    t('t.indexOf(p)', letters),
    t('l.indexOf(11)', () => ''),
    ['l.indexOf(11)', (n) => ({ l: list(n) })],
  ),
  ...both('.indexOf/2', t('t.indexOf(p, 3)', letters)),
  ...both('.lastIndexOf/1', t('t.lastIndexOf(p)', letters), ['l.lastIndexOf(11)', (n) => ({ l: list(n) })]),
  ...both('.lastIndexOf/2', t('t.lastIndexOf(p, t.size() - 5)', letters)),
  ...both('.substring/1', t('t.substring(3)', letters)),
  ...both(
    '.substring/2',
    t('t.substring(3, 5)', (n) => '\u{1f600}'.repeat(n / 2)),
  ),
  ...both('.split/1', t("t.split('')", letters), t('t.split(p)', letters)),
  ...both('.split/2', t("t.split('a', 5)", letters)),
  ...both('.replace/2', t("t.replace('', 'xx')", letters), t("t.replace(p, '')", letters)),
  ...both('.replace/3', t("t.replace('a', 'xx', 5)", letters)),
  ...both('.join/0', ['l.join()', (n) => ({ l: texts(n) })]),
  ...both('.join/1', ["l.join(', ')", (n) => ({ l: texts(n) })]),
  ...both(
    '.lowerAscii/0',
    t('t.lowerAscii()', (n) => 'Aa'.repeat(n / 2)),
  ),
  ...both(
    '.upperAscii/0',
    t('t.upperAscii()', (n) => 'Aa'.repeat(n / 2)),
  ),
  ...both(
    '.trim/0',
    t('t.trim()', gap),
    t('t.trim()', (n) => ' '.repeat(n)),
  ),
  ...both('.reverse/0', t('t.reverse()', letters), ['l.reverse()', (n) => ({ l: list(n) })]),
  ...both(
    'strings.quote/1',
    t('strings.quote(t)', (n) => '"'.repeat(n)),
  ),
  ...both(
    '.format/1',
    t('t.format([])', (n) => '%%'.repeat(n / 2)),
    ["'%s'.format([l])", (n) => ({ l: texts(n) })],
    t("'%s%s%s'.format([t, [t, t], {t: t}])", letters),
  ),
  ...both('base64.encode/1', t('base64.encode(bytes(t))', letters)),
  ...both('base64.decode/1', t('base64.decode(t)', spaced), t('base64.decode(t)', letters)),
  ...both(
    'jsonpatch.escapeKey/1',
    t('jsonpatch.escapeKey(t)', (n) => '~'.repeat(n)),
  ),
  ...both(
    'size/1 .size/0',
    t('size(t)', letters),
    t('t.size()', (n) => '\u{1f600}'.repeat(n / 2)),
    ['l.size()', (n) => ({ l: list(n) })],
  ),
  ...['isSorted', 'sum', 'min', 'max', 'sort', 'distinct', 'flatten', 'first', 'last'].flatMap((name) =>
    both(`.${name}/0`, [`l.${name}()`, (n) => ({ l: list(n) })]),
  ),
  ...both('.flatten/1', ['[l, [l]].flatten(2)', (n) => ({ l: list(n) })]),
  ...both('.slice/2', ['l.slice(1, l.size())', (n) => ({ l: list(n) })]),
  ...both('lists.range/1', ['lists.range(l.size() / 8)', (n) => ({ l: list(n) })]),
  ...['contains', 'intersects', 'equivalent'].flatMap((name) =>
    both(`sets.${name}/2`, [`sets.${name}(l, l.map(x, x + 10))`, (n) => ({ l: list(n) })], [`sets.${name}(l, l)`, (n) => ({ l: list(n) })]),
  ),
  ...['int', 'uint', 'double', 'bool'].flatMap((name) =>
    both(
      `${name}/1`,
      t(`${name}(t)`, digits),
      t(`${name}(t)`, (n) => `${'1'.repeat(n)}.${'1'.repeat(n)}x`),
    ),
  ),
  ...both('string/1', t('string(t)', letters), t('string(bytes(t))', letters)),
  ...both('bytes/1', t('bytes(t)', letters)),
  ...both('dyn/1', t('dyn(t)', letters)),
  ...both('type/1', t('type(t)', letters)),
  ...both(
    'timestamp/1',
    t('timestamp(t)', (n) => `2026-01-02T03:04:05.${'1'.repeat(n)}x`),
  ),
  ...both(
    'duration/1',
    t('duration(t)', digits),
    t('duration(t)', (n) => '1h'.repeat(n / 2)),
    t('duration(t)', (n) => `${'1.1'.repeat(n / 3)}h`),
  ),
  ...parts.flatMap((name) => [
    ...both(`.${name}/0`, fixed(`${time}.${name}()`)),
    ...both(`.${name}/1`, t(`${time}.${name}(t)`, letters), t(`${time}.${name}(t)`, digits), [
      `l.all(z, ${time}.${name}(z) == 0)`,
      (n) => ({ l: Array.from({ length: n }, (_, i) => `Z/${i}`) }),
    ]),
  ]),
  ...both('optional.of/1 .hasValue/0', t('optional.of(t).hasValue()', letters)),
  ...both('optional.none/0', fixed('optional.none()')),
  ...both('optional.ofNonZeroValue/1', t('optional.ofNonZeroValue(t)', letters)),
  ...both('.value/0', t('optional.of(t).value()', letters)),
  ...both(
    'optional.unwrap/1 .unwrapOpt/0',
    t('optional.unwrap([optional.of(t), optional.none()]) == [optional.of(t)].unwrapOpt()', letters),
  ),
  ...both('.or/1', t('optional.none().or(optional.of(t))', letters)),
  ...both('.orValue/1', fixed('optional.none().orValue(1)')),
  ...both(
    'quantity/1 isQuantity/1',
    t('quantity(t)', digits),
    t('isQuantity(t)', (n) => '0'.repeat(n)),
    t('isQuantity(t)', (n) => `1.${'1'.repeat(n)}`),
    t('isQuantity(t)', (n) => `${' '.repeat(n)}1`),
  ),
  ...['isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub'].flatMap((name) =>
    both(`.${name}/1`, [`l.all(x, quantity('1e999').${name}(quantity('1')) != null)`, (n) => ({ l: list(n) })]),
  ),
  ...['isInteger', 'asInteger', 'asApproximateFloat'].flatMap((name) => both(`.${name}/0`, fixed(`quantity('1e999').${name}()`))),
  ...both('sign/1', fixed("sign(quantity('1e999'))")),
  ...['ip', 'isIP', 'cidr', 'isCIDR', 'ip.isCanonical'].flatMap((name) =>
    both(
      `${name}/1`,
      t(`${name}(t)`, (n) => '1.'.repeat(n / 2)),
      t(`${name}(t)`, (n) => '1:'.repeat(n / 2)),
      t(`${name}(t)`, (n) => `${':'.repeat(n)}/1`),
      t(`${name}(t)`, (n) => `::/${'1'.repeat(n)}`),
    ),
  ),
  ...['family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'].flatMap((name) =>
    both(`.${name}/0`, fixed(`ip('::1').${name}()`)),
  ),
  ...both(
    '.containsIP/1',
    t("cidr('::/0').containsIP(t)", (n) => '1:'.repeat(n / 2)),
  ),
  ...both(
    '.containsCIDR/1',
    t("cidr('::/0').containsCIDR(t)", (n) => '1:'.repeat(n / 2)),
  ),
  ...both('.ip/0', fixed("cidr('::/0').ip()")),
  ...both('.masked/0', fixed("cidr('::1/0').masked()")),
  ...both('.prefixLength/0', fixed("cidr('::1/0').prefixLength()")),
  ...['url', 'isURL'].flatMap((name) =>
    both(
      `${name}/1`,
      t(`${name}(t)`, (n) => `http://${':'.repeat(n)}`),
      t(`${name}(t)`, (n) => `http://${'%41'.repeat(n / 3)}/${'%'.repeat(n)}`),
      t(`${name}(t)`, (n) => `http://${'['.repeat(n)}`),
    ),
  ),
  ...['getScheme', 'getHost', 'getHostname', 'getPort', 'getEscapedPath', 'getQuery'].flatMap((name) =>
    both(
      `.${name}/0`,
      t(`url(t).${name}()`, (n) => `http://[${':'.repeat(n)}]:1/${' '.repeat(n)}?${'a=b&'.repeat(n / 4)}`),
      t(`url(t).${name}()`, (n) => `http://${'1'.repeat(n)}:1/`),
    ),
  ),
  ...both(
    'semver/1 isSemver/1',
    t('semver(t)', digits),
    t('isSemver(t)', (n) => `1.1.1-${'1.'.repeat(n / 2)}`),
  ),
  ...both(
    'semver/2 isSemver/2',
    t('semver(t, true)', (n) => `${'0'.repeat(n)}.1`),
    t('isSemver(t, true)', (n) => 'v'.repeat(n)),
  ),
  ...['major', 'minor', 'patch'].flatMap((name) => both(`.${name}/0`, fixed(`semver('1.2.3').${name}()`))),
  ...formats.flatMap((name) =>
    both(
      `format.${name}/0`,
      ...[letters, digits, spaced, (n: number) => 'a-'.repeat(n / 2), (n: number) => 'a.'.repeat(n / 2), (n: number) => '/'.repeat(n)].map(
        (text) => t(`format.${name}().validate(t)`, text),
      ),
    ),
  ),
  ...both('format.named/1 .validate/1', t('format.named(t)', letters)),
  ...both('.path/1', t('authorizer.path(t)', letters)),
  ...both('.group/1', t('authorizer.group(t)', letters)),
  ...both('.resource/1', t("authorizer.group('a').resource(t)", letters)),
  ...both('.check/1', t(`${check}.check(t)`, letters)),
  ...both(
    '.serviceAccount/2',
    t("authorizer.serviceAccount('n', t)", (n) => `${'a.'.repeat(n / 2)}!`),
    t('authorizer.serviceAccount(t, t)', (n) => `${'a-'.repeat(n / 2)}!`),
  ),
  ...['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'].flatMap((name) =>
    both(`.${name}/1`, t(`${check}.${name}(t).check('get')`, letters)),
  ),
  ...['allowed', 'reason', 'error', 'errored'].flatMap((name) => both(`.${name}/0`, fixed(`${check}.check('get').${name}()`))),
]);

const largeSize = 2 ** 19;

describe('cel, work of functions', function () {
  // Linear work takes milliseconds here, quadratic work hours.

  it('is known of every function', () => {
    expect(Object.keys(casesByFunction).sort()).to.deep.equal([...functionNames()].sort());
  });

  for (const [name, cases] of Object.entries(casesByFunction)) {
    it(`of ${name} is charged before it is done, and no more than that is done`, () => {
      for (const [expression, variables] of cases) {
        const small = workOf(expression, variables(1 << 12));
        const large = workOf(expression, variables(largeSize));
        const characters = Object.entries(variables(largeSize))
          .filter(([variable]) => variable === 't' && new RegExp(`\\b${variable}\\b`).test(expression))
          .reduce((sum, [, value]) => sum + (typeof value === 'string' ? value.length : 0), 0);
        expect(large.over || large.work >= characters / 40, `${expression}: ${large.work} for ${characters} characters`).to.equal(true);
        expect(large.over || large.work >= small.work, expression).to.equal(true);
      }
    });
  }

  it('is charged of lists that stand for sets when they are added', () => {
    const { work } = workOf('(l + l).size()', { l: list(1000) });
    expect(work).to.be.greaterThan(0);
  });

  it('finds texts where the engine finds them', () => {
    for (const [text, part] of [
      [almost(8000), 'ab'],
      [letters(9000), almost(4000)],
      [`${letters(5000)}b${letters(5000)}`, almost(4000)],
      ['abab'.repeat(2000), 'abab'.repeat(500)],
      [letters(5000), letters(1000)],
    ] as const) {
      expect(firstPosition(text, part)).to.equal(text.indexOf(part));
      expect(firstPosition(text, part, 17)).to.equal(text.indexOf(part, 17));
      expect(lastPosition(text, part)).to.equal(text.lastIndexOf(part));
      expect(lastPosition(text, part, 4321)).to.equal(text.lastIndexOf(part, 4321));
      expect(pieces(text, part)).to.deep.equal(text.split(part));
    }
  });

  it('counts each search of a text for what it takes, however soon it ends', () => {
    const searched = (length: number): boolean => workOf("t.findAll('a').size() > 0", { t: letters(length) }).over;
    expect(searched(30_000)).to.equal(false);
    expect(searched(60_000)).to.equal(true);
  });
});
