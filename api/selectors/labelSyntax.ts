const none: readonly string[] = [];
const nameLengthMax = 63;
const prefixLengthMax = 253;
const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const nameProblem =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueProblem =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const prefixProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Validates an optional DNS subdomain and `/`, then a name. Empty if valid. */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2)
    return [`a valid label key ${nameProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? prefixProblems(parts[0] ?? '') : []), ...nameProblems(name).map((problem) => `name part ${problem}`)];
}

/** Returns an empty list for a valid value. */
export function labelValueProblems(value: string): readonly string[] {
  // The pattern allows ASCII alone, so a character is a byte.
  if (value === '' || (value.length <= nameLengthMax && namePattern.test(value))) return none;
  const problems: string[] = [];
  if (Buffer.byteLength(value) > nameLengthMax) problems.push(tooLong(nameLengthMax, 'bytes'));
  if (!namePattern.test(value)) problems.push(valueProblem);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems: string[] = [];
  if (Buffer.byteLength(prefix) > prefixLengthMax) problems.push(`prefix part ${tooLong(prefixLengthMax, 'characters')}`);
  if (!prefixPattern.test(prefix)) problems.push(`prefix part ${prefixProblem}`);
  return problems;
}

function nameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name === '') problems.push('must be non-empty');
  else if (Buffer.byteLength(name) > nameLengthMax) problems.push(tooLong(nameLengthMax, 'bytes'));
  if (!namePattern.test(name)) problems.push(nameProblem);
  return problems;
}

const tooLong = (max: number, unit: string): string => `must be no more than ${max} ${unit}`;
