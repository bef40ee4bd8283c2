import { addQuantities, compareQuantities, largerQuantity, parseQuantity, type Quantity } from './quantity.js';

/** Amounts by resource name, such as `cpu`, `requests.memory` or `pods`. */
export type Amounts = ReadonlyMap<string, Quantity>;
export type AmountTexts = Readonly<Record<string, string | number>>;

export const noAmounts: Amounts = new Map();

/** Omits unparsable amounts; the server accepts none. */
export const amountsOf = (texts: AmountTexts | null | undefined): Amounts =>
  new Map(
    Object.entries(texts ?? {}).flatMap(([name, text]) => {
      const parsed = parseQuantity(String(text));
      return parsed.ok ? [[name, parsed.quantity] as const] : [];
    }),
  );

/** Combines amounts by name; names in only one set keep theirs. */
export function combined(a: Amounts, b: Amounts, how: (a: Quantity, b: Quantity) => Quantity): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const known = result.get(name);
    result.set(name, known === undefined ? amount : how(known, amount));
  }
  return result;
}

export const sumOf = (a: Amounts, b: Amounts): Amounts => combined(a, b, addQuantities);
export const maxOf = (a: Amounts, b: Amounts): Amounts => combined(a, b, largerQuantity);

/** Compares values, not spellings. */
export function sameAmounts(a: AmountTexts | undefined, b: AmountTexts | undefined): boolean {
  const [x, y] = [amountsOf(a), amountsOf(b)];
  return (
    x.size === y.size &&
    [...x].every(([name, amount]) => {
      const other = y.get(name);
      return other !== undefined && compareQuantities(amount, other) === 0;
    })
  );
}
