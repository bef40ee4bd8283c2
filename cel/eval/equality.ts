import type { Meter } from './budget.js';
import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  noOverload,
  Opaque,
  Optional,
  Timestamp,
  typeNameOf,
  TypeValue,
  UInt,
  type Value,
} from './values.js';

/** Deeper structures are not compared; request objects never nest so deeply. */
const depthMax = 200;

/** Compares values. Different types differ, but all numbers compare numerically, and values of libraries only with their like. */
export function equals(one: Value, other: Value, meter: Meter, depth = 0): boolean | Failure {
  if (one instanceof Failure) return one;
  if (other instanceof Failure) return other;
  if (depth > depthMax) return new Failure('values nest too deeply');
  meter.step(1);
  if (one === other) return !(typeof one === 'number' && Number.isNaN(one));
  if (isNumber(one)) return isNumber(other) && compareNumbers(one, other) === 0;
  if (typeof one === 'string') return textsEqual(one, other, meter);
  if (one instanceof Opaque && other !== null && typeNameOf(one) !== typeNameOf(other)) return depth === 0 ? noOverload : false;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false;
  if (one instanceof ListValue) return other instanceof ListValue && listsEqual(one, other, meter, depth + 1);
  if (one instanceof MapValue) return other instanceof MapValue && mapsEqual(one, other, meter, depth + 1);
  if (one instanceof Optional) return other instanceof Optional && optionalsEqual(one, other, meter, depth + 1);
  return smallEqual(one, other, meter);
}

function textsEqual(one: string, other: Value, meter: Meter): boolean {
  if (typeof other !== 'string' || one.length !== other.length) return false;
  meter.step(one.length >> 4);
  return one === other;
}

function smallEqual(one: Exclude<Value, null | string | boolean | number | bigint>, other: Value, meter: Meter): boolean {
  if (one instanceof Uint8Array) {
    meter.step(one.length >> 4);
    return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  }
  if (one instanceof Timestamp) return other instanceof Timestamp && one.nanoseconds === other.nanoseconds;
  if (one instanceof Duration) return other instanceof Duration && one.nanoseconds === other.nanoseconds;
  if (one instanceof TypeValue) return other instanceof TypeValue && one.name === other.name;
  if (!(one instanceof Opaque) || !(other instanceof Opaque)) return false;
  meter.traverse(one.weight + other.weight);
  return one.typeName === other.typeName && one.equals(other);
}

function optionalsEqual(one: Optional, other: Optional, meter: Meter, depth: number): boolean | Failure {
  if (one.value === undefined || other.value === undefined) return one.value === other.value;
  return equals(one.value, other.value, meter, depth);
}

function listsEqual(one: ListValue, other: ListValue, meter: Meter, depth: number): boolean | Failure {
  if (one.length !== other.length) return false;
  if (one.order !== 'ordered' || other.order !== 'ordered') return unorderedEqual(one, other, meter, depth);
  for (let i = 0; i < one.length; i++) {
    const same = equals(one.at(i), other.at(i), meter, depth);
    if (same !== true) return same;
  }
  return true;
}

/** Compares sets and keyed lists: each element needs an equal one in the other. */
function unorderedEqual(one: ListValue, other: ListValue, meter: Meter, depth: number): boolean | Failure {
  const free = new Set(Array.from({ length: other.length }, (_, i) => i));
  for (let i = 0; i < one.length; i++) {
    let found = -1;
    for (const j of free) {
      const same = equals(one.at(i), other.at(j), meter, depth);
      if (same instanceof Failure) return same;
      if (same) {
        found = j;
        break;
      }
    }
    if (found < 0) return false;
    free.delete(found);
  }
  return true;
}

function mapsEqual(one: MapValue, other: MapValue, meter: Meter, depth: number): boolean | Failure {
  if (one.size !== other.size) return false;
  for (const key of one.keys()) {
    const [mine, theirs] = [one.get(key), other.get(key)];
    if (mine === undefined || theirs === undefined) return false;
    const same = equals(mine, theirs, meter, depth);
    if (same !== true) return same;
  }
  return true;
}

const isNumber = (value: Value): value is number | bigint | UInt =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof UInt;

const [lowest, highest] = [-(2 ** 63), 2 ** 63];
const highestUnsigned = 2 ** 64;

/** Returns a negative number, zero or a positive one; NaN if either is. Doubles compare with integers as doubles, inexact beyond 2^53. */
function compareNumbers(one: number | bigint | UInt, other: number | bigint | UInt): number {
  if (typeof one === 'number') return compareDouble(one, other);
  if (typeof other === 'number') return -compareDouble(other, one);
  const [a, b] = [one instanceof UInt ? one.value : one, other instanceof UInt ? other.value : other];
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareDouble(one: number, other: number | bigint | UInt): number {
  if (typeof other !== 'number') {
    const [from, to] = other instanceof UInt ? [0, highestUnsigned] : [lowest, highest];
    if (one < from) return -1;
    if (one > to) return 1;
  }
  const value = typeof other === 'number' ? other : Number(other instanceof UInt ? other.value : other);
  return one < value ? -1 : one > value ? 1 : one === value ? 0 : Number.NaN;
}

/** Code point order, which differs from that of UTF-16 units. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  const end = Math.min(one.length, other.length);
  let i = 0;
  while (i < end && one.charCodeAt(i) === other.charCodeAt(i)) i += 1;
  if (i === end) return one.length - other.length;
  const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
  const [pairA, pairB] = [a >= 0xd800 && a <= 0xdfff, b >= 0xd800 && b <= 0xdfff];
  return pairA === pairB ? a - b : pairA ? 1 : -1;
}

const unordered = new Failure('NaN values cannot be ordered');

/** Compares two values of ordered types. NaN has no order. */
export function compare(one: Value, other: Value, meter: Meter): number | Failure {
  if (one instanceof Failure) return one;
  if (other instanceof Failure) return other;
  if (isNumber(one) && isNumber(other)) {
    const order = compareNumbers(one, other);
    return Number.isNaN(order) ? unordered : order;
  }
  if (typeof one === 'string' && typeof other === 'string') {
    meter.step(Math.min(one.length, other.length) >> 4);
    return compareTexts(one, other);
  }
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    meter.traverse(Math.min(one.length, other.length));
    return Buffer.compare(one, other);
  }
  if ((one instanceof Timestamp && other instanceof Timestamp) || (one instanceof Duration && other instanceof Duration))
    return one.nanoseconds < other.nanoseconds ? -1 : one.nanoseconds > other.nanoseconds ? 1 : 0;
  return noOverload;
}
