import { byText, openApiName, type Member, type Model, type ModelType } from './model.js';

/**
 * The type tables that the codecs read, in a compact notation because every program start parses them:
 *
 *   types.json     short type name -> { kinds?: ["GROUP/VERSION/KIND"...], message?: false, leaf?: "TYPE FORMAT", mapType?, unions?,
 *                  fields?: "NAME SHAPE[PRESENCE][*];...", more?: { NAME: { default, enum, listType, ... } } }
 *   protobuf.json  short message name -> "NUMBER NAME SHAPE[PRESENCE];..." by rising number
 *
 *   SHAPE     string bytes int32 int64 double boolean, or a short type name; `[]` before it means list of, `{}` map to, `...` inlined
 *   PRESENCE  how an unset member is shown: nothing: absent; `=` zero, not shown in JSON; `!` zero, shown in JSON; `~` shown as null
 *   *         required
 */
const presenceMark = { value: '=', always: '!', nullable: '~', absent: '' } as const;
const presenceOf = ({ presence }: Member): string => presenceMark[presence ?? 'absent'];
const byName = (a: Member, b: Member): number => byText(a.name, b.name);

export function typeTable({ types }: Model): [string, unknown][] {
  const described = [...types.values()].filter(({ messageOnly }) => !messageOnly);
  return described.sort((a, b) => byText(openApiName(a), openApiName(b))).map((type) => [type.name, typeEntry(type)]);
}

function typeEntry(type: ModelType): unknown {
  const head = {
    ...(type.kind === true ? { kinds: kindsOf(type) } : {}),
    ...(type.protobuf === false ? { message: false } : {}),
    ...(type.mapType === undefined ? {} : { mapType: type.mapType }),
    ...(type.unions === undefined
      ? {}
      : {
          unions: type.unions.map(({ discriminator, fields }) => ({
            ...(discriminator === undefined ? {} : { discriminator }),
            'fields-to-discriminateBy': fields,
          })),
        }),
  };
  if (type.json !== undefined) return { ...head, leaf: type.json };
  const members = [...type.members].sort(byName);
  const more = Object.fromEntries(
    members.map((member) => [member.name, moreOf(member)] as const).filter(([, facts]) => Object.keys(facts).length > 0),
  );
  const fields = members
    .map((member) => `${member.name} ${member.shape}${presenceOf(member)}${member.required === true ? '*' : ''}`)
    .join(';');
  return { ...head, fields, ...(Object.keys(more).length > 0 ? { more } : {}) };
}

const kindsOf = ({ group = '', version, word, kindIn = [] }: ModelType): string[] =>
  [`${group}/${version}`, ...kindIn.map((other) => (other.includes('/') ? other : `/${other}`))].map((each) => `${each}/${word}`);

const more = ['default', 'enum', 'listType', 'listMapKeys', 'mapType', 'patchStrategy', 'patchMergeKey', 'within'] as const;
const moreOf = (member: Member): object => {
  const facts = { ...member, enum: member.enum ?? member.meant };
  return Object.fromEntries(more.filter((key) => facts[key] !== undefined).map((key) => [key, facts[key]]));
};

export function messageTable({ types }: Model): [string, string][] {
  const messages = [...types.values()].filter(({ protobuf }) => protobuf !== false);
  return messages
    .sort((a, b) => byText(`${a.package}.${a.word}`, `${b.package}.${b.word}`))
    .map((message) => [message.name, messageEntry(message)]);
}

function messageEntry({ own }: ModelType): string {
  const fields = own.filter(({ proto }) => proto !== undefined).sort((a, b) => (a.proto ?? 0) - (b.proto ?? 0));
  return fields
    .map(
      (field) =>
        `${field.proto ?? 0} ${field.name} ${field.inline === true ? `...${field.protoShape}!` : `${field.protoShape}${presenceOf(field)}`}`,
    )
    .join(';');
}

/** Kinds by group version, served or not; they decide which decoding error a client sees. */
export function kindTable({ types }: Model): [string, string[]][] {
  const kinds = new Map<string, string[]>();
  for (const { kind, group, version, word } of types.values()) {
    if (kind !== true) continue;
    const groupVersion = group === undefined || group === '' ? version : `${group}/${version}`;
    kinds.set(groupVersion, [...(kinds.get(groupVersion) ?? []), word]);
  }
  return [...kinds].map(([key, words]): [string, string[]] => [key, words.sort(byText)]).sort(([a], [b]) => byText(a, b));
}
