import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import { deepCopy, memberOf, setMember } from './printed.js';
import { pruneValue } from './prune.js';
import { memberStructure, type Structure } from './structure.js';

/** Defaults, and the nulls that they replace. */

const isUnwantedNull = (value: Json | undefined, structure: Structure | null): boolean =>
  value === null && structure !== null && !structure.nullable;

/** Drops nulls where null is not allowed, unless a default will replace them; in lists they stay. Changes the value. */
export function dropNulls(value: Json, structure: Structure | null): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) dropNulls(item, structure?.items ?? null);
  } else if (isMembers(value)) {
    for (const name in value) {
      const member = value[name] as Json;
      if (typeof member !== 'object') continue;
      const child = structure === null ? null : memberStructure(structure, name);
      if (isUnwantedNull(member, child) && child?.default === undefined) delete value[name];
      else if (member !== null) dropNulls(member, child);
    }
  }
}

/** Sets defaults where nothing is, and where null is although it is not allowed. Changes the value. */
export function setDefaults(value: Json, structure: Structure): void {
  if (!structure.has.defaults) return;
  if (Array.isArray(value)) setDefaultsOfItems(value, structure.items);
  else if (isMembers(value)) setDefaultsOfMembers(value, structure);
}

function setDefaultsOfItems(value: Json[], items: Structure | null): void {
  if (items === null) return;
  for (let index = 0; index < value.length; index++) {
    if (value[index] === null && !items.nullable && items.default !== undefined) value[index] = deepCopy(items.default);
    const item = value[index] as Json;
    if (typeof item === 'object' && item !== null) setDefaults(item, items);
  }
}

function setDefaultsOfMembers(value: JsonMembers, structure: Structure): void {
  for (const [name, property] of structure.properties) {
    if (property.default === undefined) continue;
    const member = memberOf(value, name);
    if (member === undefined || isUnwantedNull(member, property)) setMember(value, name, deepCopy(property.default));
  }
  for (const name in value) {
    if (typeof value[name] !== 'object') continue;
    const child = memberStructure(structure, name);
    if (child === null) continue;
    if (!structure.properties.has(name) && isUnwantedNull(value[name], child) && child.default !== undefined)
      setMember(value, name, deepCopy(child.default));
    const member = value[name] as Json;
    if (typeof member === 'object' && member !== null) setDefaults(member, child);
  }
}

/** The structure with its defaults as they are used: without what their own schema does not know. */
export function withPrunedDefaults(structure: Structure): Structure {
  if (structure.default === undefined && !structure.has.defaults) return structure;
  let value = structure.default;
  if (typeof value === 'object' && value !== null) {
    value = deepCopy(value);
    pruneValue(value, structure, structure.embedded);
  }
  return {
    ...structure,
    default: value,
    items: structure.items === null ? null : withPrunedDefaults(structure.items),
    properties: new Map([...structure.properties].map(([name, child]) => [name, withPrunedDefaults(child)])),
    rest: structure.rest === null || structure.rest === 'any' ? structure.rest : withPrunedDefaults(structure.rest),
  };
}
