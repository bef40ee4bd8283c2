/** Static types of expressions, as the reference's checker knows them. */
export interface Type {
  readonly name: string;
  readonly of: readonly Type[];
  readonly fields?: Readonly<Record<string, Type>>;
  /** Further fields may exist, of any type. */
  readonly open?: true;
  /** A type to be inferred: a function's parameter, or the elements of an empty list. */
  readonly variable?: true;
}

const simple = (name: string): Type => ({ name, of: [] });
export const dyn = simple('dyn');
/** The type of an erroneous expression: it matches every type, but equals none. */
export const broken = simple('!');
export const bool = simple('bool');
export const int = simple('int');
export const nullType = simple('null');
export const list = (of: Type): Type => ({ name: 'list', of: [of] });
export const map = (key: Type, value: Type): Type => ({ name: 'map', of: [key, value] });
export const optional = (of: Type): Type => ({ name: 'optional_type', of: [of] });
export const typeType = (of: Type): Type => ({ name: 'type', of: [of] });
export const object = (name: string, fields: Readonly<Record<string, Type>>): Type => ({ name, of: [], fields });
/** An object of which nothing is known but its name. */
export const openObject = (name: string): Type => ({ name, of: [], fields: {}, open: true });
export const variable = (name: string): Type => ({ name, of: [], variable: true });

const parameter = /^[A-Z]$/;

/** Parses `map<string, list<A>>`; single capital letters are type parameters. Throws SyntaxError. */
export function typeOf(text: string): Type {
  const match = /^([\w.]+)(?:<(.*)>)?$/.exec(text.trim());
  if (!match) throw new SyntaxError(`not a type: ${text}`);
  const name = match[1] ?? '';
  if (parameter.test(name)) return variable(name);
  return { name, of: match[2] === undefined ? [] : splitTypes(match[2]).map(typeOf) };
}

export function splitTypes(text: string): string[] {
  const parts = text.split(',');
  return parts
    .reduce<string[]>((found, part) => {
      const last = found.at(-1);
      if (last !== undefined && last.split('<').length > last.split('>').length) found[found.length - 1] = `${last},${part}`;
      else found.push(part);
      return found;
    }, [])
    .filter((part) => part.trim() !== '');
}

export const isDyn = ({ name }: Type): boolean => name === 'dyn' || name === 'any';
export const isOpen = (type: Type): boolean => isDyn(type) || type.name === '!';

const shown: ReadonlyMap<string, string> = new Map([
  ['!', '!error!'],
  ['google.protobuf.Timestamp', 'timestamp'],
  ['google.protobuf.Duration', 'duration'],
]);

export const printed = ({ name, of }: Type): string =>
  of.length === 0 ? (shown.get(name) ?? name) : `${name}(${of.map(printed).join(', ')})`;

/** Returns the reference's name for the type of a whole expression, unlike that of types within error messages. */
export function runtimeName({ name, of }: Type): string {
  if (name === 'null') return 'null_type';
  return of.length === 0 ? name : `${name}(${of.map(runtimeName).join(', ')})`;
}

/** Compares types; without `countsNames` all variables are equal. */
export function sameType(one: Type, other: Type, countsNames = true): boolean {
  if (!countsNames && one.variable && other.variable) return true;
  return (
    one.name === other.name &&
    one.of.length === other.of.length &&
    one.of.every((part, position) => sameType(part, other.of[position] ?? broken, countsNames))
  );
}

/** Returns whether one type is the other, or has `dyn` or variables for parts of it. */
export function isNoMoreSpecific(one: Type, other: Type): boolean {
  if (isDyn(one) || one.variable) return true;
  if (isDyn(other) || other.variable || one.name !== other.name || one.of.length !== other.of.length) return false;
  return one.name === 'type' || one.of.every((part, position) => isNoMoreSpecific(part, other.of[position] ?? broken));
}

const kept: ReadonlySet<string> = new Set([
  'any',
  'bool',
  'bytes',
  'double',
  'int',
  'null',
  'string',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
]);

/**
 * Returns the type of a variable for later expressions of a policy. All but scalars, lists and maps become dynamic: an optional `int` may be added to a number
 * and have any members (`convertCelTypeToDeclType` of k8s.io/apiserver).
 */
export function typeOfVariable(type: Type): Type {
  if (kept.has(type.name)) return type;
  const [one, other] = type.of;
  if (type.name === 'list') return list(typeOfVariable(one ?? dyn));
  return type.name === 'map' ? map(typeOfVariable(one ?? dyn), typeOfVariable(other ?? dyn)) : dyn;
}

const neverNull: ReadonlySet<string> = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'type', 'list', 'map']);

/** Returns whether values of the type may be compared with null. */
export const takesNull = ({ name }: Type): boolean => !neverNull.has(name);
