import type { FieldSelector, LabelRequirement, LabelSelector } from './selector.js';

/** An absent label satisfies only `notIn` and `doesNotExist`. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  for (const requirement of selector) if (!matchesRequirement(requirement, labels)) return false;
  return true;
}

/** `valueOf` returns '' for an absent field. */
export function matchesFields(selector: FieldSelector, valueOf: (field: string) => string): boolean {
  for (const { field, equals, value } of selector) if ((valueOf(field) === value) !== equals) return false;
  return true;
}

function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notIn':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'doesNotExist':
      return value === undefined;
    case 'gt':
      return value !== undefined && compares(value, values[0], (a, b) => a > b);
    case 'lt':
      return value !== undefined && compares(value, values[0], (a, b) => a < b);
  }
}

function compares(value: string, bound: string | undefined, holds: (a: bigint, b: bigint) => boolean): boolean {
  const a = int64Of(value);
  const b = bound === undefined ? null : int64Of(bound);
  return a !== null && b !== null && holds(a, b);
}

const int64Bits = 64;

/** Parses decimals for `>` and `<`; null if `text` is not a 64-bit integer. */
export function int64Of(text: string): bigint | null {
  if (!/^[+-]?[0-9]{1,63}$/.test(text)) return null;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(int64Bits, value) === value ? value : null;
}
