import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import { CAUSES_MAX, type Cause } from './contract.js';
import { canonicalJson, memberOf, printed } from './printed.js';
import { memberStructure, type Structure } from './structure.js';

/** Items of sets, and keys of keyed lists, occur once. The second of equal ones is reported, further ones are not. */
export function checkLists(object: JsonMembers, structure: Structure): Cause[] {
  const causes: Cause[] = [];
  visitMembers(object, structure, '', causes);
  return causes;
}

function visit(value: Json, structure: Structure, path: string, causes: Cause[]): void {
  if (!structure.has.keyedLists || causes.length >= CAUSES_MAX) return;
  if (isMembers(value)) visitMembers(value, structure, path, causes);
  else if (Array.isArray(value)) {
    causes.push(...(structure.listType === 'set' ? duplicates(value, path) : structure.listType === 'map' ? duplicateKeys(value, structure.listMapKeys, path) : []));
    const { items } = structure;
    if (items !== null && items.has.keyedLists) value.forEach((item, index) => visit(item, items, `${path}[${index}]`, causes));
  }
}

function visitMembers(value: JsonMembers, structure: Structure, path: string, causes: Cause[]): void {
  if (!structure.has.keyedLists) return;
  for (const name of Object.keys(value)) {
    const child = memberStructure(structure, name);
    if (child === null) continue;
    visit(value[name] as Json, child, structure.properties.has(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`, causes);
  }
}

const duplicate = (path: string, index: number, value: Json): Cause => ({ type: 'FieldValueDuplicate', path: `${path}[${index}]`, message: `Duplicate value: ${printed(value)}` });

function duplicates(items: readonly Json[], path: string): Cause[] {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const key = canonicalJson(item);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return times === 2 ? [duplicate(path, index, item)] : [];
  }).slice(0, CAUSES_MAX);
}

function duplicateKeys(items: readonly Json[], keys: readonly string[], path: string): Cause[] {
  const other = items.findIndex(item => item !== null && !isMembers(item));
  if (other >= 0) return [{ type: 'FieldValueInvalid', path: `${path}[${other}]`, message: `Invalid value: ${printed(items[other] ?? null)}: must be an object for an array of list-type map` }];
  return duplicates(items.map(item => keyOf(item, keys)), path);
}

/** The keys that an item has, and their values. */
function keyOf(item: Json, keys: readonly string[]): JsonMembers {
  if (!isMembers(item)) return {};
  return Object.fromEntries(keys.flatMap(key => {
    const value = memberOf(item, key);
    return value === undefined ? [] : [[key, value]];
  }));
}
