import { isIPv4, isIPv6 } from 'node:net';
import { invalid, keepable, type Path, type FieldError } from './field.js';
import { whileOn } from './gatedFindings.js';

/** Addresses and ranges of both families, as numbers. */
export type Family = 'IPv4' | 'IPv6';
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}
/** All addresses whose first `bits` bits equal those of `first`. */
export interface Range {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  readonly text: string;
}

const width: Readonly<Record<Family, number>> = { IPv4: 32, IPv6: 128 };
const groupsOfAddress = 8;

/** Zones do not belong to addresses here. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return { family: 'IPv4', value: fourValue(text) };
  return isIPv6(text) && !text.includes('%') ? { family: 'IPv6', value: sixValue(text) } : null;
}

const fourValue = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);

function sixValue(text: string): bigint {
  const dotted = /[^:]+\.[^:]+$/.exec(text)?.[0];
  const four = dotted === undefined ? null : fourValue(dotted);
  const plain = four === null ? text : text.replace(dotted ?? '', `${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`);
  const [head = [], tail = []] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = plain.includes('::') ? [...head, ...Array<string>(groupsOfAddress - head.length - tail.length).fill('0'), ...tail] : head;
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** Returns the usual spelling; RFC 5952 for IPv6. */
export function formatAddress({ family, value }: Address): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: groupsOfAddress }, (_, index) =>
    ((value >> BigInt(16 * (groupsOfAddress - 1 - index))) & 0xffffn).toString(16),
  );
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return groups.join(':');
  return `${groups.slice(0, zeros.start).join(':')}::${groups.slice(zeros.start + zeros.length).join(':')}`;
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** Bits after the prefix are cleared. */
export function parseRange(text: string): Range | null {
  const [head = '', bits = '', rest] = text.split('/');
  const address = parseAddress(head);
  if (address === null || rest !== undefined || !/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > width[address.family]) return null;
  const size = 1n << BigInt(width[address.family] - Number(bits));
  const first = (address.value / size) * size;
  return {
    family: address.family,
    first,
    last: first + size - 1n,
    text: `${formatAddress({ family: address.family, value: first })}/${bits}`,
  };
}

export const contains = (range: Range, { family, value }: Address): boolean =>
  range.family === family && value >= range.first && value <= range.last;
/** RFC 4291, section 2.5.5.2, in any spelling. */
export const isMapped = ({ family, value }: Address): boolean => family === 'IPv6' && value >> 32n === mapped;
const mapped = 0xffffn;

/** Earlier parsers skipped leading zeros; others read them as octal. */
export const withoutLeadingZeros = (text: string): string => text.replace(/(^|\.)0+(?=\d)/g, '$1');

/** Accepts leading zeros and IPv4-mapped addresses, which yield IPv4. They may be stored from before the rule, or with `StrictIPCIDRValidation` off. */
export function parseOldAddress(text: string): Address | null {
  const address = parseAddress(withoutLeadingZeros(text));
  return address !== null && isMapped(address) ? { family: 'IPv4', value: address.value & 0xffffffffn } : address;
}

/** The same for ranges. */
export const parseOldRange = (text: string): Range | null => parseRange(withoutLeadingZeros(text).replace(/\/0+(?=\d)/, '/'));

export const isSixText = (text: string): boolean => parseOldAddress(text)?.family === 'IPv6';

/** The fault that stored addresses and ranges may keep. */
export const spelling = (value: string): string => `spelling of ${value}`;

const rangeText = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** No bits may be set after the prefix. Stored spellings may stay. */
export function cidr(value: string, path: Path): FieldError[] {
  const range = parseRange(value);
  const unusual = (text: string): FieldError[] =>
    whileOn('StrictIPCIDRValidation', keepable(spelling(value), [invalid(path, value, text)]));
  if (range === null)
    return parseOldRange(value) === null ? [invalid(path, value, rangeText)] : unusual('must not have leading 0s in IP or prefix length');
  const address = parseAddress(value.split('/')[0] ?? '');
  if (address !== null && isMapped(address)) return unusual('must not have an IPv4-mapped IPv6 address');
  return address?.value === range.first ? [] : unusual('must not have bits set beyond the prefix length');
}

const specialRanges: readonly (readonly [ranges: readonly string[], problem: string])[] = [
  [['127.0.0.0/8', '::1/128'], 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [['169.254.0.0/16', 'fe80::/10'], 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [['224.0.0.0/24', 'ff02::/16'], 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];
let special: readonly { readonly ranges: readonly (Range | null)[]; readonly problem: string }[] | null = null;
/** Node's first parse of an IPv6 address takes 20 ms. */
const readSpecial = (): NonNullable<typeof special> =>
  (special ??= specialRanges.map(([ranges, problem]) => ({ ranges: ranges.map(parseRange), problem })));

/** Checks an address that traffic can be sent to. */
export function endpointAddress(value: string, path: Path): FieldError[] {
  const address = parseOldAddress(value);
  if (address === null) return [invalid(path, value, 'must be a valid IP address')];
  return [
    ...(address.value === 0n ? [invalid(path, value, `may not be unspecified (${value})`)] : []),
    ...readSpecial()
      .filter(({ ranges }) => ranges.some((range) => range !== null && contains(range, address)))
      .map(({ problem }) => invalid(path, value, problem)),
  ];
}

/** Reports whether the two texts are one address of each family. */
export const isDualStack = (texts: readonly string[]): boolean =>
  texts.length === 2 && isSixText(texts[0] ?? '') !== isSixText(texts[1] ?? '');
