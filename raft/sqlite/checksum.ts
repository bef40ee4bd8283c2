import { crc32 } from 'node:zlib';

/** Covers a row's small columns and its data. */
export function checksum(head: string, data: Uint8Array | null = null): number {
  const sum = crc32(head);
  // zlib may return 0 for an empty array without memory.
  return data === null || data.length === 0 ? sum : crc32(data, sum);
}
