/** The part of HPACK (RFC 7541) that an attacker needs: literals without indexing, and the status of an answer. */

/** Field lines in their order; pseudo fields first, unless the attack is that they are not. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A header block of literals that are never indexed and never compressed (section 6.2.2). */
export function headerBlock(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

/** Like `headerBlock`, with every field entered into the server's table (section 6.2.1). */
export function indexedBlock(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0x40), text(name), text(value)]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(bytes.length, 7), bytes]);
}

/** Section 5.1; the bits above the prefix are zero. */
function integer(value: number, prefixBits: number): Buffer {
  const max = 2 ** prefixBits - 1;
  if (value < max) return Buffer.of(value);
  const bytes = [max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.of(...bytes, rest);
}

/** Statuses of the static table, by index (appendix A). */
const indexedStatuses: ReadonlyMap<number, number> = new Map([
  [8, 200],
  [9, 204],
  [10, 206],
  [11, 304],
  [12, 400],
  [13, 404],
  [14, 500],
]);
const statusIndexes = { first: 8, last: 14 } as const;
const dynamicSizeUpdate = 0x20;

/** The status of an answer, its first field; null for trailers. The client's settings must forbid a dynamic table. */
export function statusOf(block: Buffer): number | null {
  let at = 0;
  while (((block[at] ?? 0) & 0xe0) === dynamicSizeUpdate) at += sizeOfInteger(block, at, 5);
  const first = block[at] ?? 0;
  if ((first & 0x80) !== 0) return indexedStatuses.get(first & 0x7f) ?? null;
  const nameIndex = (first & 0x40) !== 0 ? first & 0x3f : first & 0x0f;
  if (nameIndex < statusIndexes.first || nameIndex > statusIndexes.last) return null;
  const length = (block[at + 1] ?? 0) & 0x7f;
  const value = block.subarray(at + 2, at + 2 + length);
  return Number(((block[at + 1] ?? 0) & 0x80) === 0 ? value.toString('latin1') : digits(value));
}

function sizeOfInteger(block: Buffer, at: number, prefixBits: number): number {
  if (((block[at] ?? 0) & (2 ** prefixBits - 1)) < 2 ** prefixBits - 1) return 1;
  let size = 2;
  while (((block[at + size - 1] ?? 0) & 0x80) !== 0) size += 1;
  return size;
}

/** Digits in the Huffman code (appendix B): 0, 1 and 2 have five bits, the others six. */
function digits(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let [read, at] = ['', 0];
  while (at + 5 <= bits.length) {
    const short = Number.parseInt(bits.slice(at, at + 5), 2);
    const long = Number.parseInt(bits.slice(at, at + 6), 2);
    if (short <= 2) {
      read += String(short);
      at += 5;
    } else if (long >= 0x19 && long <= 0x1f && at + 6 <= bits.length) {
      read += String(long - 0x19 + 3);
      at += 6;
    } else break;
  }
  return read;
}
