import { tellingBelow, type Telling } from '../../api/catalogue/emptiness.js';
import type { Field, Presence, Shape } from '../../api/catalogue/types.js';
import { isKnownWide } from '../turns/weight.js';
import { isMembers, type Json, type JsonMembers } from '../codecs/value.js';
import type { CheckContext, MemberStep } from './context.js';
import type { Checker } from './leaves.js';
import { textTypeOf } from './textTypes.js';

/** What the check of a structure knows of one of its members. */
export interface Member extends MemberStep {
  readonly shape: Shape;
  readonly presence: Presence;
  /** An empty list or map cannot be told from an absent one. */
  readonly isCollection: boolean;
  /** Whether empty ones below it tell something. */
  readonly telling: Telling | null;
  /** The items of a list kind, which always exist. */
  readonly isItems: boolean;
  /** Types refer to each other in circles, so it is looked up late. */
  readonly checker: () => Checker;
}

/** Lists of which an empty one says something else than none at all. */
const meaningfulWhenEmpty: ReadonlySet<string> = new Set(['HPAScalingRules.policies']);

/** `checkerOf` finds the checker of a shape whose texts have a type of that name, if they have one. */
export function memberOf(field: Field, type: string, checkerOf: (shape: Shape, textType: string | undefined) => Checker): Member {
  let checker: Checker | undefined;
  const { name, shape, presence, within } = field;
  const owner = type.split('.').at(-1) ?? type;
  const textType = textTypeOf(type, name);
  const isItems = name === 'items' && owner.endsWith('List');
  return {
    name,
    owner,
    called: within === undefined ? name : `${within}.${name}`,
    shape,
    presence,
    checker: () => (checker ??= checkerOf(shape, textType)),
    telling: tellingBelow(owner, { member: name }),
    isItems,
    isCollection: (shape.is === 'list' || shape.is === 'map') && !isItems && !meaningfulWhenEmpty.has(`${owner}.${name}`),
  };
}

/** Checks a member whatever it is. False when the object is better without it. */
export function checkMember(object: JsonMembers, value: Json, member: Member, context: CheckContext): boolean {
  if (value === null) return false;
  context.enter(member);
  const around = context.telling;
  if (member.telling !== null) context.telling = member.telling;
  const after = member.checker().check(value, context);
  context.telling = around;
  context.leave();
  if (after !== value) object[member.name] = after;
  return !isAbsent(after, member, around);
}

/**
 * Whether a member that was set looks as if it was not. Of a list that is printed as null while it is empty, an empty one stays for now: its
 * sender owns the field then, although nothing of that is kept.
 */
const isAbsent = (value: Json, { presence, isCollection }: Member, telling: Telling | null): boolean => {
  if (isCollection)
    return presence !== 'nullable' && isEmpty(value) && (telling === null || (telling === 'lists' && !Array.isArray(value)));
  if (presence === 'value') return value === '' || value === 0 || value === false || value === null;
  return value === null;
};

const isEmpty = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  // The language lists all members before it shows the first one.
  if (isKnownWide(value as JsonMembers)) return false;
  for (const _name in value as JsonMembers) return false;
  return true;
};

export const without = (value: JsonMembers, dropped: readonly string[]): JsonMembers => {
  const kept: JsonMembers = {};
  // Not the list itself: a client may send as many members that nobody knows as a body has room for.
  const gone = new Set(dropped);
  for (const name of Object.keys(value)) if (!gone.has(name)) kept[name] = value[name] as Json;
  return kept;
};

/** Whether a value is a map of texts, neither empty nor one to postpone. Its members are counted then. */
export function areTexts(value: Json, context: CheckContext): boolean {
  if (!isMembers(value) || context.postpones(value)) return false;
  let count = 0;
  for (const name in value) {
    if (typeof value[name] !== 'string') return false;
    count++;
  }
  context.members += count;
  return count > 0;
}
