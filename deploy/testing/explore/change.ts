import type { KubeObject } from '../../../api/meta/object.js';
import { nameOf } from './state.js';

/** A property with another value; none removes it. */
export interface Edit {
  /** Names of members, and numbers of items. */
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

/** Successive valid changes of one object of the scenario. */
export interface Change {
  readonly kind: 'change';
  /** `example.org/v1 Site blog` */
  readonly object: string;
  readonly edits: readonly Edit[];
}

/** The parts of a schema that values are made from. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[];
  };
}

const notDesired: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** Longer texts than this say no more about an operator. */
const textCharactersMax = 64;

export function schemaOf(definitions: readonly KubeObject[], { apiVersion, kind }: KubeObject): Schema | undefined {
  const versions = (definitions as readonly Definition[])
    .filter(({ spec }) => spec.names.kind === kind)
    .flatMap(({ spec }) => spec.versions.map((version) => ({ apiVersion: `${spec.group}/${version.name}`, schema: version.schema })));
  return versions.find((version) => version.apiVersion === apiVersion)?.schema?.openAPIV3Schema;
}

/** Returns single edits of an object that its schema allows; CEL rules may refuse some of them. */
export const editsOf = (schema: Schema, object: KubeObject): readonly Edit[] =>
  Object.entries(schema.properties ?? {})
    .filter(([name]) => !notDesired.has(name))
    .flatMap(([name, member]) => editsAt(member, (object as unknown as Record<string, unknown>)[name], [name], true));

function editsAt(schema: Schema, value: unknown, path: Edit['path'], isRequired: boolean): readonly Edit[] {
  const removal: readonly Edit[] = value === undefined || isRequired ? [] : [{ path }];
  return [...valuesFor(schema, value).map((other) => ({ path, value: other })), ...removal, ...inside(schema, value, path)];
}

function inside({ properties = {}, required = [], items }: Schema, value: unknown, path: Edit['path']): readonly Edit[] {
  if (Array.isArray(value) && items) return value.flatMap((item, index) => editsAt(items, item, [...path, index], true));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(properties).flatMap(([name, member]) =>
    editsAt(member, (value as Record<string, unknown>)[name], [...path, name], required.includes(name)),
  );
}

/** Returns other values of a schema: its enumeration, its limits, and a neighbour. */
function valuesFor(schema: Schema, value: unknown): readonly unknown[] {
  const others = candidates(schema, value).filter((other) => JSON.stringify(other) !== JSON.stringify(value ?? schema.default));
  return [...new Set(others)];
}

function candidates(schema: Schema, value: unknown): readonly unknown[] {
  if (schema.enum) return schema.enum;
  switch (schema.type) {
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number':
      return numbers(schema, value);
    case 'string':
      return typeof value === 'string' ? texts(schema, value) : [];
    case 'array':
      return Array.isArray(value) && value.length > (schema.minItems ?? 0) ? [value.slice(0, -1)] : [];
    default:
      return [];
  }
}

function numbers({ minimum, maximum }: Schema, value: unknown): readonly unknown[] {
  const neighbours = typeof value === 'number' ? [value + 1, value - 1] : [];
  const limits = [minimum, maximum].filter((limit) => limit !== undefined);
  return [...neighbours, ...limits].filter((number) => number >= (minimum ?? 0) && number <= (maximum ?? Infinity));
}

function texts({ minLength = 0, maxLength = textCharactersMax, pattern, format }: Schema, value: string): readonly string[] {
  if (format !== undefined) return [];
  const other = `${value}x`.padEnd(minLength, 'x').slice(-Math.max(maxLength, 1));
  const limits = ['x'.repeat(minLength), ...(maxLength < textCharactersMax ? ['x'.repeat(maxLength)] : [])];
  return [other, ...limits].filter((text) => text.length >= minLength && text.length <= maxLength && fits(text, pattern));
}

function fits(text: string, pattern: string | undefined): boolean {
  try {
    return pattern === undefined || new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}

export function edited(object: KubeObject, edits: readonly Edit[]): KubeObject {
  const copy = structuredClone(object);
  for (const { path, ...edit } of edits) {
    let place = copy as unknown as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) place = (place[step] ??= {}) as typeof place;
    const last = path.at(-1)!;
    if ('value' in edit) place[last] = edit.value;
    else delete place[last];
  }
  return copy;
}

/** Returns each edit alone, and followed by one of another property. */
export function changesFor(schemas: readonly (readonly [KubeObject, Schema])[]): readonly Change[] {
  const edits = schemas.map(([object, schema]) => ({ object: nameOf(object), edits: editsOf(schema, object) }));
  const single = edits.flatMap(({ object, edits: all }) => all.map((edit): Change => ({ kind: 'change', object, edits: [edit] })));
  const pairs = edits.flatMap(({ object, edits: all }) =>
    all.flatMap((edit, index): Change[] => {
      const next = all
        .slice(index + 1)
        .find(({ path }) => path.join() !== edit.path.join() && !path.join().startsWith(`${edit.path.join()},`));
      return next ? [{ kind: 'change', object, edits: [edit, next] }] : [];
    }),
  );
  return [...single, ...pairs];
}

const editText = ({ path, ...edit }: Edit): string =>
  'value' in edit ? `${path.join('.')} is set to ${JSON.stringify(edit.value)}` : `${path.join('.')} is removed`;
export const changeText = ({ object, edits }: Change): string => `${object}: ${edits.map(editText).join(', then ')}`;
