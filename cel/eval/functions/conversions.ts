import { parseDuration, parseTimestamp, durationText, timestampText } from '../clock.js';
import { doubleText } from '../doubles.js';
import { int, timestamp, uint } from '../numbers.js';
import {
  Duration,
  Failure,
  noOverload,
  overflow,
  Timestamp,
  typeNameOf,
  TypeValue,
  UInt,
  unsignedOverflow,
  type Value,
} from '../values.js';
import { unmatched } from '../overloads.js';
import type { Implementation, Library } from './library.js';

const second = 1_000_000_000n;
const digitsMax = 40;
const unreadable = (to: string, from = 'string'): Failure => new Failure(`type conversion error from '${from}' to '${to}'`);
const wholeText = /^[+-]?\d+$/;
const trues = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falses = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
/** Each run of digits has one reading, since ambiguous patterns try all. */
const float = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const infinitePattern = /^([+-]?)inf(?:inity)?$/i;

function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (value instanceof UInt) return int(value.value);
  if (typeof value === 'number')
    return Number.isFinite(value) && value > -9223372036854775808 && value < 9223372036854775808
      ? int(BigInt(Math.trunc(value)))
      : overflow;
  if (value instanceof Timestamp) return value.nanoseconds / second - (value.nanoseconds % second < 0n ? 1n : 0n);
  if (value instanceof Duration) return value.nanoseconds;
  if (typeof value !== 'string') return noOverload;
  const whole = wholeText.test(value) && value.length <= digitsMax ? int(BigInt(value.replace(/^\+/, ''))) : overflow;
  return whole instanceof Failure ? unreadable('int') : whole;
}

function toUint(value: Value): Value {
  if (value instanceof UInt) return value;
  if (typeof value === 'bigint') return uint(value);
  if (typeof value === 'number')
    return Number.isFinite(value) && value > -1 && value < 18446744073709551616 ? uint(BigInt(Math.trunc(value))) : unsignedOverflow;
  if (typeof value !== 'string') return noOverload;
  const whole = /^\d+$/.test(value) && value.length <= digitsMax ? uint(BigInt(value)) : overflow;
  return whole instanceof Failure ? unreadable('uint') : whole;
}

function toDouble(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof UInt) return Number(value.value);
  if (typeof value !== 'string') return noOverload;
  if (float.test(value)) return Number.isFinite(Number(value)) ? Number(value) : unreadable('double');
  const infinite = infinitePattern.exec(value);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  return /^nan$/i.test(value) ? Number.NaN : unreadable('double');
}

function toText(value: Value): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof UInt) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  return value instanceof Uint8Array ? textOfBytes(value) : noOverload;
}

function textOfBytes(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new Failure('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return timestamp(value * second);
  return typeof value === 'string' ? (parseTimestamp(value) ?? unreadable('google.protobuf.Timestamp')) : noOverload;
}

function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  // The checker accepts an integer, which the reference cannot convert.
  if (typeof value === 'bigint') return unreadable('google.protobuf.Duration', 'int');
  return typeof value === 'string' ? (parseDuration(value) ?? unreadable('google.protobuf.Duration')) : noOverload;
}

const toBool = (value: Value): Value =>
  typeof value === 'boolean'
    ? value
    : typeof value !== 'string'
      ? noOverload
      : trues.has(value)
        ? true
        : falses.has(value)
          ? false
          : unreadable('bool');
const toBytes = (value: Value): Value =>
  value instanceof Uint8Array ? value : typeof value === 'string' ? new Uint8Array(Buffer.from(value)) : noOverload;

type Conversion = (value: Value) => Value;

const byName: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
  ['int', toInt],
  ['uint', toUint],
  ['double', toDouble],
  ['string', toText],
  ['bool', toBool],
  ['bytes', toBytes],
  ['timestamp', toTimestamp],
  ['duration', toDuration],
  ['dyn', (value) => value],
  ['type', (value) => new TypeValue(typeNameOf(value))],
]);

const implementationOf =
  (conversion: Conversion): Implementation =>
  ([value = null]) =>
    conversion(value);

/** Undefined when the function is not a conversion. */
export const convert = (name: string, value: Value): Value | undefined => {
  const converted = byName.get(name)?.(value);
  return converted === noOverload ? unmatched(name, [value]) : converted;
};

export const conversions: Library = Object.fromEntries(
  [...byName].map(([name, conversion]) => [`${name}/1`, implementationOf(conversion)]),
);
