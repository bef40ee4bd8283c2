import type { Facts, KnownField, TypeFacts, VersionFacts } from './facts.js';

/** Types are given by short names, which are globally unique. */
export interface Member extends KnownField {
  readonly name: string;
  readonly shape: string;
  readonly protoShape: string;
  /** The inlined messages that it comes from, outermost first: `RuleWithOperations.Rule`. */
  readonly within?: string;
}

/** Named by its short name, such as `apps.v1.Deployment`. */
export interface ModelType extends Omit<TypeFacts, 'fields' | 'package'> {
  readonly name: string;
  readonly word: string;
  /** `apps/v1`, or `machinery`. */
  readonly place: string;
  readonly group: string | undefined;
  readonly version: string;
  readonly package: string;
  readonly messageOnly: boolean;
  /** Inlined messages are expanded in place. */
  readonly members: readonly Member[];
  /** Inlined messages are not expanded. */
  readonly own: readonly Member[];
}

export interface Model {
  readonly types: ReadonlyMap<string, ModelType>;
  readonly versions: ReadonlyMap<string, VersionFacts>;
}

const scalars: ReadonlySet<string> = new Set(['string', 'bytes', 'int32', 'int64', 'double', 'boolean']);

/** Resolves names and expands inlined members. Throws for an undescribed type. */
export function modelOf({ versions }: Facts): Model {
  const bare = [...versions].flatMap(([place, facts]) => [
    ...Object.entries(facts.types ?? {}).map(([word, type]) => named(place, facts, { word, type, messageOnly: false })),
    ...Object.entries(facts.messages ?? {}).map(([word, type]) => named(place, facts, { word, type, messageOnly: true })),
  ]);
  const byName = new Map(bare.map((type) => [type.name, type]));
  for (const type of bare)
    for (const member of type.own) for (const shape of [member.shape, member.protoShape]) assertKnown(byName, type, { member, shape });
  const members = (type: ModelType): readonly Member[] =>
    type.own.flatMap((member) => {
      const inlined = member.inline === true ? byName.get(member.shape) : undefined;
      if (inlined === undefined) return [member];
      return members(inlined).map((each) => ({
        ...each,
        within: each.within === undefined ? inlined.word : `${inlined.word}.${each.within}`,
      }));
    });
  return { versions, types: new Map(bare.map((type) => [type.name, { ...type, members: members(type) }])) };
}

interface Entry {
  readonly word: string;
  readonly type: TypeFacts;
  readonly messageOnly: boolean;
}

function named(place: string, facts: VersionFacts, { word, type, messageOnly }: Entry): ModelType {
  const prefix = facts.version === undefined ? '' : `${place.replace('/', '.')}.`;
  const { fields = {}, package: ownPackage, ...rest } = type;
  const own = Object.entries(fields).map(([name, field]): Member => {
    const shape = shapeOf(field.type, prefix);
    return { ...field, name, shape, protoShape: field.protoType === undefined ? shape : shapeOf(field.protoType, prefix) };
  });
  return {
    ...rest,
    name: `${prefix}${word}`,
    word: word.slice(word.lastIndexOf('.') + 1),
    place,
    group: facts.group,
    version: facts.version ?? '',
    package: ownPackage ?? facts.package ?? '',
    messageOnly,
    own,
    members: own,
  };
}

/** `list of Container` -> `[]core.v1.Container` */
function shapeOf(text: string, prefix: string): string {
  if (text.startsWith('list of ')) return `[]${shapeOf(text.slice('list of '.length), prefix)}`;
  if (text.startsWith('map of ')) return `{}${shapeOf(text.slice('map of '.length), prefix)}`;
  return scalars.has(text) || text.includes('.') ? text : `${prefix}${text}`;
}

function assertKnown(
  types: ReadonlyMap<string, ModelType>,
  type: ModelType,
  { member, shape }: { readonly member: Member; readonly shape: string },
): void {
  const name = shape.replace(/^(\[\]|\{\})*/, '');
  if (!scalars.has(name) && !types.has(name))
    throw new Error(`${type.place}.yaml: ${type.word}.${member.name} is of an unknown type ${name}`);
}

/** Generated tables are sorted by this name, such as `io.k8s.api.apps.v1.Deployment`. */
export const openApiName = ({ package: pack, word }: ModelType): string =>
  `${pack.replace('k8s.io.', 'io.k8s.').replace(/^(io\.k8s\.\w+)/, (start) => start.replaceAll('_', '-'))}.${word}`;

/** Code units do not depend on the locale. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
