import { element, elementsIn } from '../../api/der.js';

/** Distinguished Encoding Rules of ASN.1 (ITU-T X.690), as needed for certificates. */

const tags = { boolean: 0x01, integer: 0x02, bits: 0x03, octets: 0x04, identifier: 0x06, text: 0x0c, utcTime: 0x17, time: 0x18 } as const;
const sequenceTag = 0x30;
const setTag = 0x31;
const contextSpecific = 0x80;
const constructed = 0x20;

/** The length takes as few bytes as possible (8.1.3). */
function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  if (length > 0xffff) throw new RangeError(`${length} bytes are more than a certificate has`);
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length, ...bytes), content]);
}

export const sequence = (...members: readonly Uint8Array[]): Buffer => tagged(sequenceTag, ...members);
export const setOf = (member: Uint8Array): Buffer => tagged(setTag, member);
export const boolean = (value: boolean): Buffer => tagged(tags.boolean, Buffer.of(value ? 0xff : 0));
/** A positive integer, as big-endian bytes without needless zeroes. */
export const integer = (bytes: Uint8Array): Buffer => tagged(tags.integer, (bytes[0] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.of(), bytes);
export const octets = (...contents: readonly Uint8Array[]): Buffer => tagged(tags.octets, ...contents);
export const text = (value: string): Buffer => tagged(tags.text, Buffer.from(value, 'utf8'));

/** The last `unused` bits of the last byte do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => tagged(tags.bits, Buffer.of(unused), bytes);

export const implicit = (number: number, ...contents: readonly Uint8Array[]): Buffer => tagged(contextSpecific | number, ...contents);

/** `[number]` around a value, or replacing the tag of a type with parts. */
export const explicit = (number: number, ...contents: readonly Uint8Array[]): Buffer =>
  tagged(contextSpecific | constructed | number, ...contents);

/** `1.2.840.10045.2.1` and the like (8.19). */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(tags.identifier, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): readonly number[] {
  const septets = [value & 0x7f];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) septets.unshift((left & 0x7f) | 0x80);
  return septets;
}

/** UTCTime until 2049 and GeneralizedTime from 2050 on (RFC 5280, 4.1.2.5). */
export function time(moment: Date): Buffer {
  const digits = `${moment
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:T]/g, '')}Z`;
  return moment.getUTCFullYear() < 2050 ? tagged(tags.utcTime, Buffer.from(digits.slice(2))) : tagged(tags.time, Buffer.from(digits));
}

export function partsOf(value: Uint8Array): readonly Buffer[] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return elementsIn(bytes, element(bytes, 0, null)).map(({ from, end }) => bytes.subarray(from, end));
}
