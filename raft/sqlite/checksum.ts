import { crc32 } from 'node:zlib';

/** CRC-32 over a row's small columns, said as text, and its data. */
export function checksum(head: string, data: Uint8Array | null = null): number {
  const sum = crc32(head);
  // zlib answers 0, not the sum so far, when an empty array has no memory behind it; it sometimes has.
  return data === null || data.length === 0 ? sum : crc32(data, sum);
}
