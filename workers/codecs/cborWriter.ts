import type { BytesPlan } from './cborBytes.js';
import { CborBuffer } from './cborBuffer.js';
import { isMembers, NumberLiteral } from './value.js';

export const major = { unsigned: 0, negative: 1, bytes: 2, list: 4, map: 5, tag: 6 } as const;
const uint64Max = 2n ** 64n - 1n;
/** "Expected later to be base64": the reference marks bytes with it (RFC 8949, section 3.4.5.2). */
const base64Tag = 22;
/** Tag 55799, "self-described CBOR", begins every body of the reference. */
export const selfDescribedTag = 55_799;

/** One buffer is enough: encoding never yields, so it is not re-entered. */
const scratch = new CborBuffer();

/** Omits undefined members. `plan` marks base64 text that stands for bytes. Throws RangeError or TypeError for values that JSON cannot express. */
export const writeCbor = (
  value: unknown,
  { tagged, plan }: { readonly tagged: boolean; readonly plan?: BytesPlan | undefined },
): Buffer => {
  scratch.reset();
  if (tagged) scratch.head(major.tag, selfDescribedTag);
  write(value, plan);
  return scratch.finish();
};

export const cborHead = (major: number, count: number): Buffer => {
  scratch.reset();
  scratch.head(major, count);
  return scratch.finish();
};

const write = (value: unknown, plan: BytesPlan | undefined): void => {
  if (typeof value === 'string') text(value, plan);
  else if (value === null || value === undefined) scratch.byte(0xf6);
  else if (typeof value === 'boolean') scratch.byte(value ? 0xf5 : 0xf4);
  else if (typeof value === 'number' || typeof value === 'bigint') number(value);
  else if (value instanceof NumberLiteral) number(Number(value.text));
  else if (Array.isArray(value)) list(value, eachOf(plan));
  else if (isMembers(value)) map(value, plan);
  else throw new TypeError(`CBOR has no form for ${typeof value}`);
};

const eachOf = (plan: BytesPlan | undefined): BytesPlan | undefined => (typeof plan === 'object' && 'each' in plan ? plan.each : undefined);

const text = (value: string, plan: BytesPlan | undefined): void => {
  const bytes = plan === 'bytes' ? Buffer.from(value, 'base64') : undefined;
  // Text that is not canonical base64 stays text.
  if (bytes === undefined || Math.ceil(bytes.length / 3) * 4 !== value.length) return scratch.string(major.bytes, value);
  scratch.head(major.tag, base64Tag);
  scratch.bytes(major.bytes, bytes);
};

const list = (items: readonly unknown[], each: BytesPlan | undefined): void => {
  scratch.head(major.list, items.length);
  for (const item of items) write(item, each);
};

const map = (members: Readonly<Record<string, unknown>>, plan: BytesPlan | undefined): void => {
  const names: string[] = [];
  for (const name of Object.keys(members)) if (members[name] !== undefined) names.push(name);
  names.sort(byEncodedName);
  scratch.head(major.map, names.length);
  const each = eachOf(plan);
  const planned = typeof plan === 'object' && 'members' in plan ? plan.members : undefined;
  for (const name of names) {
    scratch.string(major.bytes, name);
    write(members[name], each ?? planned?.get(name));
  }
};

const ascii = /^[\0-\x7f]*$/;

/** Orders encoded names bytewise: heads have the length, so shorter names come first. */
const byEncodedName = (a: string, b: string): number => {
  if (!ascii.test(a) || !ascii.test(b))
    return Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a.length - b.length || (a < b ? -1 : 1);
};

const number = (value: number | bigint): void => {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return float(value);
  if (Object.is(value, -0)) return float(-0);
  if (value >= 0) {
    if (value > uint64Max) throw new RangeError('CBOR integer out of range');
    return scratch.head(major.unsigned, value);
  }
  const argument = typeof value === 'bigint' ? -1n - value : -1 - value;
  if (argument > uint64Max) throw new RangeError('CBOR integer out of range');
  return scratch.head(major.negative, argument);
};

/** Uses the shortest of three widths that keeps the value. */
const float = (value: number): void => {
  if (!Number.isFinite(value)) throw new RangeError('floating-point NaN and infinities are not allowed');
  const half = toHalf(value);
  if (half !== undefined) scratch.float16(half);
  else if (Math.fround(value) === value) scratch.float32(value);
  else scratch.float64(value);
};

const halfSubnormal = 2 ** -24;
const halfNormalMin = 2 ** -14;
const halfMax = 65504;

/** Returns undefined if the value does not fit exactly. */
const toHalf = (value: number): number | undefined => {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude > halfMax) return undefined;
  if (magnitude < halfNormalMin) return Number.isInteger(magnitude / halfSubnormal) ? sign | (magnitude / halfSubnormal) : undefined;
  const exponent = Math.floor(Math.log2(magnitude));
  const mantissa = (magnitude / 2 ** exponent - 1) * 1024;
  return Number.isInteger(mantissa) ? sign | ((exponent + 15) << 10) | mantissa : undefined;
};
