import type { Json, JsonMembers } from './value.js';

export type CborResult = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

class CborFailure extends Error {}

/** Reads exactly one value. Byte strings become text; inside of tags 21 to 23 they become the encoded text that the tag asks for. */
export const readCbor = (bytes: Buffer, depthMax: number): CborResult => {
  try {
    const reader = new Reader(bytes, depthMax);
    const value = reader.value();
    return reader.position === bytes.length ? { ok: true, value } : { ok: false, message: `cbor: ${bytes.length - reader.position} bytes of extraneous data starting at index ${reader.position}` };
  } catch (error) {
    if (error instanceof CborFailure) return { ok: false, message: error.message };
    throw error;
  }
};

type TextEncoding = 'utf8' | 'base64url' | 'base64' | 'hex';
/** RFC 8949, section 3.4.5.2. */
const LATER_ENCODINGS: ReadonlyMap<number, TextEncoding> = new Map<number, TextEncoding>([[21, 'base64url'], [22, 'base64'], [23, 'hex']]);
const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6 } as const;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class Reader {
  position = 0;
  private depth = 0;

  constructor(private readonly bytes: Buffer, private readonly depthMax: number) {}

  value(encoding: TextEncoding = 'utf8'): Json {
    const initial = this.byte();
    const major = initial >> 5;
    if (major === 7) return this.simple(initial & 31);
    const argument = this.argument(initial & 31);
    switch (major) {
      case MAJOR.unsigned: return unsigned(argument);
      case MAJOR.negative: return negative(argument);
      case MAJOR.bytes: return this.byteString(argument, encoding);
      case MAJOR.text: return this.text(argument);
      case MAJOR.list: return this.nested(() => this.list(argument, encoding));
      case MAJOR.map: return this.nested(() => this.map(argument, encoding));
      default: return this.nested(() => this.value(LATER_ENCODINGS.get(Number(argument)) ?? encoding));
    }
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > this.depthMax) throw new CborFailure(`cbor: exceeded max nested level ${this.depthMax}`);
    const value = read();
    this.depth--;
    return value;
  }

  private list(count: number | bigint, encoding: TextEncoding): Json[] {
    this.need(count);
    const items: Json[] = [];
    for (let index = 0; index < Number(count); index++) items.push(this.value(encoding));
    return items;
  }

  private map(count: number | bigint, encoding: TextEncoding): JsonMembers {
    this.need(count);
    const members = new Map<string, Json>();
    for (let index = 0; index < Number(count); index++) {
      const name = this.value();
      if (typeof name !== 'string') throw new CborFailure('cbor: map key is no string');
      if (members.has(name)) throw new CborFailure(`cbor: found duplicate map key ${JSON.stringify(name)} at map element index ${index}`);
      members.set(name, this.value(encoding));
    }
    return Object.fromEntries(members);
  }

  private byteString(length: number | bigint, encoding: TextEncoding): string {
    return this.take(length).toString(encoding);
  }

  private text(length: number | bigint): string {
    try {
      return UTF8.decode(this.take(length));
    } catch (error) {
      if (error instanceof CborFailure) throw error;
      throw new CborFailure('cbor: invalid UTF-8 string');
    }
  }

  private simple(information: number): Json {
    if (information === 20 || information === 21) return information === 21;
    if (information === 22 || information === 23) return null;
    const value = this.float(information);
    if (!Number.isFinite(value)) throw new CborFailure('cbor: floating-point NaN and infinities are not allowed');
    return value;
  }

  private float(information: number): number {
    if (information === 25) return fromHalf(this.take(2).readUInt16BE(0));
    if (information === 26) return this.take(4).readFloatBE(0);
    if (information === 27) return this.take(8).readDoubleBE(0);
    throw new CborFailure(`cbor: unsupported simple value ${information}`);
  }

  private argument(information: number): number | bigint {
    if (information < 24) return information;
    if (information === 24) return this.byte();
    if (information === 25) return this.take(2).readUInt16BE(0);
    if (information === 26) return this.take(4).readUInt32BE(0);
    if (information !== 27) throw new CborFailure('cbor: indefinite-length items are not allowed');
    const value = this.take(8).readBigUInt64BE(0);
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  }

  /** Every item takes at least one byte, which bounds what a short text can claim. */
  private need(count: number | bigint): void {
    if (count > this.bytes.length - this.position) throw new CborFailure('unexpected EOF');
  }

  private take(length: number | bigint): Buffer {
    this.need(length);
    this.position += Number(length);
    return this.bytes.subarray(this.position - Number(length), this.position);
  }

  private byte(): number {
    this.need(1);
    return this.bytes[this.position++] as number;
  }
}

const unsigned = (argument: number | bigint): number | bigint => {
  if (argument > INT64_MAX) throw new CborFailure('cbor: integer out of range of int64');
  return argument;
};

const negative = (argument: number | bigint): number | bigint => {
  const value = -1n - BigInt(argument);
  if (value < INT64_MIN) throw new CborFailure('cbor: integer out of range of int64');
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
};

const fromHalf = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15));
};
