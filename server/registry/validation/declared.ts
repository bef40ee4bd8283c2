import type { JsonValue } from '../../../api/object.js';
import { sameValue } from '../../../api/json/equality.js';
import { isSet, itemsOf, membersOf } from '../../../api/json/members.js';
import { duplicate, invalid, notSupported, required as missing, tooLong, tooMany, type FieldError, type Path } from './field.js';
import { caselessSubdomain, longName as longNameRule, pathSegmentName, shortName as shortNameRule, type NameRule } from './names.js';
import { named, qualified } from './values.js';
import { groupedBy, repeats } from './repeats.js';

/**
 * Rules that the reference generates from `+k8s:` tags, for kinds that have only generated checks. Tables follow the types: members in their order, rules for
 * the whole before them. An update does not check unchanged parts.
 */

/** Null on create, and for new items. */
export type Before = { readonly value: JsonValue | undefined } | null;

/** Returns findings about a value that is new, or differs from `before`. */
export type Declared = (value: JsonValue | undefined, before: Before, path: Path) => FieldError[];

type IsSaid = (value: JsonValue | undefined) => boolean;

/** Pointers: an empty text and zero are set too. */
export const pointer: IsSaid = isSet;
/** Plain values: the zero value equals none. */
export const plain: IsSaid = (value) => isSet(value) && value !== '' && value !== 0 && !(Array.isArray(value) && value.length === 0);

const together =
  (checks: readonly Declared[]): Declared =>
  (value, before, path) =>
    checks.flatMap((check) => check(value, before, path));

const unlessSame = (check: Declared, value: JsonValue | undefined, before: Before, path: Path): FieldError[] =>
  before !== null && sameValue(value ?? null, before.value ?? null) ? [] : check(value, before, path);

export const required =
  (isSaid: IsSaid, ...checks: readonly Declared[]): Declared =>
  (value, before, path) =>
    isSaid(value) ? together(checks)(value, before, path) : [missing(path, '')];

export const optional =
  (isSaid: IsSaid, ...checks: readonly Declared[]): Declared =>
  (value, before, path) =>
    isSaid(value) ? together(checks)(value, before, path) : [];

/** A change suppresses all other findings about the value. */
export const immutable =
  (check: Declared): Declared =>
  (value, before, path) =>
    before === null ? check(value, null, path) : [invalid(path, null, 'field is immutable')];

/** Checks an object as a whole, then its members. */
export const members =
  (fields: Readonly<Record<string, Declared>>, ...whole: readonly Declared[]): Declared =>
  (value, before, path) => {
    const [now, was] = [membersOf(value), isSet(before?.value) ? membersOf(before.value) : null];
    return [
      ...together(whole)(value, before, path),
      ...Object.entries(fields).flatMap(([name, check]) =>
        unlessSame(check, now[name], was === null ? null : { value: was[name] }, path.child(name)),
      ),
    ];
  };

/** An update may keep a violation as long as the same members are set. */
export const exactlyOne =
  (...names: readonly string[]): Declared =>
  (value, before, path) => {
    const quoted = (list: readonly string[]): string => list.map((name) => `\`${name}\``).join(', ');
    const thereIn = (holder: JsonValue | undefined): string[] => names.filter((name) => pointer(membersOf(holder)[name]));
    const there = thereIn(value);
    if (there.length === 1 || (before !== null && sameValue(there, thereIn(before.value)))) return [];
    return there.length === 0
      ? [invalid(path, '', `must specify one of: ${quoted(names)}`)]
      : [invalid(path, `{${quoted(there)}}`, `must specify exactly one of: ${quoted(names)}`)];
  };

export interface ListRules {
  readonly itemsMax: number;
  /** The member that identifies items; absent for atomic lists. */
  readonly key?: string;
  readonly each?: Declared;
}

/** Items of too long a list are not checked. A duplicate item is shown as a whole. */
export const list =
  ({ itemsMax, key, each = () => [] }: ListRules): Declared =>
  (value, before, path) => {
    const items = itemsOf(value);
    if (items.length > itemsMax) return [tooMany(path, items.length, itemsMax)];
    const keyOf = (item: JsonValue | undefined): JsonValue => (key === undefined ? null : (membersOf(item)[key] ?? null));
    const isRepeated = key === undefined ? (): boolean => false : repeats(items.map(keyOf));
    const known = key === undefined || before === null ? null : groupedBy(itemsOf(before.value), keyOf);
    const beforeOf = (item: JsonValue): Before => {
      const found = known?.get(keyOf(item))?.[0];
      return found === undefined ? null : { value: found };
    };
    return [
      ...items.flatMap((item, position) => (isRepeated(position) ? [duplicate(path.index(position), item)] : [])),
      ...items.flatMap((item, position) => unlessSame(each, item, beforeOf(item), path.index(position))),
    ];
  };

const format =
  (rule: NameRule): Declared =>
  (value, _before, path) =>
    named(String(value), rule, path);

export const shortName = format(shortNameRule);
export const longName = format(longNameRule);
export const longNameCaseless = format(caselessSubdomain);
export const labelKey: Declared = (value, _before, path) => qualified(String(value), path);
export const pathSegment = format(pathSegmentName);

const poolNameBytesMax = 253;

/** The finding shows a wrong name as a part, an empty one as the whole. */
export const resourcePoolName: Declared = (value, _before, path) => {
  const text = String(value);
  return [
    ...(Buffer.byteLength(text) > poolNameBytesMax ? [tooLong(path, poolNameBytesMax)] : []),
    ...text
      .split('/')
      .flatMap((part, position) =>
        part === ''
          ? [invalid(path, text, `segment ${position}: must not be empty`)]
          : longNameRule(part, false).map((problem) => invalid(path, part, `segment ${position}: ${problem}`)),
      ),
  ];
};

export const minimum =
  (least: number): Declared =>
  (value, _before, path) =>
    Number(value) < least ? [invalid(path, value, `must be greater than or equal to ${least}`)] : [];

export const maximum =
  (most: number): Declared =>
  (value, _before, path) =>
    Number(value) > most ? [invalid(path, value, `must be less than or equal to ${most}`)] : [];

export const maxBytes =
  (most: number): Declared =>
  (value, _before, path) =>
    Buffer.byteLength(String(value)) > most ? [tooLong(path, most)] : [];

/** `values` in alphabetical order, as messages list them. */
export const oneOf =
  (...values: readonly string[]): Declared =>
  (value, _before, path) =>
    values.includes(String(value)) ? [] : [notSupported(path, value, values)];
