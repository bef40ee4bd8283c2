const initialBytes = 64 * 1024;
/** A scratch buffer larger than this is given back after use. */
const keepBytesMax = 1024 * 1024;
/** Up to here a loop over the characters beats the call into native code. */
const shortString = 40;

/** Bytes of CBOR in the making, from the start to the end, in a buffer that is kept between uses. */
export class CborBuffer {
  private buffer = Buffer.allocUnsafeSlow(initialBytes);
  private position = 0;

  /** Forgets what was written. Called before each use, because an earlier one may have ended with an error. */
  reset(): void {
    if (this.buffer.length > keepBytesMax) this.buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.position = 0;
  }

  /** A copy of all bytes written. */
  finish(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.position));
  }

  byte(value: number): void {
    if (this.position >= this.buffer.length) this.grow(1);
    this.buffer[this.position++] = value;
  }

  /** The initial byte of an item with its argument in the shortest form. */
  head(major: number, argument: number | bigint): void {
    if (this.buffer.length - this.position < 9) this.grow(9);
    const { buffer } = this;
    const first = major << 5;
    if (argument < 24) buffer[this.position++] = first | Number(argument);
    else if (argument < 0x100) {
      buffer[this.position++] = first | 24;
      buffer[this.position++] = Number(argument);
    } else if (argument < 0x10000) {
      buffer[this.position++] = first | 25;
      this.position = buffer.writeUInt16BE(Number(argument), this.position);
    } else if (argument < 0x100000000) {
      buffer[this.position++] = first | 26;
      this.position = buffer.writeUInt32BE(Number(argument), this.position);
    } else {
      buffer[this.position++] = first | 27;
      this.position = buffer.writeBigUInt64BE(BigInt(argument), this.position);
    }
  }

  float16(bits: number): void {
    this.byte(0xf9);
    this.byte(bits >> 8);
    this.byte(bits & 0xff);
  }

  float32(value: number): void {
    this.byte(0xfa);
    if (this.buffer.length - this.position < 4) this.grow(4);
    this.position = this.buffer.writeFloatBE(value, this.position);
  }

  float64(value: number): void {
    this.byte(0xfb);
    if (this.buffer.length - this.position < 8) this.grow(8);
    this.position = this.buffer.writeDoubleBE(value, this.position);
  }

  /** UTF-8 behind its head. */
  string(major: number, value: string): void {
    if (value.length <= shortString && this.shortAscii(major, value)) return;
    const length = Buffer.byteLength(value, 'utf8');
    this.head(major, length);
    if (this.buffer.length - this.position < length) this.grow(length);
    this.position += this.buffer.write(value, this.position, length, 'utf8');
  }

  bytes(major: number, value: Uint8Array): void {
    this.head(major, value.length);
    if (this.buffer.length - this.position < value.length) this.grow(value.length);
    this.buffer.set(value, this.position);
    this.position += value.length;
  }

  /** False, and nothing written, when a character is not ASCII. */
  private shortAscii(major: number, value: string): boolean {
    const start = this.position;
    this.head(major, value.length);
    if (this.buffer.length - this.position < value.length) this.grow(value.length);
    const { buffer } = this;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        this.position = start;
        return false;
      }
      buffer[this.position++] = code;
    }
    return true;
  }

  private grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.position + bytes + initialBytes));
    this.buffer.copy(larger, 0, 0, this.position);
    this.buffer = larger;
  }
}
