import type { EnumFacts, KnownField, TypeFacts, VersionFacts } from './facts.js';

type Types = Readonly<Record<string, TypeFacts>>;

/** Adds enum values to members. Throws for a member that is unknown, described twice or not a string, and for unordered values. */
export function withEnums(
  versions: ReadonlyMap<string, VersionFacts>,
  enums: Readonly<Record<string, EnumFacts>>,
): ReadonlyMap<string, VersionFacts> {
  const values = valuesByMember(enums);
  const met = new Set<string>();
  const typed = (group: string, name: string, type: TypeFacts): TypeFacts => {
    const fields = Object.entries(type.fields ?? {}).map(([member, field]): [string, KnownField] => {
      const place = `${group}.${name}.${member}`;
      const own = values.get(place);
      if (own === undefined) return [member, field];
      if (!/^(?:(?:list|map) of )?string$/.test(field.type)) throw new Error(`enums.yaml: ${place} is ${field.type}, not text`);
      met.add(place);
      return [member, { ...field, meant: own }];
    });
    return type.fields === undefined ? type : { ...type, fields: Object.fromEntries(fields) };
  };
  const all = new Map(
    [...versions].map(([place, facts]): [string, VersionFacts] => {
      const [group = ''] = place.split('/');
      const allTyped = (types: Types): Types =>
        Object.fromEntries(Object.entries(types).map(([name, type]) => [name, typed(group, name, type)]));
      return [
        place,
        {
          ...facts,
          ...(facts.types === undefined ? {} : { types: allTyped(facts.types) }),
          // Members inlined into other objects are described with messages.
          ...(facts.messages === undefined ? {} : { messages: allTyped(facts.messages) }),
        },
      ];
    }),
  );
  const missing = [...values.keys()].find((place) => !met.has(place));
  if (missing !== undefined) throw new Error(`enums.yaml: there is no member ${missing}`);
  return all;
}

function valuesByMember(enums: Readonly<Record<string, EnumFacts>>): Map<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const [name, each] of Object.entries(enums)) {
    if (String([...each.values].sort()) !== String(each.values))
      throw new Error(`enums.yaml: ${name}: values are in the order of their characters`);
    for (const member of each.members) {
      if (values.has(member)) throw new Error(`enums.yaml: ${member} occurs twice`);
      values.set(member, each.values);
    }
  }
  return values;
}
