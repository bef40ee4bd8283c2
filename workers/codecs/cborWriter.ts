import { isMembers, NumberLiteral } from './value.js';

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, list: 4, map: 5 } as const;
const UINT64_MAX = 2n ** 64n - 1n;

/** Writes one value, without the leading tag. Members that are undefined are left out. */
export const writeCbor = (value: unknown): Buffer => {
  const parts: Buffer[] = [];
  write(parts, value);
  return Buffer.concat(parts);
};

const write = (parts: Buffer[], value: unknown): void => {
  if (value === null || value === undefined) parts.push(Buffer.from([0xf6]));
  else if (typeof value === 'boolean') parts.push(Buffer.from([value ? 0xf5 : 0xf4]));
  else if (typeof value === 'number' || typeof value === 'bigint') parts.push(number(value));
  else if (typeof value === 'string') pushText(parts, value);
  else if (value instanceof NumberLiteral) parts.push(number(Number(value.text)));
  else if (Array.isArray(value)) list(parts, value);
  else if (isMembers(value)) map(parts, value);
  else throw new TypeError(`CBOR has no form for ${typeof value}`);
};

const list = (parts: Buffer[], items: readonly unknown[]): void => {
  parts.push(head(MAJOR.list, items.length));
  for (const item of items) write(parts, item);
};

/** Bytewise order of the encoded names: the head holds the length, so shorter names come first. */
const map = (parts: Buffer[], members: Readonly<Record<string, unknown>>): void => {
  const names = Object.keys(members).filter((name) => members[name] !== undefined).map((name) => ({ name, bytes: Buffer.from(name, 'utf8') }));
  names.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes));
  parts.push(head(MAJOR.map, names.length));
  for (const { name, bytes } of names) {
    parts.push(head(MAJOR.bytes, bytes.length), bytes);
    write(parts, members[name]);
  }
};

const pushText = (parts: Buffer[], text: string): void => {
  const bytes = Buffer.from(text, 'utf8');
  parts.push(head(MAJOR.bytes, bytes.length), bytes);
};

const number = (value: number | bigint): Buffer => {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    if (Object.is(value, -0)) return float(value as number);
    const whole = BigInt(value);
    if (whole > UINT64_MAX || whole < -UINT64_MAX - 1n) throw new RangeError('CBOR integer out of range');
    return whole >= 0n ? head(MAJOR.unsigned, value) : head(MAJOR.negative, -1n - whole);
  }
  return float(value);
};

const head = (major: number, argument: number | bigint): Buffer => {
  const first = major << 5;
  if (argument < 24) return Buffer.from([first | Number(argument)]);
  if (argument < 0x100) return Buffer.from([first | 24, Number(argument)]);
  const bytes = Buffer.alloc(argument < 0x10000 ? 3 : argument < 0x100000000 ? 5 : 9);
  if (bytes.length === 3) bytes.writeUInt16BE(Number(argument), 1);
  else if (bytes.length === 5) bytes.writeUInt32BE(Number(argument), 1);
  else bytes.writeBigUInt64BE(BigInt(argument), 1);
  bytes[0] = first | (bytes.length === 3 ? 25 : bytes.length === 5 ? 26 : 27);
  return bytes;
};

/** The shortest of the three widths that keeps the value. */
const float = (value: number): Buffer => {
  if (!Number.isFinite(value)) throw new RangeError('floating-point NaN and infinities are not allowed');
  const half = toHalf(value);
  if (half !== undefined) return Buffer.from([0xf9, half >> 8, half & 0xff]);
  const bytes = Buffer.alloc(Math.fround(value) === value ? 5 : 9);
  if (bytes.length === 5) bytes.writeFloatBE(value, 1);
  else bytes.writeDoubleBE(value, 1);
  bytes[0] = bytes.length === 5 ? 0xfa : 0xfb;
  return bytes;
};

const HALF_SUBNORMAL = 2 ** -24;
const HALF_NORMAL_MIN = 2 ** -14;
const HALF_MAX = 65504;

/** The bits of a 16-bit float, or undefined if the value does not fit exactly. */
const toHalf = (value: number): number | undefined => {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude > HALF_MAX) return undefined;
  if (magnitude < HALF_NORMAL_MIN) return Number.isInteger(magnitude / HALF_SUBNORMAL) ? sign | (magnitude / HALF_SUBNORMAL) : undefined;
  const exponent = Math.floor(Math.log2(magnitude));
  const mantissa = (magnitude / 2 ** exponent - 1) * 1024;
  return Number.isInteger(mantissa) ? sign | ((exponent + 15) << 10) | mantissa : undefined;
};
