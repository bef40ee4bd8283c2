import type { JsonValue } from '../../api/object.js';
import { leaf, unknown, type AlwaysPresent, type ListKey, type Schema } from './schema.js';

/** What this module reads of a type in the catalogue. */
export interface TypeFacts {
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  readonly mapType?: string;
  readonly type?: string;
}
export interface FieldFacts {
  readonly ref?: string;
  readonly items?: FieldFacts;
  readonly values?: FieldFacts;
  readonly type?: string;
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
}

export interface TypeSource {
  readonly factsOf: (typeName: string) => TypeFacts | undefined;
  /** Members that exist in every object of the type, and what they hold while nobody has set them (`server/catalogue/presence.ts`). */
  readonly alwaysPresent: (typeName: string) => readonly { readonly name: string; readonly zero: JsonValue | 'struct' }[];
}

/** Builds schemas for types of the catalogue, each at most once; recursive types are fine. */
export function createTypeSchemas(source: TypeSource): (typeName: string) => Schema {
  const known = new Map<string, Schema>();
  const schemaOf = (typeName: string): Schema => {
    let schema = known.get(typeName);
    if (schema === undefined) known.set(typeName, schema = build(typeName));
    return schema;
  };
  const build = (typeName: string): Schema => {
    const facts = source.factsOf(typeName);
    if (facts === undefined) return unknown;
    // Types without members (times, quantities, raw JSON) are replaced as a whole.
    if (facts.fields === undefined) return leaf;
    const { fields } = facts;
    const cache = new Map<string, Schema>();
    const field = (name: string): Schema | undefined => {
      const declared = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (declared === undefined) return undefined;
      let schema = cache.get(name);
      if (schema === undefined) cache.set(name, schema = fieldSchema(declared));
      return schema;
    };
    return { kind: 'struct', atomic: facts.mapType === 'atomic', field, get always() { return alwaysPresent(typeName, field); } };
  };
  const alwaysPresent = (typeName: string, field: (name: string) => Schema | undefined): AlwaysPresent[] =>
    source.alwaysPresent(typeName).map(({ name, zero }) => ({ name, schema: field(name) ?? unknown, zero }));
  const fieldSchema = (facts: FieldFacts): Schema => {
    if (facts.ref !== undefined) {
      const target = schemaOf(facts.ref);
      return facts.mapType === 'atomic' && target.kind === 'struct' ? { ...target, always: target.always, atomic: true } : target;
    }
    if (facts.values !== undefined) return { kind: 'map', atomic: facts.mapType === 'atomic', element: fieldSchema(facts.values) };
    return facts.items === undefined ? leaf : listSchema(facts, fieldSchema(facts.items));
  };
  const listSchema = (facts: FieldFacts, element: Schema): Schema => {
    if (facts.listType === 'map') return { kind: 'list', relationship: 'map', element, keys: listKeys(facts) };
    return { kind: 'list', relationship: facts.listType === 'set' ? 'set' : 'atomic', element };
  };
  const listKeys = (facts: FieldFacts): ListKey[] => {
    const members = source.factsOf(facts.items?.ref ?? '')?.fields ?? {};
    return (facts.listMapKeys ?? []).map((name) => ({ name, default: members[name]?.default ?? null }));
  };
  return schemaOf;
}
