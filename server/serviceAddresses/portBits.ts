import type { PortRange } from './ranges.js';

/**
 * A bit per port of a range, from the lowest bit of the first byte. A RangeAllocation has the same bits as a big-endian number without leading zero bytes
 * (Go's `big.Int`), in base64.
 */
export type PortBits = Uint8Array;

const sizeOf = ({ first, last }: PortRange): number => last - first + 1;

export const emptyBits = (range: PortRange): PortBits => new Uint8Array(Math.ceil(sizeOf(range) / 8));

/** False for a port outside the range. */
export function isSet(bits: PortBits, { first, last }: PortRange, port: number): boolean {
  const at = port - first;
  return port >= first && port <= last && ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}

/** Sets the bits of ports within the range. */
export function withBits(bits: PortBits, { first, last }: PortRange, ports: readonly number[]): PortBits {
  const next = Uint8Array.from(bits);
  for (const port of ports) if (port >= first && port <= last) next[(port - first) >> 3]! |= 1 << ((port - first) & 7);
  return next;
}

export function withoutBits(bits: PortBits, { first, last }: PortRange, ports: readonly number[]): PortBits {
  const next = Uint8Array.from(bits);
  for (const port of ports) if (port >= first && port <= last) next[(port - first) >> 3]! &= ~(1 << ((port - first) & 7));
  return next;
}

export const portsOf = (bits: PortBits, range: PortRange): number[] =>
  Array.from({ length: sizeOf(range) }, (_, at) => range.first + at).filter((port) => isSet(bits, range, port));

/** Returns an object's bits for the range `wanted`, which may differ from its own. */
export function portBits({ range, data }: { readonly range: string; readonly data: string }, wanted: PortRange): PortBits {
  const written = Uint8Array.from(Buffer.from(data, 'base64')).reverse();
  const [first = 0, last = 0] = range.split('-').map(Number);
  if (first !== wanted.first || last !== wanted.last)
    return withBits(emptyBits(wanted), wanted, portsOf(written, { first, last, reserved: 0 }));
  const bits = emptyBits(wanted);
  bits.set(written.subarray(0, bits.length));
  return bits;
}

export function textOf(bits: PortBits): string {
  const end = bits.findLastIndex((byte) => byte !== 0) + 1;
  return Buffer.from(bits.slice(0, end).reverse()).toString('base64');
}
