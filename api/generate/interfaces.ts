import type { Facts, FieldFacts, ResourceFacts } from './facts.js';
import { byText, type Member, type Model, type ModelType } from './model.js';

/**
 * Generates a file of interfaces and resource descriptions for each group version. Members that the schema requires are not optional; `null` is allowed where
 * the server shows an unset member as null.
 */
export function interfaceFiles(facts: Facts, model: Model): Map<string, string> {
  const places = new Map<string, ModelType[]>();
  for (const type of model.types.values()) if (!type.messageOnly) places.set(type.place, [...(places.get(type.place) ?? []), type]);
  const files = [...places].map(([place, types]) => [`${place}.ts`, new Writer(facts, model, place).file(types)] as const);
  return new Map([...files, ['kinds.ts', kindsFile(facts)]]);
}

/** Maps `apiVersion/kind` to types, which names objects by what is written in them. */
function kindsFile({ versions }: Facts): string {
  const served = [...versions].filter(([, { resources }]) => resources !== undefined).sort(([a], [b]) => byText(a, b));
  const imports = served.map(([place]) => `import type * as ${aliasOf(place)} from './${place}.js';`);
  const members = served.flatMap(([place, { group = '', version = '', resources = {} }]) =>
    [...new Set(Object.values(resources).map(({ kind }) => kind))]
      .sort(byText)
      .map((kind) => `  readonly '${group === '' ? version : `${group}/${version}`}/${kind}': ${aliasOf(place)}.${kind};`),
  );
  const comment = '/** The types of all built-in kinds, by `apiVersion/kind`. */';
  return `${[generatedMark, ...imports].join('\n')}\n\n${comment}\nexport interface Kinds {\n${members.join('\n')}\n}\n`;
}

/** `apps/v1` -> `appsV1` */
function aliasOf(place: string): string {
  const [group = '', version = ''] = place.split('/');
  return `${group}${version.replace(/^v/, 'V')}`;
}

const generatedMark = '// Generated from api/facts by `npm run generate`: change it there.';
const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'string',
  int32: 'number',
  int64: 'number',
  double: 'number',
  boolean: 'boolean',
};
const leaves: Readonly<Record<string, string>> = {
  string: 'string',
  'string date-time': 'string',
  'string int-or-string': 'number | string',
  object: 'Readonly<Record<string, unknown>>',
  any: 'unknown',
};
const identifier = /^[A-Za-z_$][\w$]*$/;

class Writer {
  readonly #facts: Facts;
  readonly #model: Model;
  readonly #place: string;
  readonly #imports = new Map<string, string>();

  constructor(facts: Facts, model: Model, place: string) {
    this.#facts = facts;
    this.#model = model;
    this.#place = place;
  }

  file(types: readonly ModelType[]): string {
    const parts = types.map((type) => this.#type(type));
    const resources = Object.entries(this.#facts.versions.get(this.#place)?.resources ?? {}).map(([name, resource]) =>
      this.#resource(name, resource),
    );
    const root = this.#place.includes('/') ? '../' : './';
    const imports = [...this.#imports]
      .sort(([a], [b]) => byText(a, b))
      .map(([place, alias]) => `import type * as ${alias} from '${root}${place}.js';`);
    if (resources.length > 0) imports.unshift("import type { Resource } from '../../meta/resource.js';");
    return `${[[generatedMark, ...imports].join('\n'), ...parts, ...(resources.length > 0 ? [resources.join('\n')] : [])].join('\n\n')}\n`;
  }

  #type(type: ModelType): string {
    const comment = this.#comment(this.#described(type)?.description, '');
    if (type.json !== undefined) return `${comment}export type ${type.word} = ${leaves[type.json] ?? 'unknown'};`;
    const members = type.members.map((member) => this.#member(type, member)).join('');
    return `${comment}export interface ${type.word} {\n${members}}`;
  }

  #member(type: ModelType, member: Member): string {
    const always = (member.required === true && member.presence === 'always') || (member.name === 'metadata' && type.kind === true);
    const name = identifier.test(member.name) ? member.name : JSON.stringify(member.name);
    const comment = this.#comment(this.#describedMember(type, member), '  ');
    return `${comment}  readonly ${name}${always ? '' : '?'}: ${this.#shape(member)}${this.#mayBeNull(member) ? ' | null' : ''};\n`;
  }

  /** Times are structures without members, so an unset one that is shown is null. */
  #mayBeNull({ presence, shape }: Member): boolean {
    return presence === 'nullable' || (presence === 'always' && this.#model.types.get(shape)?.json === 'string date-time');
  }

  #shape(member: Member): string {
    return member.enum === undefined ? this.#typeScript(member.shape) : enumeration(member);
  }

  #typeScript(shape: string): string {
    if (shape.startsWith('[]')) return listOf(this.#typeScript(shape.slice(2)));
    if (shape.startsWith('{}')) return `Readonly<Record<string, ${this.#typeScript(shape.slice(2))}>>`;
    const type = this.#model.types.get(shape);
    if (type === undefined) return scalars[shape] ?? 'unknown';
    if (type.messageOnly) throw new Error(`${this.#place}.yaml: ${shape} is described as a message alone, and a JSON member is of it`);
    if (type.place === this.#place) return type.word;
    const alias = aliasOf(type.place);
    this.#imports.set(type.place, alias);
    return `${alias}.${type.word}`;
  }

  #described(type: ModelType): { readonly description?: string; readonly fields?: Readonly<Record<string, string>> } | undefined {
    return this.#facts.descriptions.get(versionless(type.name));
  }

  /** A member of an inlined type is described there, unless the outer type describes it. */
  #describedMember(type: ModelType, { name, within }: Pick<Member, 'name' | 'within'>): string | undefined {
    const { descriptions } = this.#facts;
    const own = versionless(type.name);
    const inlined = within === undefined ? own : `${own.slice(0, own.indexOf('.'))}.${within.slice(within.lastIndexOf('.') + 1)}`;
    return (
      descriptions.get(own)?.fields?.[name] ??
      descriptions.get(inlined)?.fields?.[name] ??
      (type.kind === true ? descriptions.get('any kind')?.fields?.[name] : undefined) ??
      descriptions.get('any type')?.fields?.[name]
    );
  }

  #comment(text: string | undefined, indent: string): string {
    return text === undefined ? '' : `${indent}/** ${text} */\n`;
  }

  #resource(name: string, { kind, scope }: ResourceFacts): string {
    const { group = '', version = '' } = this.#facts.versions.get(this.#place) ?? {};
    const value = `{ group: '${group}', version: '${version}', resource: '${name}', kind: '${kind}', namespaced: ${scope === 'Namespaced'} }`;
    return `export const ${constantOf(name, kind)}: Resource<${kind}> = ${value};`;
  }
}

const versionless = (name: string): string => name.replace(/\.v\d\w*\./, '.');
const listOf = (items: string): string => (items.includes(' ') ? `readonly (${items})[]` : `readonly ${items}[]`);
const enumeration = ({ enum: values = [] }: FieldFacts): string => values.map((value) => `'${value}'`).join(' | ');

/** `replicasets` and `ReplicaSet` -> `replicaSets`; `apiservices` and `APIService` -> `apiServices` */
export function constantOf(resource: string, kind: string): string {
  const camel = kind.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (start) => start.toLowerCase());
  let same = 0;
  while (same < camel.length && camel[same]?.toLowerCase() === resource[same]) same++;
  return `${camel.slice(0, same)}${resource.slice(same)}`;
}
