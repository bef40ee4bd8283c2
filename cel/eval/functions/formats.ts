import { ArrayList, noOverload, Opaque, Optional } from '../values.js';
import { parseDate, parseTimestamp } from '../clock.js';
import type { Library } from './library.js';
import { urlProblem } from './urls.js';

/** Formats of names and other texts, with the reference's validation messages. */

type Check = (text: string) => string[];

const hint = (example: string, pattern: string): string => `(e.g. ${example}, regex used for validation is '${pattern}')`;
const examples = (...all: string[]): string => all.map((one) => `'${one}'`).join(', or ');

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const name1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const subdomain = `${label}(\\.${label})*`;

const labelSource = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ${hint(examples('my-name', '123-abc'), label)}`;
const subdomainSource = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character ${hint("'example.com'", subdomain)}`;
const name1035Source = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character ${hint(examples('my-name', 'abc-123'), name1035)}`;
const value = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ${hint(examples('MyValue', 'my_value', '12345'), labelValue)}`;
const namePartSource = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ${hint(examples('MyName', 'my.name', '123-abc'), qualified)}`;

const longer = (text: string, max: number): string[] => (Buffer.byteLength(text) > max ? [`must be no more than ${max} bytes`] : []);
const matching = (max: number, pattern: string, problem: string): Check => {
  const whole = new RegExp(`^(?:${pattern})$`);
  return (text) => [...longer(text, max), ...(whole.test(text) ? [] : [problem])];
};
/** A name prefix may end in a hyphen. */
const prefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
const dns1123Label = matching(63, label, labelSource);
const dns1123Subdomain = matching(253, subdomain, subdomainSource);
const dns1035Label = matching(63, name1035, name1035Source);

const namePart = new RegExp(`^(?:${qualified})$`);

function qualifiedName(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2)
    return [`a valid label key ${namePartSource} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [domain, name = ''] = parts.length === 2 ? parts : [undefined, ...parts];
  return [
    ...(domain === undefined
      ? []
      : domain === ''
        ? ['prefix part must be non-empty']
        : dns1123Subdomain(domain).map((one) => `prefix part ${one}`)),
    ...(name === '' ? ['name part must be non-empty'] : Buffer.byteLength(name) > 63 ? ['name part must be no more than 63 bytes'] : []),
    ...(namePart.test(name) ? [] : [`name part ${namePartSource}`]),
  ];
}

const simple =
  (fits: (text: string) => boolean, problem: string): Check =>
  (text) =>
    fits(text) ? [] : [problem];

const checks: Readonly<Record<string, Check>> = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: prefix(dns1123Label),
  dns1123SubdomainPrefix: prefix(dns1123Subdomain),
  dns1035LabelPrefix: prefix(dns1035Label),
  labelValue: matching(63, labelValue, value),
  uri: (text) => {
    const problem = urlProblem(text);
    return problem === null ? [] : [problem];
  },
  uuid: simple(
    (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
    'does not match the UUID format',
  ),
  byte: simple((text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text), 'invalid base64'),
  date: simple((text) => parseDate(text) !== null, 'invalid date'),
  datetime: simple((text) => parseTimestamp(text) !== null, 'invalid datetime'),
};

/** Lengths of patterns, from which the reference computes the cost of checks. */
const patternSizes: Readonly<Record<string, number>> = {
  dns1123Label: 30,
  dns1123Subdomain: 60,
  dns1035Label: 30,
  qualifiedName: 60,
  dns1123LabelPrefix: 30,
  dns1123SubdomainPrefix: 60,
  dns1035LabelPrefix: 30,
  labelValue: 40,
  uri: 1103,
  uuid: 70,
  byte: 84,
  date: 71,
  datetime: 71,
};

export class NamedFormat extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  constructor(
    readonly name: string,
    readonly check: Check,
  ) {
    super();
  }
  get patternSize(): number {
    return patternSizes[this.name] ?? 0;
  }
  equals(other: Opaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

const made: ReadonlyMap<string, NamedFormat> = new Map(Object.entries(checks).map(([name, check]) => [name, new NamedFormat(name, check)]));

export const formats: Library = {
  ...Object.fromEntries([...made].map(([name, format]) => [`format.${name}/0`, () => format])),
  'format.named/1': ([name]) => (typeof name === 'string' ? new Optional(made.get(name)) : noOverload),
  '.validate/1': ([format, text]) => {
    if (!(format instanceof NamedFormat) || typeof text !== 'string') return noOverload;
    const problems = format.check(text);
    return problems.length === 0 ? Optional.none : new Optional(new ArrayList(problems));
  },
};
