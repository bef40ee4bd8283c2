import { NumberLiteral, type Json } from '../codecs/value.js';

/** The kind of a Go type. */
export type GoKind = 'map' | 'slice' | 'struct' | 'string' | 'bool' | 'int32' | 'int64' | 'uint8' | 'float64';

const int64Bits = 64;

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (value instanceof NumberLiteral) return 'float64';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'float64';
  if (typeof value === 'number' || typeof value === 'bigint')
    return BigInt.asIntN(int64Bits, BigInt(value)) === BigInt(value) ? 'int64' : 'float64';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'bool' : 'map';
}

const isNumeric = (kind: string): boolean => /^(?:u?int|float)\d+$/.test(kind);

/** Go converts numbers to numbers, and integers to texts. */
const isConvertible = (from: string, to: GoKind): boolean => isNumeric(from) && (isNumeric(to) || (from === 'int64' && to === 'string'));

/** Returns the message for a value in memory of the wrong type: `fromUnstructured` in apimachinery's runtime/converter.go. */
export function restoredMessage(value: Json, type: string, kind: GoKind): string {
  const found = kindOf(value);
  if (kind === 'map' || kind === 'slice') return `cannot restore ${kind} from ${found}`;
  if (kind === 'struct') return `cannot restore struct from: ${found}`;
  return isConvertible(found, kind) ? `cannot convert ${found} to ${type}` : `unrecognized type: ${kind}`;
}
