import { functions } from '../check/functions.js';
import { isOpen, type Type } from '../check/types.js';
import { Failure, ListValue, MapValue, noOverload, orderedTypes, typeNameOf, type Value } from './values.js';

/**
 * Messages of calls without a fitting implementation. In cel-go most functions name themselves and their argument types; operators and a few functions have
 * one implementation, which requires a trait of the first operand, and name themselves alone.
 */

const numbers = ['double', 'int', 'uint'];
const times = ['google.protobuf.Duration', 'google.protobuf.Timestamp'];
const ordered = [...orderedTypes];

/** Types of first operands with an implementation's required trait (`traitMask` in `common/types` of cel-go). */
const traits: Readonly<Record<string, readonly string[]>> = {
  '_+_': ['bytes', 'list', 'string', ...numbers, ...times],
  '_-_': [...numbers, ...times],
  '_*_': numbers,
  '_/_': numbers,
  '_%_': ['int', 'uint'],
  ...Object.fromEntries(['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, ordered])),
  '-_': ['bool', 'double', 'int', 'google.protobuf.Duration'],
  size: ['bytes', 'list', 'map', 'string'],
  matches: ['string'],
  sort: ['list'],
  '@sortByAssociatedKeys': ['list'],
};
/** Types that look for their own method where they lack the trait, and do not name it when it is missing. */
const receivers: ReadonlySet<string> = new Set(['string', ...times]);

/** Returns the failure of a call without a fitting implementation. The receiver is the first argument. */
export function unmatched(name: string, args: readonly Value[]): Failure {
  const [first = ''] = args.map(typeNameOf);
  const known = Object.hasOwn(traits, name) ? traits[name] : undefined;
  if (known !== undefined) return known.includes(first) || receivers.has(first) ? noOverload : new Failure(`no such overload: ${name}`);
  // It is called whatever the types are.
  if (name === 'flatten') return flattened(args);
  return isDeclared(name, args) ? noOverload : new Failure(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}

const flattened = ([list = null, ...levels]: readonly Value[]): Failure =>
  new Failure(`no such overload: ${typeNameOf(list)}.flatten(${levels.map(typeNameOf).join(', ')})`);

const isDeclared = (name: string, args: readonly Value[]): boolean =>
  (functions.get(name) ?? []).some((overload) => {
    const types = overload.target === null ? overload.args : [overload.target, ...overload.args];
    return types.length === args.length && types.every((type, position) => takes(type, args[position] ?? null));
  });

/** Only the first entry of a list or map counts, as in `IsAssignableRuntimeType`. */
function takes(type: Type, value: Value): boolean {
  if (type.variable || isOpen(type)) return true;
  if (type.name !== typeNameOf(value)) return false;
  const [one, other] = type.of;
  if (value instanceof ListValue) return value.length === 0 || one === undefined || takes(one, value.at(0));
  if (!(value instanceof MapValue) || one === undefined || other === undefined) return true;
  for (const key of value.keys()) return takes(one, key) && takes(other, value.get(key) ?? null);
  return true;
}
