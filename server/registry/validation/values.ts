import { isIPv4 } from 'node:net';
import type { JsonValue } from '../../../api/object.js';
import { isMapped, parseAddress, parseOldAddress, spelling, withoutLeadingZeros } from './addresses.js';
import type { Path } from './field.js';
import { invalid, keepable, notSupported, required, type FieldError } from './field.js';
import { dns1035LabelName, dnsLabelName, labelValueProblems, qualifiedNameProblems, subdomainName, type NameRule } from './names.js';
import { whileOff, whileOn } from './gatedFindings.js';
import { ofEach, type Found } from './ofEach.js';

/** Rules for single values that many kinds share, in the reference's words. */
export const between = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;
const numberOf = (value: JsonValue | undefined): number => Number(value ?? 0);

export const nonNegative = (value: JsonValue | undefined, path: Path): FieldError[] =>
  numberOf(value) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];

export const positive = (value: JsonValue | undefined, path: Path): FieldError[] =>
  numberOf(value) <= 0 ? [invalid(path, value, 'must be greater than 0')] : [];

export const inRange = (value: JsonValue | undefined, low: number, high: number, path: Path): FieldError[] =>
  numberOf(value) < low || numberOf(value) > high ? [invalid(path, value, between(low, high))] : [];

export const portNumber = (value: JsonValue | undefined, path: Path): FieldError[] => inRange(value ?? 0, 1, 65535, path);

/** Checks the name of a port (RFC 6335 service name). */
function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

export const portName = (value: string, path: Path): FieldError[] => portNameProblems(value).map((text) => invalid(path, value, text));

/** Checks a port number, or the name that some container gives a port. */
export function portNumberOrName(value: JsonValue | undefined, path: Path): FieldError[] {
  if (typeof value === 'string') return portName(value, path);
  return portNumber(value, path);
}

const addressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

const unusual = (problem: string, value: string, path: Path): FieldError[] =>
  whileOn('StrictIPCIDRValidation', keepable(spelling(value), [invalid(path, value, problem)]));

/** Stored spellings may stay. */
export function ipAddress(value: string, path: Path): FieldError[] {
  const address = parseAddress(value);
  if (address === null)
    return isIPv4(withoutLeadingZeros(value)) ? unusual('must not have leading 0s', value, path) : [invalid(path, value, addressText)];
  return isMapped(address) ? unusual('must not be an IPv4-mapped IPv6 address', value, path) : [];
}

/** The reference makes no further checks while the spelling is refused. */
export function addressAnd(value: string, path: Path, further: () => FieldError[]): FieldError[] {
  const malformed = ipAddress(value, path);
  if (malformed.length === 0) return further();
  return parseOldAddress(value) === null ? malformed : [...malformed, ...whileOff('StrictIPCIDRValidation', further())];
}

/** Accepts leading zeros, as earlier parsers did. */
export const notAddress = (host: string, path: Path): FieldError[] =>
  parseOldAddress(host) === null ? [] : [invalid(path, host, 'must be a DNS name, not an IP address')];

/** An absent or empty value is refused as required. */
export const oneOf = (value: JsonValue | undefined, supported: readonly string[], path: Path): FieldError[] =>
  value === undefined || value === null || value === '' ? [required(path, '')] : unlessListed(value, supported, path);

/** Like `oneOf`, for members that may be absent. */
export const optionallyOneOf = (value: JsonValue | undefined, supported: readonly string[], path: Path): FieldError[] =>
  value === undefined || value === null ? [] : unlessListed(value, supported, path);

const unlessListed = (value: JsonValue, supported: readonly string[], path: Path): FieldError[] =>
  supported.includes(String(value)) ? [] : [notSupported(path, value, supported)];

export const named = (value: string, rule: NameRule, path: Path): FieldError[] =>
  rule(value, false).map((text) => invalid(path, value, text));
export const dns1035Label = (value: string, path: Path): FieldError[] => named(value, dns1035LabelName, path);
export const dnsLabel = (value: string, path: Path): FieldError[] => named(value, dnsLabelName, path);
export const dnsSubdomain = (value: string, path: Path): FieldError[] => named(value, subdomainName, path);
export const qualified = (value: string, path: Path): FieldError[] =>
  qualifiedNameProblems(value).map((text) => invalid(path, value, text));

/** Errors of keys and values both name the map itself. */
export const labelMap = (labels: Readonly<Record<string, JsonValue | undefined>> = {}, path: Path): Found =>
  ofEach(Object.keys(labels), (key) => [
    ...qualifiedNameProblems(key).map((text) => invalid(path, key, text)),
    ...labelValueProblems(String(labels[key])).map((text) => invalid(path, labels[key], text)),
  ]);

/** Checks a path below some directory: relative, and never up. */
export function localPath(value: string, path: Path): FieldError[] {
  return [...(value.startsWith('/') ? [invalid(path, value, 'must be a relative path')] : []), ...noBacksteps(value, path)];
}

export const noBacksteps = (value: string, path: Path): FieldError[] =>
  value.includes('..') && value.split('/').includes('..') ? [invalid(path, value, "must not contain '..'")] : [];

const fileModeText = 'must be a number between 0 and 0777 (octal), both inclusive';
export const fileMode = (value: JsonValue | undefined, path: Path): FieldError[] =>
  value !== undefined && value !== null && (Number(value) < 0 || Number(value) > 0o777) ? [invalid(path, value, fileModeText)] : [];

const configKey = /^[-._a-zA-Z0-9]+$/;
export function configMapKeyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!configKey.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}
