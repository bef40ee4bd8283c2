/**
 * Reads Protobuf from a slice of a buffer. Every step is checked against the end of the enclosing message; a text that is cut off or
 * inconsistent raises WireError, which the entry points turn into a value.
 */
export class WireError extends Error {}

/** Up to here a loop over the characters beats the call into native code. */
const shortString = 24;
const two32 = 4_294_967_296;
const two63 = 2 ** 63;
/** Larger ones do not fit the numbers that bits are counted in here. */
const tagMax = 2 ** 31 - 1;
const numberMax = tagMax >>> 3;
const startGroup = 3;
const endGroup = 4;

export class WireReader {
  position: number;
  /** Whether whole numbers beyond the safe range are bigint; otherwise they are rounded, as `JSON.parse` does. Raw JSON is read the same way. */
  exact = true;

  constructor(
    private readonly buffer: Buffer,
    start = 0,
    public end = buffer.length,
  ) {
    this.position = start;
  }

  /** The next varint, cut to 53 bits: for tags and lengths, which are small, and for bool. */
  varint(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 128, count = 1; count < 10; count++, scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new WireError('proto: integer overflow');
  }

  /** Number and wire type of the next field of a message, which errors name: the number is what stands above the low three bits. */
  tag(message: string): number {
    const tag = this.anyTag();
    if ((tag & 7) === endGroup) throw new WireError(`proto: ${message}: wiretype end group for non-group`);
    if (tag < 8) throw new WireError(`proto: ${message}: illegal tag ${tag >> 3} (wire type ${tag})`);
    return tag;
  }

  /** The same where any number will do: of 64 bits, those that are left of a number of 32 bits and the wire type. */
  anyTag(): number {
    const start = this.position;
    const tag = this.varint();
    if (tag <= tagMax) return tag;
    this.position = start;
    const [low, high] = this.halves();
    const number = (low >>> 3) | (high << 29);
    // Beyond what can be counted here, one number that no message uses is as good as another.
    return Math.max(-numberMax, Math.min(number, numberMax)) * 8 + (low & 7);
  }

  /** A signed 32-bit number: the low half of what stands there. */
  int32(): number {
    const [low] = this.halves();
    return low | 0;
  }

  /** A signed 64-bit number; bigint where a JavaScript number would lose digits, unless rounding is wanted. */
  int64(): number | bigint {
    const [low, high] = this.halves();
    const value = (high | 0) * two32 + low;
    return !this.exact || Number.isSafeInteger(value) ? value : (BigInt(high | 0) << 32n) | BigInt(low);
  }

  double(): number {
    this.need(8);
    this.position += 8;
    return this.buffer.readDoubleLE(this.position - 8);
  }

  string(): string {
    const length = this.length();
    const from = this.position;
    this.position += length;
    return length <= shortString ? this.shortString(from, length) : this.buffer.toString('utf8', from, this.position);
  }

  /** A view, not a copy. */
  bytes(): Buffer {
    const length = this.length();
    this.position += length;
    return this.buffer.subarray(this.position - length, this.position);
  }

  /** Goes into a nested message: its end is the end of everything, until `leave` is called with what comes back. */
  enter(): number {
    const length = this.length();
    const outer = this.end;
    this.end = this.position + length;
    return outer;
  }

  leave(outer: number): void {
    this.position = this.end;
    this.end = outer;
  }

  /** Reads a nested message. */
  nested<T>(read: (reader: WireReader) => T): T {
    const outer = this.enter();
    const value = read(this);
    this.leave(outer);
    return value;
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.advance(8);
    else if (wireType === 2) this.advance(this.length());
    else if (wireType === 5) this.advance(4);
    else if (wireType === startGroup) this.skipGroup();
    else if (wireType === endGroup) throw new WireError('proto: unexpected end of group');
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }

  /** Groups, which nothing writes any more, end where as many have ended as have begun. */
  private skipGroup(): void {
    for (let depth = 1; depth > 0;) {
      const wireType = this.anyTag() & 7;
      if (wireType === startGroup) depth++;
      else if (wireType === endGroup) depth--;
      else this.skip(wireType);
    }
  }

  private advance(bytes: number): void {
    this.need(bytes);
    this.position += bytes;
  }

  private need(bytes: number): void {
    if (bytes > this.end - this.position) throw new WireError('unexpected EOF');
  }

  private length(): number {
    const length = this.varint();
    if (length >= two63) throw new WireError('proto: negative length found during unmarshaling');
    this.need(length);
    return length;
  }

  private byte(): number {
    if (this.position >= this.end) throw new WireError('unexpected EOF');
    return this.buffer[this.position++] as number;
  }

  private shortString(from: number, length: number): string {
    let text = '';
    for (let index = from; index < from + length; index++) {
      const byte = this.buffer[index] as number;
      if (byte > 0x7f) return this.buffer.toString('utf8', from, from + length);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** The low and high 32 bits of the next varint. */
  private halves(): [number, number] {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
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
