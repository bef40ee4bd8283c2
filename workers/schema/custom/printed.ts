import { setMember } from '../../../api/json/setMember.js';
import { quoted } from '../../codecs/goQuotes.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** Returns whether the reference holds a number as a 64-bit integer. An inexact number had a fraction or an exponent. */
export const isInteger = (value: Json): value is number | bigint =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint' && value >= int64Min && value <= int64Max;

/** Prints an exponent from a million on, and below a ten-thousandth. */
export function printedFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

const printedNumber = (value: number | bigint): string => (isInteger(value) ? String(value) : printedFloat(Number(value)));

export function printed(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'bigint') return printedNumber(value);
  return canonicalJson(value);
}

/** Sorts members by name, so that equal values have equal texts. */
export function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isMembers(value))
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
      .join(',')}}`;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null);
}

export function deepCopy(value: Json): Json {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!isMembers(value)) return value;
  const copy: JsonMembers = {};
  for (const name of Object.keys(value)) setMember(copy, name, deepCopy(value[name] as Json));
  return copy;
}
