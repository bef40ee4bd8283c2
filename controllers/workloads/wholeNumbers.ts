/** Texts compared as 64-bit integers: values of labels and taints. */

/** Digits with an optional sign, as node selectors read them. */
export const signed = /^[+-]?\d+$/;
/** The one form of a number, without leading zeros, as tolerations read them. */
export const decimal = /^(0|-?[1-9]\d*)$/;

/** Returns the difference of two texts; 0 unless both are numbers. Pure. */
export function difference(text: string, than: string, form: RegExp): bigint {
  const [a, b] = [numberOf(text, form), numberOf(than, form)];
  return a === null || b === null ? 0n : a - b;
}

function numberOf(text: string, form: RegExp): bigint | null {
  if (!form.test(text)) return null;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : null;
}
