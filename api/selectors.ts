import type { LabelSelector } from './types/meta/v1.js';

export type Labels = Readonly<Record<string, string>> | undefined;

export const labelOperators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
};

/** An absent selector or unknown operator selects nothing; an empty selector selects everything. */
export function selects(selector: LabelSelector | null | undefined, labels: Labels): boolean {
  if (!selector) return false;
  return (
    selectsAll(selector.matchLabels, labels) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => labelOperators[operator]?.(labels?.[key], values ?? []) ?? false)
  );
}

export const selectsAll = (wanted: Labels, labels: Labels): boolean =>
  Object.entries(wanted ?? {}).every(([key, value]) => labels?.[key] === value);

export const isEmptySelector = (selector: LabelSelector | null | undefined): boolean =>
  !selector || (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0);

const words: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** The spelling of queries and of `status.selector` in Scale, ordered by key; empty for an absent or empty selector. Omits unknown operators. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => [key, `${key}=${value}`] as const);
  const others = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values }) =>
    Object.hasOwn(words, operator) ? [[key, words[operator]!(key, [...new Set(values ?? [])].sort().join(','))] as const] : [],
  );
  return [...labels, ...others]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',');
}

/** Formats as Go's `%+v` of the generated type, for messages. */
export function shownSelector(selector: LabelSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('');
  const expressions = (selector.matchExpressions ?? [])
    .map(({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`)
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
