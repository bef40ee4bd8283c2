import { readCatalogueData } from './data.js';

/**
 * The built-in types as JSON objects, from `api/data/types.json` (generated). The file is parsed and each type expanded on first use, because most processes
 * and pool threads need only a few dozen of the 771 types.
 */
export type Scalar = 'string' | 'bytes' | 'int32' | 'int64' | 'double' | 'boolean';

export type Shape =
  | { readonly is: 'scalar'; readonly scalar: Scalar }
  | { readonly is: 'type'; readonly name: string }
  | { readonly is: 'list'; readonly items: Shape }
  | { readonly is: 'map'; readonly values: Shape };

/**
 * Defines how an unset member is shown, which follows from the reference's Go type:
 * - `optional`: absent. It is a pointer, list or map; a pointer to zero is present, an empty list or map is absent.
 * - `value`: absent; a zero value cannot be distinguished and is absent too.
 * - `always`: its zero value.
 * - `nullable`: null.
 */
export type Presence = 'optional' | 'value' | 'always' | 'nullable';

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly presence: Presence;
  readonly required: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: 'map' | 'set' | 'atomic';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  /** The reference's structures around a member that JSON inlines; messages name them. */
  readonly within?: string;
}

export interface Union {
  readonly discriminator?: string;
  readonly 'fields-to-discriminateBy': Readonly<Record<string, string>>;
}

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ApiType {
  /** The short name, such as `core.v1.Pod` or `resource.Quantity`. */
  readonly name: string;
  /** None if the type occurs only inside others, several for a few meta types. */
  readonly kinds: readonly KindName[];
  /** Undefined for a type with its own JSON form, such as a time; see `leaf`. */
  readonly fields: ReadonlyMap<string, Field> | undefined;
  /** JSON type and format, such as `string date-time`, of a type without fields. */
  readonly leaf: string | undefined;
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly unions: readonly Union[];
}

interface TypeData {
  readonly kinds?: readonly string[];
  readonly leaf?: string;
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: readonly Union[];
  readonly fields?: string;
  readonly more?: Readonly<Record<string, Partial<Field>>>;
}

const presence: Readonly<Record<string, Presence>> = { '': 'optional', '=': 'value', '!': 'always', '~': 'nullable' };
const scalars: ReadonlySet<string> = new Set<Scalar>(['string', 'bytes', 'int32', 'int64', 'double', 'boolean']);
const field = /^(\S+) ([^=!~*]+)([=!~]?)(\*?)$/;

let data: Readonly<Record<string, TypeData>> | undefined;
let namesByKind: ReadonlyMap<string, readonly KindOfType[]> | undefined;
const expanded = new Map<string, ApiType | undefined>();

export const typeNamed = (name: string): ApiType | undefined => {
  if (!expanded.has(name)) expanded.set(name, Object.hasOwn(allTypes(), name) ? expand(name, allTypes()[name] ?? {}) : undefined);
  return expanded.get(name);
};

export const typeOfKind = ({ group, version, kind }: KindName): ApiType | undefined => {
  for (const known of (namesByKind ??= kindIndex()).get(kind) ?? [])
    if (known.version === version && known.group === group) return (known.type ??= typeNamed(known.typeName));
  return undefined;
};

/** Looked up by kind alone first: joining three names costs more than comparing two. */
interface KindOfType extends KindName {
  readonly typeName: string;
  type?: ApiType | undefined;
}

export const typeNames = (): readonly string[] => Object.keys(allTypes());

/** Parses shapes such as `[]core.v1.Container` or `{}string`, also for messages. */
export const parseShape = (text: string): Shape => {
  if (text.startsWith('[]')) return { is: 'list', items: parseShape(text.slice(2)) };
  if (text.startsWith('{}')) return { is: 'map', values: parseShape(text.slice(2)) };
  return scalars.has(text) ? { is: 'scalar', scalar: text as Scalar } : { is: 'type', name: text };
};

export const parsePresence = (mark: string): Presence => presence[mark] ?? 'optional';

const packages: readonly (readonly [RegExp, string])[] = [
  [/^meta\./, 'io.k8s.apimachinery.pkg.apis.'],
  [/^resource\.Quantity$/, 'io.k8s.apimachinery.pkg.api.'],
  [/^intstr\./, 'io.k8s.apimachinery.pkg.util.'],
  [/^(runtime|version)\./, 'io.k8s.apimachinery.pkg.'],
  [/^apiextensions\./, 'io.k8s.apiextensions-apiserver.pkg.apis.'],
  [/^apiregistration\./, 'io.k8s.kube-aggregator.pkg.apis.'],
];

/** Returns `io.k8s.api.core.v1.Pod`, for example. */
export const openApiNameOf = (name: string): string => `${packages.find(([pattern]) => pattern.test(name))?.[1] ?? 'io.k8s.api.'}${name}`;

let openApiNames: ReadonlySet<string> | undefined;
export const isOpenApiName = (name: string): boolean => (openApiNames ??= new Set(Object.keys(allTypes()).map(openApiNameOf))).has(name);

const allTypes = (): Readonly<Record<string, TypeData>> => (data ??= readCatalogueData<Record<string, TypeData>>('types'));

const kindIndex = (): ReadonlyMap<string, readonly KindOfType[]> => {
  const index = new Map<string, KindOfType[]>();
  for (const [typeName, { kinds = [] }] of Object.entries(allTypes()))
    for (const name of kinds.map(parseKind)) {
      const same = index.get(name.kind);
      if (same === undefined) index.set(name.kind, [{ ...name, typeName }]);
      else same.push({ ...name, typeName });
    }
  return index;
};

const expand = (name: string, type: TypeData): ApiType => ({
  name,
  kinds: (type.kinds ?? []).map(parseKind),
  fields:
    type.fields === undefined
      ? undefined
      : new Map(
          type.fields
            .split(';')
            .filter(Boolean)
            .map((text) => expandField(text, type.more ?? {})),
        ),
  leaf: type.leaf,
  mapType: type.mapType,
  unions: type.unions ?? [],
});

const expandField = (text: string, more: Readonly<Record<string, Partial<Field>>>): [string, Field] => {
  const [, name = '', shape = '', presence = '', required = ''] = field.exec(text) ?? [];
  return [
    name,
    {
      name,
      shape: parseShape(shape),
      presence: parsePresence(presence),
      required: required === '*',
      ...(Object.hasOwn(more, name) ? more[name] : {}),
    },
  ];
};

const parseKind = (text: string): KindName => {
  const [group = '', version = '', kind = ''] = text.split('/');
  return { group, version, kind };
};
