import type { EndpointPort } from '../../api/types/core/v1.js';

/** Orders ports of slices like the reference: by a hash of their Go print form. Pure. */

export type SlicePort = Partial<EndpointPort>;

const offset = 0x6c62272e07bb014262b821756295c58dn;
const prime = 0x0000000001000000000000000000013bn;
const mask = (1n << 128n) - 1n;

/** FNV-1a with 128 bits, over the UTF-8 bytes of a text, as 32 hexadecimal digits. */
function fnv128a(text: string): string {
  let hash = offset;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash.toString(16).padStart(32, '0');
}

const pointer = (type: string, value: string | number | undefined): string => `(*${type})${value ?? '<nil>'}`;

const printed = ({ name, protocol, port, appProtocol }: SlicePort): string =>
  `(v1.EndpointPort){Name:${pointer('string', name)} Protocol:${pointer('v1.Protocol', protocol)} Port:${pointer('int32', port)} AppProtocol:${pointer('string', appProtocol)}}`;

export function inOrder<P extends SlicePort>(ports: readonly P[]): readonly P[] {
  if (ports.length < 2) return ports;
  return ports
    .map((port) => ({ port, hash: fnv128a(printed(port)) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
    .map(({ port }) => port);
}

/** Returns equal keys for the same ports in any order, and for none or an empty list. */
export const portKey = (ports: readonly SlicePort[] | null | undefined): string =>
  inOrder(ports ?? [])
    .map(printed)
    .join(' ');
