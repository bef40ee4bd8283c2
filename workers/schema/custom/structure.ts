import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';

/** A schema without conditions, for pruning, defaults, embedded objects and lists. */
export interface Structure {
  readonly properties: ReadonlyMap<string, Structure>;
  /** The schema of additional members; `any` if merely allowed or forbidden, null if absent. */
  readonly rest: Structure | 'any' | null;
  readonly items: Structure | null;
  readonly preserve: boolean;
  readonly embedded: boolean;
  readonly nullable: boolean;
  /** Undefined if there is none; a null default does not count. */
  readonly default: Json | undefined;
  /** The size of the default after its own structure was applied. */
  readonly defaultBytes: number;
  readonly listType: string;
  readonly listMapKeys: readonly string[];
  readonly mapAtomic: boolean;
  readonly intOrString: boolean;
  readonly type: string;
  readonly has: { readonly embedded: boolean; readonly defaults: boolean; readonly keyedLists: boolean };
}

export function structureOf(schema: JsonMembers): Structure {
  const properties = new Map(membersOf(schema['properties']).map(([name, child]) => [name, structureOf(child)]));
  const { additionalProperties: rest, items } = schema;
  const structure = {
    properties,
    rest: isMembers(rest) ? structureOf(rest) : typeof rest === 'boolean' ? ('any' as const) : null,
    items: isMembers(items) ? structureOf(items) : null,
    preserve: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: schema['x-kubernetes-embedded-resource'] === true,
    nullable: schema['nullable'] === true,
    default: schema['default'] ?? undefined,
    defaultBytes: 0,
    listType: textOf(schema['x-kubernetes-list-type']),
    listMapKeys: Array.isArray(schema['x-kubernetes-list-map-keys']) ? schema['x-kubernetes-list-map-keys'].map(String) : [],
    mapAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    type: textOf(schema['type']),
  };
  return { ...structure, has: contentsOf(structure) };
}

function contentsOf(structure: Omit<Structure, 'has'>): Structure['has'] {
  const below = [...structure.properties.values(), structure.items, structure.rest].filter(
    (child): child is Structure => child !== null && child !== 'any',
  );
  return {
    embedded: structure.embedded || below.some((child) => child.has.embedded),
    defaults: below.some((child) => child.default !== undefined || child.has.defaults),
    keyedLists: structure.listType === 'set' || structure.listType === 'map' || below.some((child) => child.has.keyedLists),
  };
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const membersOf = (value: Json | undefined): [string, JsonMembers][] =>
  isMembers(value)
    ? Object.keys(value)
        .map((name) => [name, value[name]] as const)
        .filter((entry): entry is [string, JsonMembers] => isMembers(entry[1]))
    : [];

/** Treats a structure as a whole object, whatever it declares. */
export const asWhole = (structure: Structure): Structure =>
  structure.embedded ? structure : { ...structure, embedded: true, has: { ...structure.has, embedded: true } };

/** Returns null if the schema does not describe the member. */
export function memberStructure(structure: Structure, name: string): Structure | null {
  const property = structure.properties.get(name);
  if (property !== undefined) return property;
  return structure.rest === 'any' ? null : structure.rest;
}
