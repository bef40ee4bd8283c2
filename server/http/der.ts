/** The bytes of ASN.1 values (DER, ITU-T X.690), as far as certificates need them. Pure. */

/** One value: its tag, its length, and what it holds. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = bigEndian(length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function bigEndian(number: number): readonly number[] {
  return number < 256 ? [number] : [...bigEndian(Math.floor(number / 256)), number % 256];
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => der(0x31, ...items);
/** A whole number that is not negative, its bytes from the highest on. */
export const integer = (bytes: Uint8Array): Buffer => der(0x02, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.from([0])] : []), bytes);
export const truth = (): Buffer => der(0x01, Buffer.from([0xff]));
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
/** `unused` bits at the end of the last byte say nothing. */
export const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value, 'utf8'));

/** An object identifier, as `2.5.29.15`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap((part) => base128(part))]));
}

/** Seven bits a byte; all but the last have the eighth set. */
function base128(number: number): readonly number[] {
  const higher = Math.floor(number / 128);
  return [...(higher === 0 ? [] : base128(higher).map((byte) => byte | 0x80)), number % 128];
}

/** A moment, to the second; years before 2050 have two digits. */
export function moment(ms: number): Buffer {
  const digits = `${new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/\D/g, '')}Z`;
  return new Date(ms).getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

/** Text in which bytes travel, with a label of what they are. */
export function pem(label: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
