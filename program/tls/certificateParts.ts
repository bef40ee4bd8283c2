import { isIPv4 } from 'node:net';
import { bits, boolean, implicit, identifier, octets, sequence } from './der.js';

/** RFC 5280, 4.2.1.3: the first bit is the highest. */
const keyUsages = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 } as const;

export const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(identifier(id), ...(critical ? [boolean(true)] : []), octets(value));

/** `cA` is absent for other certificates than authorities: DER omits false, the default. */
export const basicConstraints = (isAuthority: boolean): Buffer =>
  extension('2.5.29.19', sequence(...(isAuthority ? [boolean(true)] : [])), true);

export function keyUsage(usages: readonly (keyof typeof keyUsages)[]): Buffer {
  const places = usages.map((usage) => keyUsages[usage]);
  const byte = places.reduce<number>((sum, place) => sum | (0x80 >> place), 0);
  return extension('2.5.29.15', bits(Buffer.of(byte), 7 - Math.max(...places)), true);
}

export const dnsName = (name: string): Buffer => implicit(2, Buffer.from(name, 'ascii'));

export const ipAddress = (address: string): Buffer =>
  implicit(7, isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address));

/** The URL parser writes the last 32 bits in hexadecimal, and shortens zeroes in one place. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeroes = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeroes, ...after].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]));
}
