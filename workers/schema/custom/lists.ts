import { entryOf } from '../../../api/json/members.js';
import { setMember } from '../../../api/json/setMember.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import type { Steps } from '../../../api/steps.js';
import { causesMax, type Cause } from './contract.js';
import { canonicalJson, printed } from './printed.js';
import { memberStructure, type Structure } from './structure.js';

/** Items of sets and keys of keyed lists must be unique. Only the second of equal ones is reported. */
export function* checkLists(object: JsonMembers, structure: Structure): Steps<Cause[]> {
  const causes: Cause[] = [];
  yield* visitMembers(object, structure, '', causes);
  return causes;
}

function* visit(value: Json, structure: Structure, path: string, causes: Cause[]): Steps<void> {
  if (!structure.has.keyedLists || causes.length >= causesMax) return;
  if (isMembers(value)) yield* visitMembers(value, structure, path, causes);
  else if (Array.isArray(value)) {
    causes.push(
      ...(structure.listType === 'set'
        ? yield* duplicates(value, path)
        : structure.listType === 'map'
          ? yield* duplicateKeys(value, structure.listMapKeys, path)
          : []),
    );
    const { items } = structure;
    if (items === null || !items.has.keyedLists) return;
    for (const [index, item] of value.entries()) yield* visit(item, items, `${path}[${index}]`, causes);
  }
}

function* visitMembers(value: JsonMembers, structure: Structure, path: string, causes: Cause[]): Steps<void> {
  if (!structure.has.keyedLists) return;
  for (const name of Object.keys(value)) {
    const child = memberStructure(structure, name);
    if (child === null || !child.has.keyedLists) continue;
    yield* visit(
      value[name] as Json,
      child,
      structure.properties.has(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`,
      causes,
    );
  }
}

const duplicate = (path: string, index: number, value: Json): Cause => ({
  type: 'FieldValueDuplicate',
  path: `${path}[${index}]`,
  message: `Duplicate value: ${printed(value)}`,
});

/** Cheap for scalars, the usual case. */
const identityOf = (value: Json | undefined): string =>
  typeof value === 'string' ? `"${value}` : typeof value === 'object' ? canonicalJson(value) : `${typeof value} ${String(value)}`;

const stepItems = 500;

/** `identity` distinguishes items, `shown` is what a cause quotes. */
function* repeated<T extends Json>(
  items: readonly T[],
  identity: (item: T) => string,
  shown: (item: T) => Json,
  path: string,
): Steps<Cause[]> {
  const causes: Cause[] = [];
  const seen = new Map<string, number>();
  for (let index = 0; index < items.length && causes.length < causesMax; index++) {
    if (index % stepItems === stepItems - 1) yield;
    const item = items[index] as T;
    const key = identity(item);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) causes.push(duplicate(path, index, shown(item)));
  }
  return causes;
}

function* duplicates(items: readonly Json[], path: string): Steps<Cause[]> {
  return items.length < 2 ? [] : yield* repeated(items, identityOf, (item) => item, path);
}

function* duplicateKeys(items: readonly Json[], keys: readonly string[], path: string): Steps<Cause[]> {
  const other = items.findIndex((item) => item !== null && !isMembers(item));
  if (other >= 0)
    return [
      {
        type: 'FieldValueInvalid',
        path: `${path}[${other}]`,
        message: `Invalid value: ${printed(items[other] ?? null)}: must be an object for an array of list-type map`,
      },
    ];
  if (items.length < 2) return [];
  const [key = ''] = keys;
  const identity =
    keys.length === 1
      ? (item: Json): string => identityOf(isMembers(item) ? entryOf(item, key) : undefined)
      : (item: Json): string => canonicalJson(keyOf(item, keys));
  return yield* repeated(items, identity, (item) => keyOf(item, keys), path);
}

function keyOf(item: Json, keys: readonly string[]): JsonMembers {
  const found: JsonMembers = {};
  if (isMembers(item)) {
    for (const key of keys) {
      const value = entryOf(item, key);
      if (value !== undefined) setMember(found, key, value);
    }
  }
  return found;
}
