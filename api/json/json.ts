import type { Steps } from '../steps.js';

export const isObject = <T extends object = Readonly<Record<string, unknown>>>(value: unknown): value is T =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const insertedMax = 16;

/** Sorts in place by UTF-16. Most lists are short, or already sorted. */
export function sortNames(names: string[]): string[] {
  for (let position = 1; position < names.length; position++) {
    const name = names[position] as string;
    if ((names[position - 1] as string) <= name) continue;
    if (names.length > insertedMax) return names.sort();
    let place = position;
    for (; place > 0 && (names[place - 1] as string) > name; place--) names[place] = names[place - 1] as string;
    names[place] = name;
  }
  return names;
}

/** Ignores the order of members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]));
}

const comparedInStep = 1_000;

/** Like `sameJson`, in steps. */
export function* sameJsonInSteps(a: unknown, b: unknown): Steps<boolean> {
  const pairs: (readonly [unknown, unknown])[] = [[a, b]];
  for (let compared = 1, pair = pairs.pop(); pair !== undefined; compared++, pair = pairs.pop()) {
    if (compared % comparedInStep === 0) yield;
    const [left, right] = pair;
    if (left === right) continue;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (let index = 0; index < left.length; index++) {
        if (index % comparedInStep === comparedInStep - 1) yield;
        pairs.push([left[index], right[index]]);
      }
      continue;
    }
    if (!isObject(left) || !isObject(right)) return false;
    const names = Object.keys(left);
    if (names.length !== Object.keys(right).length) return false;
    for (const [index, name] of names.entries()) {
      if (index % comparedInStep === comparedInStep - 1) yield;
      if (!Object.hasOwn(right, name)) return false;
      pairs.push([left[name], right[name]]);
    }
  }
  return true;
}
