import {
  cidr,
  formatAddress,
  invalid,
  parseAddress,
  parseRange,
  strictly,
  withoutLeadingZeros,
  type FieldError,
  type Path,
} from '../language.js';

const wrongForm = (text: string): string => `must be in canonical form ("${text}")`;

export function canonicalCidr(value: string, path: Path): FieldError[] {
  const findings = strictly(cidr(value, path));
  const text = parseRange(value)?.text;
  return findings.length > 0 || text === undefined || text === value ? findings : [invalid(path, value, wrongForm(text))];
}

const mapped = 0xffffn;
const familyBits = 32n;

export function addressNameProblems(name: string): string[] {
  const address = parseAddress(name);
  if (address === null)
    return [
      parseAddress(withoutLeadingZeros(name)) === null
        ? 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
        : 'must not have leading 0s',
    ];
  if (address.family === 'IPv6' && address.value >> familyBits === mapped) return ['must not be an IPv4-mapped IPv6 address'];
  const text = formatAddress(address);
  return text === name ? [] : [wrongForm(text)];
}
