/** `prefix` means that the value is a generateName, which may end in a dash. */
export type NameRule = (name: string, prefix: boolean) => string[];

const labelMax = 63;
const subdomainMax = 253;

const dnsLabelSource = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1035LabelSource = '[a-z]([-a-z0-9]*[a-z0-9])?';
const subdomainSource = `${dnsLabelSource}(\\.${dnsLabelSource})*`;
const qualifiedPartSource = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValueSource = `(${qualifiedPartSource})?`;
const wildcardSource = `\\*\\.${subdomainSource}`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const dnsLabel = whole(dnsLabelSource);
const dns1035Label = whole(dns1035LabelSource);
const subdomain = whole(subdomainSource);
const qualifiedPart = whole(qualifiedPartSource);
const labelValue = whole(labelValueSource);
const wildcard = whole(wildcardSource);

/** The reference describes a pattern as `must consist of …, (e.g. 'a', or 'b', regex used for validation is '…')`. */
const patternText = (rule: string, pattern: string, examples: readonly string[]): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
const tooManyCharacters = (max: number): string => `must be no more than ${max} characters`;
const tooManyBytes = (max: number): string => `must be no more than ${max} bytes`;

const labelText = patternText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  dnsLabelSource,
  ['my-name', '123-abc'],
);
const label1035Text = patternText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  dns1035LabelSource,
  ['my-name', 'abc-123'],
);
const subdomainWords = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainSource,
  ['example.com'],
);
const caselessSubdomainWords = patternText(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainSource,
  ['Example.com'],
);
const qualifiedText = patternText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedPartSource,
  ['MyName', 'my.name', '123-abc'],
);
const labelValueText = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValueSource,
  ['MyValue', 'my_value', '12345'],
);

const wildcardWords = patternText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcardSource,
  ['*.example.com'],
);

/** A pattern admits only ASCII: bytes equal characters. */
const isGood = (text: string, pattern: RegExp, max: number): boolean => text.length <= max && pattern.test(text);
const bytes = (text: string): number => Buffer.byteLength(text);
/** A prefix may end in a dash. */
const unmasked = (name: string, prefix: boolean): string =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

export const dnsLabelName: NameRule = (name, prefix) => {
  if (isGood(name, dnsLabel, labelMax)) return [];
  const text = unmasked(name, prefix);
  const problems = bytes(text) > labelMax ? [tooManyCharacters(labelMax)] : [];
  if (dnsLabel.test(text)) return problems;
  return [...problems, subdomain.test(text) ? 'must not contain dots' : labelText];
};

export const dns1035LabelName: NameRule = (name, prefix) => {
  const text = unmasked(name, prefix);
  return [...(bytes(text) > labelMax ? [tooManyCharacters(labelMax)] : []), ...(dns1035Label.test(text) ? [] : [label1035Text])];
};

export const subdomainName: NameRule = (name, prefix) => {
  if (isGood(name, subdomain, subdomainMax)) return [];
  const text = unmasked(name, prefix);
  return [...(bytes(text) > subdomainMax ? [tooManyCharacters(subdomainMax)] : []), ...(subdomain.test(text) ? [] : [subdomainWords])];
};

/** The rule of schemas counts bytes. */
export const longName: NameRule = (name, prefix) =>
  subdomainName(name, prefix).map((text) => (text === tooManyCharacters(subdomainMax) ? tooManyBytes(subdomainMax) : text));

/** This rule counts bytes as well. */
export const shortName: NameRule = (name, prefix) =>
  dnsLabelName(name, prefix).map((text) => (text === tooManyCharacters(labelMax) ? tooManyBytes(labelMax) : text));

/** A subdomain with or without capitals; the pattern in the message has none. */
export const caselessSubdomain: NameRule = (name) => [
  ...(bytes(name) > subdomainMax ? [tooManyBytes(subdomainMax)] : []),
  ...(subdomain.test(name.toLowerCase()) ? [] : [caselessSubdomainWords]),
];

/** A subdomain whose first label is left open. */
export const wildcardName: NameRule = (name) => [
  ...(bytes(name) > subdomainMax ? [tooManyCharacters(subdomainMax)] : []),
  ...(wildcard.test(name) ? [] : [wildcardWords]),
];

/** The rule of the RBAC kinds. */
export const pathSegmentName: NameRule = (name, prefix) => {
  const problems = ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`);
  return !prefix && (name === '.' || name === '..') ? [`may not be '${name}'`] : problems;
};

/** `name` or `prefix/name`. */
export const qualifiedNameProblems = (key: string): string[] => {
  const slash = key.indexOf('/');
  if (isGood(key.slice(slash + 1), qualifiedPart, labelMax) && (slash < 0 || isGood(key.slice(0, slash), subdomain, subdomainMax)))
    return [];
  const parts = key.split('/');
  if (parts.length > 2)
    return [`a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [prefix, name] = parts.length === 2 ? [parts[0], parts[1] ?? ''] : [undefined, parts[0] ?? ''];
  return [...(prefix === undefined ? [] : prefixProblems(prefix)), ...partProblems(name)];
};

const prefixProblems = (prefix: string): string[] =>
  prefix === '' ? ['prefix part must be non-empty'] : subdomainName(prefix, false).map((text) => `prefix part ${text}`);

const partProblems = (name: string): string[] => [
  ...(name === '' ? ['name part must be non-empty'] : bytes(name) > labelMax ? [`name part ${tooManyBytes(labelMax)}`] : []),
  ...(qualifiedPart.test(name) ? [] : [`name part ${qualifiedText}`]),
];

export const labelValueProblems = (value: string): string[] =>
  isGood(value, labelValue, labelMax)
    ? []
    : [...(bytes(value) > labelMax ? [tooManyBytes(labelMax)] : []), ...(labelValue.test(value) ? [] : [labelValueText])];
