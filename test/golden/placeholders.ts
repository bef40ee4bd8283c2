import { isObject } from '../../api/json/json.js';

/**
 * Placeholders replace what differs between servers and runs: `${ns}` and `${r}` for the namespace and random word, `<uid>`, `<time>`, `<ip>` ... for values
 * that servers choose.
 */
export type Names = Readonly<Record<string, unknown>>;

/** Replaces `${NAME}` by its value in all texts and member names. */
export function filled<T>(value: T, names: Names): T {
  return fill(value, names) as T;
}

function fill(value: unknown, names: Names): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{(\w+)\}/g, (found, name: string) => (Object.hasOwn(names, name) ? String(names[name]) : found));
  if (Array.isArray(value)) return value.map((each) => fill(each, names));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [fill(name, names), fill(member, names)]))
    : value;
}

/** A text or number, its member (or its list's), and the object with that member. */
interface Leaf<T> {
  readonly value: T;
  readonly member: string;
  readonly parent: Readonly<Record<string, unknown>>;
}
interface Rules {
  text(leaf: Leaf<string>): string;
  number(leaf: Leaf<number>): unknown;
}

/** Sorts members, so that objects can be compared as texts. */
function replaced(value: unknown, rules: Rules, member = '', parent: Readonly<Record<string, unknown>> = {}): unknown {
  if (typeof value === 'string') return rules.text({ value, member, parent });
  if (typeof value === 'number') return rules.number({ value, member, parent });
  if (Array.isArray(value)) return value.map((each) => replaced(each, rules, member, parent));
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((name) => [name, replaced(value[name], rules, name, value)]),
      )
    : value;
}

const wholeTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const anyTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g;
const resourceVersionInText = /resourceVersion: ?"?\d+"?/g;
const quotedResourceVersion = /(\\*"resourceVersion\\*":\\*")\d+/g;
const isAddress = ({ value, member }: Leaf<string>): boolean =>
  (member === 'clusterIP' || member === 'clusterIPs') && value !== '' && value !== 'None';
const isPort = ({ member }: Leaf<number>): boolean => member === 'nodePort' || member === 'healthCheckNodePort';
/** Longer texts are tokens. */
const nameCharactersMax = 40;

/** Puts placeholders into the answers of scenarios. */
export const scenarioPlaceholders = (value: unknown, names: Names): unknown =>
  replaced(value, {
    number: (leaf) => (isPort(leaf) && leaf.value !== 0 ? '<port>' : leaf.value),
    text(leaf) {
      const { value: text, member } = leaf;
      if (member === 'resourceVersion') return text === '' || text === '0' ? text : '<rv>';
      if (wholeTime.test(text)) return '<time>';
      if (member === 'continue' && text !== '') return '<continue>';
      if (isAddress(leaf)) return '<ip>';
      if (isUserName(member) && text === administrator) return recorder;
      if (member === 'token' && text.length > nameCharactersMax) return '<token>';
      return (generatedName(leaf, names) ?? unnamed(text.replace(uid, '<uid>').replace(certificate, '<certificate>'), names, ['ns', 'r']))
        .replace(resourceVersionInText, 'resourceVersion: <rv>')
        .replace(quotedResourceVersion, '$1<rv>')
        .replace(anyTime, '<time>');
    },
  });

function generatedName({ value, member, parent: { generateName } }: Leaf<string>, names: Names): string | null {
  if (member !== 'name' || typeof generateName !== 'string' || generateName === '' || !value.startsWith(generateName)) return null;
  return `${unnamed(generateName, names, ['ns', 'r'])}<suffix>`;
}

/** Replaces values of a run by their names. */
function unnamed(text: string, names: Names, which: readonly string[]): string {
  return which.reduce((known, name) => {
    const value = names[name];
    return typeof value === 'string' && value !== '' ? known.replaceAll(value, `\${${name}}`) : known;
  }, text);
}

const isUserName = (member: string): boolean => member === 'username' || member.endsWith('/username');
/** The replaying and the recording user. */
const administrator = 'kubernetes-admin';
const recorder = 'admin';

/** The first port for services. */
const nodePortMin = 30_000;

/** Puts placeholders into the answers of variations. */
export const variationPlaceholders = (value: unknown, names: Names): unknown =>
  replaced(value, {
    number: (leaf) => (isPort(leaf) && leaf.value >= nodePortMin ? '<port>' : leaf.value),
    text(leaf) {
      if (isAddress(leaf)) return '<ip>';
      if (isUserName(leaf.member) && leaf.value === administrator) return recorder;
      const known = leaf.value
        .replace(/^X509SHA256=[0-9a-f]{64}$/, 'X509SHA256=<certificate>')
        .replace(uid, '<uid>')
        .replace(resourceVersionInText, 'resourceVersion: <rv>')
        .replace(anyTime, '<time>')
        .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>')
        .replace(/\d+\.\d+\.\d+\.\d+\/\d+ The range of valid/g, '<range> The range of valid');
      return unnamed(known, names, Object.keys(names));
    },
  });
