/** Reads beyond the message and inconsistent input throw WireError, which entry points convert to a value. */
export class WireError extends Error {}

/** A loop is faster than a native call up to this length. */
const shortString = 24;
const two32 = 4_294_967_296;
const two63 = 2 ** 63;
/** Larger tags exceed 32-bit arithmetic. */
const tagMax = 2 ** 31 - 1;
const numberMax = tagMax >>> 3;
const startGroup = 3;
const endGroup = 4;

export class WireReader {
  readonly #buffer: Buffer;
  position: number;
  /** False rounds large integers like `JSON.parse`, also in raw JSON, instead of bigint. */
  exact = true;

  constructor(
    buffer: Buffer,
    start = 0,
    public end = buffer.length,
  ) {
    this.#buffer = buffer;
    this.position = start;
  }

  /** Cut to 53 bits: enough for tags, lengths and bool. */
  varint(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 128, count = 1; count < 10; count++, scale *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new WireError('proto: integer overflow');
  }

  /** The number is above the low three bits, the wire type. Errors name `message`. */
  tag(message: string): number {
    const tag = this.anyTag();
    if ((tag & 7) === endGroup) throw new WireError(`proto: ${message}: wiretype end group for non-group`);
    if (tag < 8) throw new WireError(`proto: ${message}: illegal tag ${tag >> 3} (wire type ${tag})`);
    return tag;
  }

  /** Reads a tag whose number may be invalid: of 64 bits, a 32-bit number and the wire type. */
  anyTag(): number {
    const start = this.position;
    const tag = this.varint();
    if (tag <= tagMax) return tag;
    this.position = start;
    const [low, high] = this.#halves();
    const number = (low >>> 3) | (high << 29);
    // Numbers out of range are clamped: no message uses either.
    return Math.max(-numberMax, Math.min(number, numberMax)) * 8 + (low & 7);
  }

  /** Reads the low half of the varint, signed. */
  int32(): number {
    const [low] = this.#halves();
    return low | 0;
  }

  /** Returns bigint where a number would lose digits, unless rounding is requested. */
  int64(): number | bigint {
    const [low, high] = this.#halves();
    const value = (high | 0) * two32 + low;
    return !this.exact || Number.isSafeInteger(value) ? value : (BigInt(high | 0) << 32n) | BigInt(low);
  }

  double(): number {
    this.#need(8);
    this.position += 8;
    return this.#buffer.readDoubleLE(this.position - 8);
  }

  string(): string {
    const length = this.#length();
    const from = this.position;
    this.position += length;
    return length <= shortString ? this.#shortString(from, length) : this.#buffer.toString('utf8', from, this.position);
  }

  /** Returns a view, not a copy. */
  bytes(): Buffer {
    const length = this.#length();
    this.position += length;
    return this.#buffer.subarray(this.position - length, this.position);
  }

  /** Limits reading to a nested message until `leave` gets the result. */
  enter(): number {
    const length = this.#length();
    const outer = this.end;
    this.end = this.position + length;
    return outer;
  }

  leave(outer: number): void {
    this.position = this.end;
    this.end = outer;
  }

  nested<T>(read: (reader: WireReader) => T): T {
    const outer = this.enter();
    const value = read(this);
    this.leave(outer);
    return value;
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#advance(8);
    else if (wireType === 2) this.#advance(this.#length());
    else if (wireType === 5) this.#advance(4);
    else if (wireType === startGroup) this.#skipGroup();
    else if (wireType === endGroup) throw new WireError('proto: unexpected end of group');
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }

  /** Groups are obsolete but may nest. */
  #skipGroup(): void {
    for (let depth = 1; depth > 0;) {
      const wireType = this.anyTag() & 7;
      if (wireType === startGroup) depth++;
      else if (wireType === endGroup) depth--;
      else this.skip(wireType);
    }
  }

  #advance(bytes: number): void {
    this.#need(bytes);
    this.position += bytes;
  }

  #need(bytes: number): void {
    if (bytes > this.end - this.position) throw new WireError('unexpected EOF');
  }

  #length(): number {
    const length = this.varint();
    if (length >= two63) throw new WireError('proto: negative length found during unmarshaling');
    this.#need(length);
    return length;
  }

  #byte(): number {
    if (this.position >= this.end) throw new WireError('unexpected EOF');
    return this.#buffer[this.position++] as number;
  }

  #shortString(from: number, length: number): string {
    let text = '';
    for (let index = from; index < from + length; index++) {
      const byte = this.#buffer[index] as number;
      if (byte > 0x7f) return this.#buffer.toString('utf8', from, from + length);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** Reads a varint as its low and high 32 bits. */
  #halves(): [number, number] {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return [low >>> 0, high >>> 0];
    }
    throw new WireError('proto: integer overflow');
  }
}
