/** DER (X.690), as far as reading certificates and certificate requests requires. */

/** Spans `from` to `end`, with its content from `start`. */
export interface Element {
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** The bytes are not DER or not of the expected structure; clients see the message. */
export class DerError extends Error {}

export const sequence = 0x30;
export const bitString = 0x03;
const longForm = 0x80;
const lengthBytesMax = 4;

/** A null `tag` accepts any type. */
export function element(bytes: Buffer, from: number, tag: number | null): Element {
  const [actual, first] = [bytes[from], bytes[from + 1]];
  if (actual === undefined || first === undefined) throw new DerError('asn1: syntax error: data truncated');
  if (tag !== null && actual !== tag) throw new DerError("asn1: structure error: tags don't match");
  const count = first < longForm ? 0 : first - longForm;
  if (count > lengthBytesMax || (first >= longForm && count === 0)) throw new DerError('asn1: structure error: length too large');
  const start = from + 2 + count;
  const length = count === 0 ? first : start <= bytes.length ? bytes.readUIntBE(from + 2, count) : Infinity;
  if (start + length > bytes.length) throw new DerError('asn1: syntax error: data truncated');
  return { from, start, end: start + length };
}

export function elementsIn(bytes: Buffer, { start, end }: Element): Element[] {
  const found: Element[] = [];
  for (let position = start; position < end;) {
    const next = element(bytes, position, null);
    found.push(next);
    position = next.end;
  }
  return found;
}

export const contentOf = (bytes: Buffer, { start, end }: Element): Buffer => bytes.subarray(start, end);
