/** Integers are unsigned LEB128 of up to 53 bits; strings and byte arrays follow their length. */

export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

const initialBytes = 1024;
const keptBytesMax = 1024 * 1024;

/** Appends values to a growing buffer. `take` returns the bytes and restarts. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32BE(value, this.#length);
  }

  /** Accepts 0 to 2^53 - 1. */
  uint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be written as a whole number`);
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  flag(value: boolean): void {
    this.u8(value ? 1 : 0);
  }

  string(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.uint(bytes);
    this.#reserve(bytes);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(value: Uint8Array): void {
    this.uint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  skipU32(): number {
    const at = this.#length;
    this.u32(0);
    return at;
  }

  patchU32(at: number, value: number): void {
    this.#bytes.writeUInt32BE(value, at);
  }

  cut(length: number): void {
    if (length > this.#length) throw new RangeError(`cannot cut ${this.#length} bytes to ${length}`);
    this.#length = length;
  }

  /** The copy's own ArrayBuffer can be transferred. */
  take(): Buffer<ArrayBuffer> {
    const taken = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#reset();
    return taken;
  }

  takeShared(): SharedArrayBuffer {
    const shared = new SharedArrayBuffer(this.#length);
    this.#bytes.copy(new Uint8Array(shared), 0, 0, this.#length);
    this.#reset();
    return shared;
  }

  #reset(): void {
    this.#length = 0;
    if (this.#bytes.length > keptBytesMax) this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Reads past the end throw a DecodeError. Byte arrays are views. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new DecodeError('bytes end early');
    this.#at += 1;
    return value;
  }

  u32(): number {
    if (this.remaining < 4) throw new DecodeError('bytes end early');
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  uint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('number above 2^53 - 1');
      if (byte < 0x80) return value;
      if (scale > Number.MAX_SAFE_INTEGER / 0x80) throw new DecodeError('number of too many bytes');
    }
  }

  flag(): boolean {
    const value = this.u8();
    if (value > 1) throw new DecodeError(`${value} is neither yes nor no`);
    return value === 1;
  }

  string(): string {
    const length = this.uint();
    const from = this.#passed(length);
    return this.#bytes.toString('utf8', from, this.#at);
  }

  bytes(): Buffer {
    return this.taken(this.uint());
  }

  taken(length: number): Buffer {
    const from = this.#passed(length);
    return this.#bytes.subarray(from, this.#at);
  }

  #passed(length: number): number {
    if (length > this.remaining) throw new DecodeError(`${length} bytes announced, ${this.remaining} left`);
    const from = this.#at;
    this.#at += length;
    return from;
  }

  rest(): Buffer {
    const from = this.#at;
    this.#at = this.#bytes.length;
    return this.#bytes.subarray(from);
  }

  /** Never more items than the bytes left could hold. */
  count(bytesEach: number): number {
    const count = this.uint();
    if (count * bytesEach > this.remaining) throw new DecodeError(`${count} items announced in ${this.remaining} bytes`);
    return count;
  }

  end(): void {
    if (this.remaining > 0) throw new DecodeError(`${this.remaining} bytes too many`);
  }
}
