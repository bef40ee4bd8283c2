/**
 * Integers up to 2^53 - 1 are base-128 varints, low groups first, as in protobuf (https://protobuf.dev/programming-guides/encoding/#varints); byte strings and
 * texts follow their length.
 */

/** A byte carries 7 bits: 8 bytes hold 56 bits. */
const varintBytesMax = 8;

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

export class ByteWriter {
  readonly bytes: Buffer;
  #at = 0;

  /** Unshared memory can be transferred without other buffers. */
  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  byte(value: number): void {
    this.#at = this.bytes.writeUInt8(value, this.#at);
  }

  varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    this.byte(rest);
  }

  data(value: Uint8Array): void {
    this.varint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.bytes.set(value, this.#at);
    this.#at += value.length;
  }

  get full(): boolean {
    return this.#at === this.bytes.length;
  }
}

/** Throws a RangeError with the position for invalid input. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError(`ends at byte ${this.#at}, where more was expected`);
    this.#at += 1;
    return value;
  }

  /** Accepts only the shortest form, so that equal values have equal bytes. */
  varint(): number {
    let value = 0;
    for (let position = 0, scale = 1; position < varintBytesMax; position += 1, scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte >= 128) continue;
      if (byte === 0 && position > 0) throw new RangeError(`number before byte ${this.#at} is longer than needed`);
      if (value > Number.MAX_SAFE_INTEGER) break;
      return value;
    }
    throw new RangeError(`number before byte ${this.#at} is too large`);
  }

  /** Returns a view. */
  data(lengthMax: number): Buffer {
    const length = this.varint();
    if (length > lengthMax) throw new RangeError(`${length} bytes before byte ${this.#at} are more than the ${lengthMax} allowed`);
    if (length > this.remaining)
      throw new RangeError(`${length} bytes were announced at byte ${this.#at}, where only ${this.remaining} are left`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(lengthMax: number): string {
    return utf8.decode(this.data(lengthMax));
  }

  end(): void {
    if (this.remaining > 0) throw new RangeError(`${this.remaining} bytes follow the end at byte ${this.#at}`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null for a text with a lone surrogate, which UTF-8 cannot hold. */
export function utf8Bytes(text: string): Buffer | null {
  return text.isWellFormed() ? Buffer.from(text, 'utf8') : null;
}
