import { tellingAt, type Telling } from '../../api/catalogue/emptiness.js';
import type { Field, Presence, Shape } from '../../api/catalogue/types.js';
import { isKnownWide } from '../turns/weight.js';
import { isMembers, type Json, type JsonMembers } from '../codecs/value.js';
import type { CheckContext, MemberStep } from './context.js';
import type { Checker } from './leaves.js';
import { textTypeOf, type TextType } from './textTypes.js';

export interface Member extends MemberStep {
  readonly shape: Shape;
  readonly presence: Presence;
  /** An empty list or map equals an absent one. */
  readonly isCollection: boolean;
  /** Empty values at it and below that are significant. */
  readonly telling: Telling | null;
  /** The items of a list kind, which always exist. */
  readonly isItems: boolean;
  /** Resolved lazily, since types form cycles. */
  readonly checker: () => Checker;
}

/** Lists whose empty value differs from an absent one. */
const meaningfulWhenEmpty: ReadonlySet<string> = new Set(['HPAScalingRules.policies']);

/** `checkerOf` returns the checker of a shape; `textType` is the type of its texts, if named. */
export function memberOf(field: Field, type: string, checkerOf: (shape: Shape, textType: TextType | undefined) => Checker): Member {
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
    telling: tellingAt(owner, name),
    isItems,
    isCollection: (shape.is === 'list' || shape.is === 'map') && !isItems && !meaningfulWhenEmpty.has(`${owner}.${name}`),
  };
}

/** Checks a member of any type. Returns false if it should be removed. */
export function checkMember(object: JsonMembers, value: Json, member: Member, context: CheckContext): boolean {
  if (value === null) return false;
  context.enter(member);
  const around = context.telling;
  if (member.telling !== null) context.telling = member.telling;
  const after = member.checker().check(value, context);
  if (member.isCollection && isEmpty(after)) context.reportRespelled();
  context.telling = around;
  context.leave();
  if (after !== value) object[member.name] = after;
  return !isAbsent(after, member, member.telling ?? around);
}

/** Whether a set member equals an unset one. An empty list printed as null stays for now: its sender owns the field. */
const isAbsent = (value: Json, { presence, isCollection, shape }: Member, telling: Telling | null): boolean => {
  if (isCollection)
    return presence !== 'nullable' && isEmpty(value) && (telling === null || (telling === 'lists' && !Array.isArray(value)));
  if (presence === 'value') return value === '' || value === 0 || value === false || value === null;
  return value === null || (value === '' && presence === 'optional' && shape.is === 'scalar' && shape.scalar === 'bytes');
};

const isEmpty = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  // V8 lists all members before it yields the first.
  if (isKnownWide(value as JsonMembers)) return false;
  for (const _name in value as JsonMembers) return false;
  return true;
};

export const without = (value: JsonMembers, dropped: readonly string[]): JsonMembers => {
  const kept: JsonMembers = {};
  // A set, because clients may send very many unknown members.
  const gone = new Set(dropped);
  for (const name of Object.keys(value)) if (!gone.has(name)) kept[name] = value[name] as Json;
  return kept;
};

/** Returns whether a value is a non-empty map of texts that is not deferred; counts its members then. */
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
