import { entryOf } from '../../../api/json/members.js';
import { setMember } from '../../../api/json/setMember.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import type { Steps } from '../../../api/steps.js';
import { GrownTooLarge } from './contract.js';
import { coerceEmbedded } from './embedded.js';
import { canonicalJson, deepCopy } from './printed.js';
import { pruneValue } from './prune.js';
import { asWhole, memberStructure, type Structure } from './structure.js';

const isUnwantedNull = (value: Json | undefined, structure: Structure | null): boolean =>
  value === null && structure !== null && !structure.nullable;

/** Keeps nulls that a default will replace, and those in lists. Changes the value. */
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

const stepDefaults = 500;

/** Counts bytes added by defaults: a short body may have many places for long ones. */
export class Growth {
  readonly #bytesMax: number;
  #bytes = 0;
  #defaults = 0;

  constructor(bytesMax = Infinity) {
    this.#bytesMax = bytesMax;
  }

  /** Counts a default, and returns whether to yield. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) throw new GrownTooLarge(this.#bytesMax);
    return ++this.#defaults % stepDefaults === 0;
  }
}

/** Works in steps and changes the value. Throws `GrownTooLarge`. */
export function* setDefaults(value: Json, structure: Structure, growth: Growth): Steps<void> {
  if (!structure.has.defaults) return;
  if (Array.isArray(value)) yield* setDefaultsOfItems(value, structure.items, growth);
  else if (isMembers(value)) yield* setDefaultsOfMembers(value, structure, growth);
}

function* setDefaultsOfItems(value: Json[], items: Structure | null, growth: Growth): Steps<void> {
  if (items === null) return;
  for (let index = 0; index < value.length; index++) {
    if (value[index] === null && !items.nullable && items.default !== undefined) {
      if (growth.add(items.defaultBytes)) yield;
      value[index] = deepCopy(items.default);
    }
    const item = value[index] as Json;
    if (typeof item === 'object' && item !== null) yield* setDefaults(item, items, growth);
  }
}

function* setDefaultsOfMembers(value: JsonMembers, structure: Structure, growth: Growth): Steps<void> {
  for (const [name, property] of structure.properties) {
    if (property.default === undefined) continue;
    const member = entryOf(value, name);
    if (member !== undefined && !isUnwantedNull(member, property)) continue;
    if (growth.add(name.length + property.defaultBytes)) yield;
    setMember(value, name, deepCopy(property.default));
  }
  for (const name in value) {
    if (typeof value[name] !== 'object') continue;
    const child = memberStructure(structure, name);
    if (child === null) continue;
    if (!structure.properties.has(name) && isUnwantedNull(value[name], child) && child.default !== undefined) {
      if (growth.add(child.defaultBytes)) yield;
      setMember(value, name, deepCopy(child.default));
    }
    const member = value[name] as Json;
    if (typeof member === 'object' && member !== null) yield* setDefaults(member, child, growth);
  }
}

/**
 * Prunes defaults by their own schema and normalises their metadata (`PruneDefaults` of apiextensions-apiserver). A default within metadata is part of the
 * least object around it.
 */
export const withPrunedDefaults = (root: Structure): Structure => prunedBelow(root, [], asWhole(root));

/** Member names from the root to a value, null for a list item. */
type Way = readonly (string | null)[];

function prunedBelow(structure: Structure, way: Way, root: Structure): Structure {
  if (structure.default === undefined && !structure.has.defaults) return structure;
  const below = (child: Structure, step: string | null): Structure => prunedBelow(child, [...way, step], root);
  const value = structure.default === undefined ? undefined : prunedDefault(structure.default, way, root);
  return {
    ...structure,
    default: value,
    defaultBytes: value === undefined ? 0 : Buffer.byteLength(canonicalJson(value)),
    items: structure.items === null ? null : below(structure.items, null),
    properties: new Map([...structure.properties].map(([name, child]) => [name, below(child, name)])),
    rest: structure.rest === null || structure.rest === 'any' ? structure.rest : below(structure.rest, anyName),
  };
}

const anyName = '*';

function prunedDefault(value: Json, way: Way, root: Structure): Json | undefined {
  const object = way.reduceRight<Json>((inner, step) => (step === null ? [inner] : membersWith(step, inner)), deepCopy(value));
  coerceEmbedded(object, root, true);
  pruneValue(object, root, true);
  return way.reduce<Json | undefined>((outer, step) => {
    if (Array.isArray(outer)) return outer[0];
    return step !== null && isMembers(outer) ? entryOf(outer, step) : undefined;
  }, object);
}

function membersWith(name: string, value: Json): JsonMembers {
  const members: JsonMembers = {};
  setMember(members, name, value);
  return members;
}
