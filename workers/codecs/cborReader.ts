import type { Json, JsonMembers } from './value.js';
import { formatTime } from '../../api/time.js';

export type CborResult = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

class CborFailure extends Error {}

/**
 * Reads exactly one value. Byte strings become text, inside tags 21 to 23 in the tag's encoding. Like the reference, accepts indefinite lengths and refuses
 * repeated names, NaN, infinities, bignums, and simple values other than true, false and null.
 */
export const readCbor = (bytes: Buffer, depthMax: number): CborResult => {
  try {
    const reader = new Reader(bytes, depthMax);
    const value = reader.value('utf8');
    return reader.position === bytes.length
      ? { ok: true, value }
      : { ok: false, message: `cbor: ${bytes.length - reader.position} bytes of extraneous data starting at index ${reader.position}` };
  } catch (error) {
    if (error instanceof CborFailure) return { ok: false, message: error.message };
    throw error;
  }
};

type TextEncoding = 'utf8' | 'base64url' | 'base64' | 'hex';
/** RFC 8949, section 3.4.5.2. */
const laterEncodings: ReadonlyMap<number, TextEncoding> = new Map<number, TextEncoding>([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);
const majorType = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6 } as const;
const tagNumber = { epochTime: 1, bignum: 2, negativeBignum: 3 } as const;
/** The low five bits of an indefinite length, and of its final byte. */
const open = 31;
const breakByte = 0xff;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** A loop is faster than a native call up to this length. */
const shortString = 24;

class Reader {
  readonly #bytes: Buffer;
  readonly #depthMax: number;
  position = 0;
  #depth = 0;

  constructor(bytes: Buffer, depthMax: number) {
    this.#bytes = bytes;
    this.#depthMax = depthMax;
  }

  value(encoding: TextEncoding): Json {
    const initial = this.#byte();
    const [major, information] = [initial >> 5, initial & 31];
    if (major === 7) return this.#simple(information);
    if (information === open && major >= majorType.bytes && major <= majorType.map) return this.#open(major, encoding);
    const argument = this.#argument(information);
    switch (major) {
      case majorType.unsigned:
        return unsigned(argument);
      case majorType.negative:
        return negative(argument);
      case majorType.bytes:
        return this.#byteString(argument, encoding);
      case majorType.text:
        return this.#text(argument);
      case majorType.list:
        return this.#list(argument, encoding);
      case majorType.map:
        return this.#map(argument, encoding);
      default:
        return this.#tagged(Number(argument), encoding);
    }
  }

  #open(major: number, encoding: TextEncoding): Json {
    if (major === majorType.list) return this.#list(Infinity, encoding);
    if (major === majorType.map) return this.#map(Infinity, encoding);
    const chunks: Buffer[] = [];
    while (!this.#ends()) {
      const initial = this.#byte();
      if (initial >> 5 !== major || (initial & 31) === open) throw new CborFailure('cbor: wrong element type for indefinite-length string');
      chunks.push(this.#take(this.#argument(initial & 31)));
    }
    const joined = Buffer.concat(chunks);
    return major === majorType.text ? utf8Of(joined) : joined.toString(encoding);
  }

  /** Consumes the end of an indefinite-length item, if next. */
  #ends(): boolean {
    if (this.#bytes[this.position] !== breakByte) return false;
    this.position++;
    return true;
  }

  #enter(): void {
    if (++this.#depth > this.#depthMax) throw new CborFailure(`cbor: exceeded max nested level ${this.#depthMax}`);
  }

  /** `count` is infinite for an indefinite length. */
  #list(count: number | bigint, encoding: TextEncoding): Json[] {
    const open = count === Infinity;
    if (!open) this.#need(count);
    this.#enter();
    const items: Json[] = [];
    for (let index = 0; open ? !this.#ends() : index < (count as number); index++) items.push(this.value(encoding));
    this.#depth--;
    return items;
  }

  #map(count: number | bigint, encoding: TextEncoding): JsonMembers {
    const open = count === Infinity;
    if (!open) this.#need(count);
    this.#enter();
    const members: JsonMembers = {};
    for (let index = 0; open ? !this.#ends() : index < (count as number); index++) {
      const name = this.value('utf8');
      if (typeof name !== 'string') throw new CborFailure('cbor: map key is no string');
      if (Object.hasOwn(members, name))
        throw new CborFailure(`cbor: found duplicate map key ${JSON.stringify(name)} at map element index ${index}`);
      // Plain assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(members, name, { value: this.value(encoding), writable: true, enumerable: true, configurable: true });
      else members[name] = this.value(encoding);
    }
    this.#depth--;
    return members;
  }

  /** Tags without a meaning in JSON are removed. */
  #tagged(tag: number, encoding: TextEncoding): Json {
    if (tag === tagNumber.bignum || tag === tagNumber.negativeBignum) throw new CborFailure('cbor: bignum is not allowed');
    this.#enter();
    const value = this.value(laterEncodings.get(tag) ?? encoding);
    this.#depth--;
    return tag === tagNumber.epochTime ? timeOf(value) : value;
  }

  #byteString(length: number | bigint, encoding: TextEncoding): string {
    if (encoding !== 'utf8') return this.#take(length).toString(encoding);
    this.#need(length);
    const from = this.position;
    this.position += length as number;
    return (length as number) <= shortString ? this.#shortString(from) : this.#bytes.toString('utf8', from, this.position);
  }

  #shortString(from: number): string {
    let text = '';
    for (let index = from; index < this.position; index++) {
      const byte = this.#bytes[index] as number;
      if (byte > 0x7f) return this.#bytes.toString('utf8', from, this.position);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #text(length: number | bigint): string {
    return utf8Of(this.#take(length));
  }

  #simple(information: number): Json {
    if (information === 20 || information === 21) return information === 21;
    if (information === 22) return null;
    const value = this.#float(information);
    if (!Number.isFinite(value)) throw new CborFailure('cbor: floating-point NaN and infinities are not allowed');
    return value;
  }

  #float(information: number): number {
    if (information === 25) return fromHalf(this.#take(2).readUInt16BE(0));
    if (information === 26) return this.#take(4).readFloatBE(0);
    if (information === 27) return this.#take(8).readDoubleBE(0);
    throw new CborFailure(information === open ? 'cbor: unexpected "break" code' : `cbor: simple value ${information} is not recognized`);
  }

  #argument(information: number): number | bigint {
    if (information < 24) return information;
    if (information === 24) return this.#byte();
    if (information === 25) return this.#take(2).readUInt16BE(0);
    if (information === 26) return this.#take(4).readUInt32BE(0);
    if (information !== 27) throw new CborFailure(`cbor: invalid additional information ${information}`);
    const value = this.#take(8).readBigUInt64BE(0);
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  }

  /** Every item takes at least one byte, which bounds the stated count. */
  #need(count: number | bigint): void {
    if (count > this.#bytes.length - this.position) throw new CborFailure('unexpected EOF');
  }

  #take(length: number | bigint): Buffer {
    this.#need(length);
    this.position += Number(length);
    return this.#bytes.subarray(this.position - Number(length), this.position);
  }

  #byte(): number {
    if (this.position >= this.#bytes.length) throw new CborFailure(this.#bytes.length === 0 ? 'EOF' : 'unexpected EOF');
    return this.#bytes[this.position++] as number;
  }
}

const utf8Of = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new CborFailure('cbor: invalid UTF-8 string', { cause });
  }
};

const unsigned = (argument: number | bigint): number | bigint => {
  if (argument > int64Max)
    throw new CborFailure(`cbor: cannot unmarshal positive integer into Go value of type int64 (${argument} overflows Go's int64)`);
  return argument;
};

const negative = (argument: number | bigint): number | bigint => {
  if (argument < Number.MAX_SAFE_INTEGER) return -1 - Number(argument);
  const value = -1n - BigInt(argument);
  if (value < int64Min)
    throw new CborFailure(`cbor: cannot unmarshal negative integer into Go value of type int64 (${value} overflows Go's int64)`);
  return value;
};

/** Converts a tagged number of seconds since 1970 to RFC 3339. */
const timeOf = (value: Json): string => {
  const text = typeof value === 'number' ? formatTime({ seconds: Math.floor(value), nanos: 0 }, 0) : null;
  if (text === null) throw new CborFailure('cbor: the content of a time tag must be a number of seconds');
  return text;
};

const fromHalf = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15));
};
