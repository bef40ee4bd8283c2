import type { Prng } from '../simulation/prng.js';

/** Changes bytes and values by a seed. */

const bytesGrownMax = 4_096;
const oddBytes = [0, 1, 9, 10, 13, 0x20, 0x22, 0x25, 0x2f, 0x3a, 0x5c, 0x7b, 0x7f, 0x80, 0xff] as const;

/** Flips, drops, doubles, moves or inserts a few bytes. */
export function mutatedBytes(prng: Prng, bytes: Buffer): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = prng.between(1, 4); left > 0; left -= 1) changed = onceMutated(prng, changed);
  return changed;
}

function onceMutated(prng: Prng, bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const [at, to] = [prng.below(bytes.length + 1), prng.below(bytes.length + 1)].sort((a, b) => a - b) as [number, number];
  switch (prng.below(7)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length]! ^= 1 << prng.below(8);
      return copy;
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(to, at + 64))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.of(prng.pick(oddBytes)), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, to), bytes.subarray(to)]).subarray(0, bytes.length + bytesGrownMax);
    case 4:
      return Buffer.from(bytes.subarray(0, at));
    case 5:
      return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(prng.below(bytesGrownMax), prng.pick(oddBytes)), bytes.subarray(at)]);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length] = prng.below(256);
      return copy;
    }
  }
}

type Json = unknown;

const oddTexts = [
  '',
  ' ',
  '__proto__',
  'constructor',
  '..',
  '/',
  '%2f',
  'a'.repeat(300),
  '\u0000',
  '\ud800',
  '🦭',
  '-1',
  '1e999',
  'NaN',
  '2024-13-99T99:99:99Z',
  '0x10',
  '1Gi',
  '-5m',
  '9'.repeat(40),
  '{{}}',
  '$(A)',
  '*',
  '2001:db8::1',
  '256.1.1.1',
] as const;
const oddNumbers = [0, -1, 1, 1.5, -0, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e300, 65_536, 5e-324] as const;
const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'metadata',
  'spec',
  'status',
  'kind',
  'apiVersion',
  'items',
  '',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  '$deleteFromPrimitiveList/finalizers',
  'name',
  'f:metadata',
  'a.b/c',
] as const;
const depthMax = 40;

/** A value of any type, mostly small. */
export function oddValue(prng: Prng): Json {
  switch (prng.below(8)) {
    case 0:
      return null;
    case 1:
      return prng.chance(500);
    case 2:
      return prng.pick(oddNumbers);
    case 3:
    case 4:
      return prng.pick(oddTexts);
    case 5:
      return Array.from({ length: prng.below(4) }, () => prng.pick(oddTexts));
    case 6:
      return membersOf([[prng.pick(oddNames), prng.pick(oddTexts)]]);
    default:
      return nested(prng.below(depthMax), prng.chance(500));
  }
}

function nested(depth: number, asList: boolean): Json {
  let value: Json = 'deep';
  for (let level = 0; level < depth; level += 1) value = asList ? [value] : { a: value };
  return value;
}

/** Makes `__proto__` an ordinary member. */
const membersOf = (entries: readonly (readonly [string, Json])[]): Json => Object.fromEntries(entries);

/** A copy with one change: another value, or a member or item removed, added, doubled or renamed. */
export function mutatedValue(prng: Prng, value: Json): Json {
  if (Array.isArray(value)) return mutatedList(prng, value);
  if (typeof value === 'object' && value !== null) return mutatedMembers(prng, Object.entries(value));
  return oddValue(prng);
}

function mutatedList(prng: Prng, items: readonly Json[]): Json {
  const at = prng.below(items.length + 1);
  switch (prng.below(items.length === 0 ? 2 : 5)) {
    case 0:
      return oddValue(prng);
    case 1:
      return [...items.slice(0, at), oddValue(prng), ...items.slice(at)];
    case 2:
      return items.filter((_item, index) => index !== at);
    case 3:
      return [...items, ...items];
    default:
      return items.map((item, index) => (index === at % items.length ? mutatedValue(prng, item) : item));
  }
}

function mutatedMembers(prng: Prng, entries: readonly [string, Json][]): Json {
  const at = prng.below(Math.max(1, entries.length));
  switch (prng.below(entries.length === 0 ? 2 : 10)) {
    case 0:
      return oddValue(prng);
    case 1:
      return membersOf([...entries, [prng.pick(oddNames), oddValue(prng)]]);
    case 2:
      return membersOf(entries.filter((_entry, index) => index !== at));
    case 3:
      return membersOf(entries.map(([name, value], index) => [index === at ? prng.pick(oddNames) : name, value]));
    // Mostly deeper: errors far inside are found last.
    default:
      return membersOf(entries.map(([name, value], index) => [name, index === at ? mutatedValue(prng, value) : value]));
  }
}
