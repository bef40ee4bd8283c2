import type { JsonObject } from '../../../api/object.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';

/** Reports whether `toleration` tolerates everything that `other` does. */
export function covers(toleration: JsonObject, other: JsonObject): boolean {
  if (sameValue(toleration, other)) return true;
  const [key, operator, effect] = ['key', 'operator', 'effect'].map((member) => textAt(toleration, member));
  if (textAt(other, 'key') !== key && !(key === '' && operator === 'Exists')) return false;
  if (textAt(other, 'effect') !== effect && effect !== '') return false;
  const [seconds, otherSeconds] = [toleration['tolerationSeconds'], other['tolerationSeconds']];
  if (effect === 'NoExecute' && seconds !== undefined && (otherSeconds === undefined || Number(otherSeconds) > Number(seconds)))
    return false;
  return operator === 'Exists' || (textAt(other, 'operator') === 'Equal' && textAt(other, 'value') === textAt(toleration, 'value'));
}

/** Merges both lists without covered entries; the first of equal entries stays. */
export function mergeTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  all.forEach((toleration, position) => {
    const covered =
      merged.some((each) => covers(each, toleration)) ||
      all.slice(position + 1).some((each) => !sameValue(each, toleration) && covers(each, toleration));
    if (!covered) merged.push(toleration);
  });
  return merged;
}
