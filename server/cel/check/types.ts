/**
 * Static types of expressions. `dyn` is the reference's; `?` is not inferred here and may be anything. Both match every type, but only `dyn` is known not to be
 * the wanted one.
 */
export interface Type {
  readonly name: string;
  readonly of: readonly Type[];
  readonly fields?: Readonly<Record<string, Type>>;
  /** Further fields may exist, of unknown types. */
  readonly open?: true;
}

const simple = (name: string): Type => ({ name, of: [] });
export const dyn = simple('dyn');
export const unknown = simple('?');
/** The type of an erroneous expression: it matches every type, but equals none. */
export const broken = simple('!');
export const bool = simple('bool');
export const list = (of: Type): Type => ({ name: 'list', of: [of] });
export const map = (key: Type, value: Type): Type => ({ name: 'map', of: [key, value] });
export const optional = (of: Type): Type => ({ name: 'optional_type', of: [of] });
export const object = (name: string, fields: Readonly<Record<string, Type>>): Type => ({ name, of: [], fields });

/** Parses `map<string, list<A>>`; single capital letters are type parameters. Throws SyntaxError. */
export function typeOf(text: string): Type {
  const match = /^([\w.?]+)(?:<(.*)>)?$/.exec(text.trim());
  if (!match) throw new SyntaxError(`not a type: ${text}`);
  return { name: match[1] ?? '', of: match[2] === undefined ? [] : splitTypes(match[2]).map(typeOf) };
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

export const isOpen = ({ name }: Type): boolean => name === 'dyn' || name === '?' || name === '!';
const isParameter = ({ name }: Type): boolean => /^[A-Z]$/.test(name);
const shown: ReadonlyMap<string, string> = new Map([
  ['?', 'dyn'],
  ['!', 'dyn'],
  ['google.protobuf.Timestamp', 'timestamp'],
  ['google.protobuf.Duration', 'duration'],
]);

export function printed({ name, of }: Type): string {
  return of.length === 0 ? (shown.get(name) ?? name) : `${name}(${of.map(printed).join(', ')})`;
}

/** The name by which the reference calls the type of a whole expression, as opposed to types within error messages. */
export function runtimeName({ name, of }: Type): string {
  if (name === 'null') return 'null_type';
  return of.length === 0 ? (isOpen({ name, of }) ? dyn.name : name) : `${name}(${of.map(runtimeName).join(', ')})`;
}

const neverNull: ReadonlySet<string> = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'type']);

/** Reports whether a type is assignable. The first value binds a type parameter. */
export function accepts(expected: Type, actual: Type, bound: Map<string, Type>): boolean {
  if (isParameter(expected)) return bindParameter(expected.name, actual, bound);
  if (isOpen(expected) || isOpen(actual)) return true;
  if (actual.name === 'null' || expected.name === 'null')
    return actual.name === expected.name || !neverNull.has(actual.name === 'null' ? expected.name : actual.name);
  return expected.name === actual.name && expected.of.every((part, position) => accepts(part, actual.of[position] ?? unknown, bound));
}

function bindParameter(name: string, actual: Type, bound: Map<string, Type>): boolean {
  const before = bound.get(name);
  if (before === undefined) bound.set(name, actual);
  else if (!accepts(before, actual, new Map())) return false;
  else bound.set(name, joined(before, actual));
  return true;
}

/** Unbound type parameters stay unknown. */
export function filled(type: Type, bound: ReadonlyMap<string, Type>): Type {
  if (isParameter(type)) return bound.get(type.name) ?? unknown;
  return type.of.length === 0 ? type : { ...type, of: type.of.map((part) => filled(part, bound)) };
}

export function joined(one: Type, other: Type): Type {
  if (isOpen(one) || isOpen(other)) return one.name === 'dyn' && other.name === 'dyn' ? dyn : unknown;
  if (one.name === 'null') return other;
  if (other.name === 'null') return one;
  if (one.name !== other.name) return unknown;
  return one.of.length === 0 ? one : { ...one, of: one.of.map((part, position) => joined(part, other.of[position] ?? unknown)) };
}

export const sameType = (one: Type, other: Type): boolean =>
  one.name === other.name && one.of.every((part, position) => sameType(part, other.of[position] ?? unknown));
