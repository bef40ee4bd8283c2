/**
 * Rules for names. Each function returns complaints in the reference's words, empty for a good name.
 * `prefix` means that the value is a generateName: what follows it is known to be fine, so a trailing dash is.
 */
export type NameRule = (name: string, prefix: boolean) => string[];

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const QUALIFIED_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_PART})?`;
const WILDCARD = `\\*\\.${SUBDOMAIN}`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const dnsLabel = whole(DNS_LABEL);
const dns1035Label = whole(DNS_1035_LABEL);
const subdomain = whole(SUBDOMAIN);
const qualifiedPart = whole(QUALIFIED_PART);
const labelValue = whole(LABEL_VALUE);
const wildcard = whole(WILDCARD);

/** `must consist of …, (e.g. 'a',  or 'b', regex used for validation is '…')`: how the reference spells a pattern. */
const patternText = (rule: string, pattern: string, examples: readonly string[]): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
const tooManyCharacters = (max: number): string => `must be no more than ${max} characters`;
const tooManyBytes = (max: number): string => `must be no more than ${max} bytes`;

const LABEL_TEXT = patternText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  DNS_LABEL,
  ['my-name', '123-abc'],
);
const LABEL_1035_TEXT = patternText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  DNS_1035_LABEL,
  ['my-name', 'abc-123'],
);
const SUBDOMAIN_TEXT = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  ['example.com'],
);
const QUALIFIED_TEXT = patternText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_PART,
  ['MyName', 'my.name', '123-abc'],
);
const LABEL_VALUE_TEXT = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ['MyValue', 'my_value', '12345'],
);

const WILDCARD_TEXT = patternText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD,
  ['*.example.com'],
);

/** Whether there is nothing to complain about: what a pattern admits is ASCII, as many bytes as characters. */
const isGood = (text: string, pattern: RegExp, max: number): boolean => text.length <= max && pattern.test(text);
const bytes = (text: string): number => Buffer.byteLength(text);
/** A prefix may end in a dash; the character before it then must not be the end of a name. */
const unmasked = (name: string, prefix: boolean): string =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

export const dnsLabelName: NameRule = (name, prefix) => {
  if (isGood(name, dnsLabel, LABEL_MAX)) return [];
  const text = unmasked(name, prefix);
  const complaints = bytes(text) > LABEL_MAX ? [tooManyCharacters(LABEL_MAX)] : [];
  if (dnsLabel.test(text)) return complaints;
  return [...complaints, subdomain.test(text) ? 'must not contain dots' : LABEL_TEXT];
};

export const dns1035LabelName: NameRule = (name, prefix) => {
  const text = unmasked(name, prefix);
  return [...(bytes(text) > LABEL_MAX ? [tooManyCharacters(LABEL_MAX)] : []), ...(dns1035Label.test(text) ? [] : [LABEL_1035_TEXT])];
};

export const subdomainName: NameRule = (name, prefix) => {
  if (isGood(name, subdomain, SUBDOMAIN_MAX)) return [];
  const text = unmasked(name, prefix);
  return [...(bytes(text) > SUBDOMAIN_MAX ? [tooManyCharacters(SUBDOMAIN_MAX)] : []), ...(subdomain.test(text) ? [] : [SUBDOMAIN_TEXT])];
};

/** The same for kinds whose names are checked by the rule that their schema declares: it counts bytes. */
export const longName: NameRule = (name, prefix) =>
  subdomainName(name, prefix).map((text) => (text === tooManyCharacters(SUBDOMAIN_MAX) ? tooManyBytes(SUBDOMAIN_MAX) : text));

/** A subdomain whose first label is left open. */
export const wildcardName: NameRule = (name) => [
  ...(bytes(name) > SUBDOMAIN_MAX ? [tooManyCharacters(SUBDOMAIN_MAX)] : []),
  ...(wildcard.test(name) ? [] : [WILDCARD_TEXT]),
];

/** What can stand between two slashes of a path: the rule of the RBAC kinds. */
export const pathSegmentName: NameRule = (name, prefix) => {
  const complaints = ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`);
  return !prefix && (name === '.' || name === '..') ? [`may not be '${name}'`] : complaints;
};

/** Keys of labels and annotations, and finalizers: `name` or `prefix/name`. */
export const qualifiedNameComplaints = (key: string): string[] => {
  if (isGood(key, qualifiedPart, LABEL_MAX)) return [];
  const parts = key.split('/');
  if (parts.length > 2)
    return [`a valid label key ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [prefix, name] = parts.length === 2 ? [parts[0], parts[1] ?? ''] : [undefined, parts[0] ?? ''];
  return [...(prefix === undefined ? [] : prefixComplaints(prefix)), ...partComplaints(name)];
};

const prefixComplaints = (prefix: string): string[] =>
  prefix === '' ? ['prefix part must be non-empty'] : subdomainName(prefix, false).map((text) => `prefix part ${text}`);

const partComplaints = (name: string): string[] => [
  ...(name === '' ? ['name part must be non-empty'] : bytes(name) > LABEL_MAX ? [`name part ${tooManyBytes(LABEL_MAX)}`] : []),
  ...(qualifiedPart.test(name) ? [] : [`name part ${QUALIFIED_TEXT}`]),
];

export const labelValueComplaints = (value: string): string[] =>
  isGood(value, labelValue, LABEL_MAX)
    ? []
    : [...(bytes(value) > LABEL_MAX ? [tooManyBytes(LABEL_MAX)] : []), ...(labelValue.test(value) ? [] : [LABEL_VALUE_TEXT])];
