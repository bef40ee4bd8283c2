/**
 * Writes Protobuf from the end of a buffer to its start. A message's length precedes it and is known only afterwards: so nothing is measured or copied.
 *
 *     [ free ........ | tag | length | message ... ]
 *                     ^ position                   ^ end
 */
const initialBytes = 64 * 1024;
/** Larger scratch buffers are released after use. */
const keepBytesMax = 1024 * 1024;
/** A loop is faster than a native call up to this length. */
const shortString = 40;
const two32 = 4_294_967_296;

export class BackwardWriter {
  #buffer = Buffer.allocUnsafeSlow(initialBytes);
  #position = initialBytes;

  /** Differences give lengths of messages. */
  get written(): number {
    return this.#buffer.length - this.#position;
  }

  /** Called before each use: the previous one may have failed. */
  reset(): void {
    if (this.#buffer.length > keepBytesMax) this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.#position = this.#buffer.length;
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#position));
  }

  /** Writes an unsigned number up to 2^53. */
  varint(value: number): void {
    if (this.#position < 10) this.#grow(10);
    if (value < 0x80) {
      this.#buffer[--this.#position] = value;
    } else if (value < two32) {
      this.#varint32(value);
    } else {
      this.#varint64(value % two32, Math.floor(value / two32));
    }
  }

  /** Negative numbers take ten bytes, as int32 and int64 do on the wire. */
  int(value: number | bigint): void {
    if (typeof value === 'bigint') {
      const bits = BigInt.asUintN(64, value);
      this.#varint64(Number(bits & 0xffffffffn), Number(bits >> 32n));
    } else if (value >= 0) {
      this.varint(value);
    } else {
      const low = value % two32;
      this.#varint64(low < 0 ? low + two32 : low, Math.floor(value / two32) >>> 0);
    }
  }

  double(value: number): void {
    if (this.#position < 8) this.#grow(8);
    this.#position -= 8;
    this.#buffer.writeDoubleLE(value, this.#position);
  }

  byte(value: number): void {
    if (this.#position < 1) this.#grow(1);
    this.#buffer[--this.#position] = value;
  }

  string(value: string): void {
    if (value.length > shortString || !this.#shortAscii(value)) this.#longString(value);
  }

  bytes(value: Uint8Array): void {
    if (this.#position < value.length) this.#grow(value.length);
    this.#position -= value.length;
    this.#buffer.set(value, this.#position);
    this.varint(value.length);
  }

  #shortAscii(value: string): boolean {
    const length = value.length;
    if (this.#position <= length) this.#grow(length + 1);
    const buffer = this.#buffer;
    const start = this.#position - length;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      buffer[start + index] = code;
    }
    buffer[start - 1] = length;
    this.#position = start - 1;
    return true;
  }

  #longString(value: string): void {
    const length = Buffer.byteLength(value, 'utf8');
    if (this.#position < length) this.#grow(length);
    this.#position -= length;
    this.#buffer.write(value, this.#position, length, 'utf8');
    this.varint(length);
  }

  #varint32(value: number): void {
    const bytes = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    this.#position -= bytes;
    let at = this.#position;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest & 0x7f) | 0x80;
    this.#buffer[at] = rest;
  }

  #varint64(low: number, high: number): void {
    if (this.#position < 10) this.#grow(10);
    let bytes = 5;
    for (let rest = Math.floor(high / 8); rest > 0; rest = Math.floor(rest / 128)) bytes++;
    this.#position -= bytes;
    let [lower, upper] = [low, high];
    for (let index = 0; index < bytes; index++) {
      this.#buffer[this.#position + index] = (lower & 0x7f) | (index === bytes - 1 ? 0 : 0x80);
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
  }

  #grow(bytes: number): void {
    const written = this.written;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, written + bytes + initialBytes));
    this.#buffer.copy(larger, larger.length - written, this.#position);
    this.#buffer = larger;
    this.#position = larger.length - written;
  }
}
