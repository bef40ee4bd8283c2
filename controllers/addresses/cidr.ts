import net from 'node:net';

/** Ranges of IP addresses. Pure. */

export type Family = 4 | 6;
export const bitsOf = (family: Family): number => (family === 4 ? 32 : 128);

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}
export interface Cidr extends Address {
  readonly prefix: number;
}

/** An IPv4-mapped IPv6 address is none of either family. */
export function parseAddress(text: string): Address | null {
  if (net.isIPv4(text)) return { family: 4, value: text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n) };
  if (!net.isIPv6(text) || text.includes('.') || text.includes('%')) return null;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill('0');
  return { family: 6, value: [...first, ...zeros, ...last].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n) };
}

/** Parses a range and clears its host bits; null for invalid text. */
export function parseCidr(text: string): Cidr | null {
  const [ip = '', length = '', more] = text.split('/');
  const address = parseAddress(ip);
  if (!address || more !== undefined || !/^\d{1,3}$/.test(length)) return null;
  const prefix = Number(length);
  if (prefix > bitsOf(address.family)) return null;
  const hostBits = BigInt(bitsOf(address.family) - prefix);
  return { family: address.family, value: (address.value >> hostBits) << hostBits, prefix };
}

/** Formats an address; shortens the first of the longest runs of zeros in an IPv6 address. */
export function addressText({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const runs = [...groups.join(':').matchAll(/(?:^|:)(0(?::0)+)(?=:|$)/g)].map(([, run = '']) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const zeros = longest.split(':').length;
  const at = groups.findIndex((_, index) => groups.slice(index, index + zeros).every((group) => group === '0') && index + zeros <= 8);
  return `${groups.slice(0, at).join(':')}::${groups.slice(at + zeros).join(':')}`;
}

export const cidrText = (cidr: Cidr): string => `${addressText(cidr)}/${cidr.prefix}`;

export const contains = (range: Cidr, { family, value }: Address): boolean => {
  const hostBits = BigInt(bitsOf(family) - range.prefix);
  return range.family === family && value >> hostBits === range.value >> hostBits;
};
export const holdsRange = (outer: Cidr, inner: Cidr): boolean => outer.prefix <= inner.prefix && contains(outer, inner);
export const overlap = (a: Cidr, b: Cidr): boolean => holdsRange(a, b) || holdsRange(b, a);
