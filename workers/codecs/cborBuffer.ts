const initialBytes = 64 * 1024;
/** Larger scratch buffers are released after use. */
const keepBytesMax = 1024 * 1024;
/** A loop is faster than a native call up to this length. */
const shortString = 40;

/** Builds CBOR from start to end in a reused buffer. */
export class CborBuffer {
  #buffer = Buffer.allocUnsafeSlow(initialBytes);
  #position = 0;

  /** Called before each use: the previous one may have failed. */
  reset(): void {
    if (this.#buffer.length > keepBytesMax) this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.#position = 0;
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#position));
  }

  byte(value: number): void {
    if (this.#position >= this.#buffer.length) this.#grow(1);
    this.#buffer[this.#position++] = value;
  }

  /** Writes the argument in its shortest form. */
  head(major: number, argument: number | bigint): void {
    if (this.#buffer.length - this.#position < 9) this.#grow(9);
    const buffer = this.#buffer;
    const first = major << 5;
    if (argument < 24) buffer[this.#position++] = first | Number(argument);
    else if (argument < 0x100) {
      buffer[this.#position++] = first | 24;
      buffer[this.#position++] = Number(argument);
    } else if (argument < 0x10000) {
      buffer[this.#position++] = first | 25;
      this.#position = buffer.writeUInt16BE(Number(argument), this.#position);
    } else if (argument < 0x100000000) {
      buffer[this.#position++] = first | 26;
      this.#position = buffer.writeUInt32BE(Number(argument), this.#position);
    } else {
      buffer[this.#position++] = first | 27;
      this.#position = buffer.writeBigUInt64BE(BigInt(argument), this.#position);
    }
  }

  float16(bits: number): void {
    this.byte(0xf9);
    this.byte(bits >> 8);
    this.byte(bits & 0xff);
  }

  float32(value: number): void {
    this.byte(0xfa);
    if (this.#buffer.length - this.#position < 4) this.#grow(4);
    this.#position = this.#buffer.writeFloatBE(value, this.#position);
  }

  float64(value: number): void {
    this.byte(0xfb);
    if (this.#buffer.length - this.#position < 8) this.#grow(8);
    this.#position = this.#buffer.writeDoubleBE(value, this.#position);
  }

  string(major: number, value: string): void {
    if (value.length <= shortString && this.#shortAscii(major, value)) return;
    const length = Buffer.byteLength(value, 'utf8');
    this.head(major, length);
    if (this.#buffer.length - this.#position < length) this.#grow(length);
    this.#position += this.#buffer.write(value, this.#position, length, 'utf8');
  }

  bytes(major: number, value: Uint8Array): void {
    this.head(major, value.length);
    if (this.#buffer.length - this.#position < value.length) this.#grow(value.length);
    this.#buffer.set(value, this.#position);
    this.#position += value.length;
  }

  /** Returns false and writes nothing if a character is not ASCII. */
  #shortAscii(major: number, value: string): boolean {
    const start = this.#position;
    this.head(major, value.length);
    if (this.#buffer.length - this.#position < value.length) this.#grow(value.length);
    const buffer = this.#buffer;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        this.#position = start;
        return false;
      }
      buffer[this.#position++] = code;
    }
    return true;
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#position + bytes + initialBytes));
    this.#buffer.copy(larger, 0, 0, this.#position);
    this.#buffer = larger;
  }
}
