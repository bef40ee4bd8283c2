import type { MergeSchema, PlainJson } from './contract.js';
import type { Structure } from './structure.js';

const scalars: Readonly<Record<string, MergeSchema>> = {
  integer: { kind: 'leaf', scalar: 'numeric' },
  number: { kind: 'leaf', scalar: 'numeric' },
  string: { kind: 'leaf', scalar: 'string' },
  boolean: { kind: 'leaf', scalar: 'boolean' },
};
const text = scalars['string']!;
const unknown: MergeSchema = { kind: 'unknown' };
const ownTypes: readonly string[] = ['apiVersion', 'kind'];

/** `whole`: the type is an object with metadata. `open`: undescribed members are kept everywhere. */
export interface MergeTypeOptions {
  readonly whole: boolean;
  readonly open: boolean;
}

export function mergeTypesOf(structure: Structure, metadata: MergeSchema, { whole, open }: MergeTypeOptions): MergeSchema {
  const convert = (child: Structure): MergeSchema => mergeTypesOf(child, metadata, { whole: child.embedded, open });
  if (structure.type === 'array') return listOf(structure, convert);
  if (structure.type !== 'object' && !whole) return scalars[structure.type] ?? unknown;
  const { properties, rest, mapAtomic } = structure;
  if (rest !== null || (properties.size === 0 && !whole))
    return { kind: 'map', atomic: mapAtomic, element: rest === null || rest === 'any' ? unknown : convert(rest) };
  const fields = new Map([...properties].map(([name, child]) => [name, convert(child)]));
  if (whole) {
    for (const name of ownTypes) fields.set(name, text);
    fields.set('metadata', metadata);
  }
  return { kind: 'struct', atomic: mapAtomic, field: (name) => fields.get(name), open: structure.preserve || open, always: [] };
}

function listOf({ items, listType, listMapKeys }: Structure, convert: (child: Structure) => MergeSchema): MergeSchema {
  const element = items === null ? unknown : convert(items);
  if (listType !== 'map') return { kind: 'list', relationship: listType === 'set' ? 'set' : 'atomic', element };
  return {
    kind: 'list',
    relationship: 'map',
    element,
    keys: listMapKeys.map((name) => ({ name, default: (items?.properties.get(name)?.default ?? null) as PlainJson })),
  };
}
