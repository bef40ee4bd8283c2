import type { LabelSelectorObject } from './labelSelectorObject.js';

const EXPRESSIONS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

const byKey = (a: readonly [string, string], b: readonly [string, string]): number => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);

/** The text form of a label selector object, ordered by key; empty for one that is absent or empty. Unknown operators are left out. */
export function spelledSelector(selector: LabelSelectorObject | null | undefined): string {
  const equal = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => [key, `${key}=${value}`] as const);
  const expressions = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values }) => {
    const spell = Object.hasOwn(EXPRESSIONS, operator) ? EXPRESSIONS[operator] : undefined;
    return spell === undefined ? [] : [[key, spell(key, [...new Set(values ?? [])].sort().join(','))] as const];
  });
  return [...equal, ...expressions]
    .sort(byKey)
    .map(([, text]) => text)
    .join(',');
}
