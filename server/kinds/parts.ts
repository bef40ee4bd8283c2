import { objectAt } from '../../api/json/defaulting.js';
import type { MemberIn, ObjectIn } from '../../api/json/members.js';

/** Returns a detached empty object where there is none. */
export const specOf = <T extends object>(object: T): ObjectIn<MemberIn<T, 'spec'>> => partOf(object, 'spec');

/** The same for the status. */
export const statusOf = <T extends object>(object: T): ObjectIn<MemberIn<T, 'status'>> => partOf(object, 'status');

const partOf = <T extends object, M extends string>(object: T, member: M): ObjectIn<MemberIn<T, M>> =>
  (objectAt(object as Record<string, object>, member) ?? {}) as ObjectIn<MemberIn<T, M>>;
