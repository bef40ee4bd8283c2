/** Texts that are compared as whole numbers of 64 bits: values of labels and of taints. */

/** Digits after a sign or none, as node selectors read them. */
export const signed = /^[+-]?\d+$/;
/** The one form of a number, without zeros in front, as tolerations read them. */
export const decimal = /^(0|-?[1-9]\d*)$/;

/** How much more one text is than another; nothing where one of them is no number. Pure. */
export function difference(text: string, than: string, form: RegExp): bigint {
  const [a, b] = [numberOf(text, form), numberOf(than, form)];
  return a === null || b === null ? 0n : a - b;
}

function numberOf(text: string, form: RegExp): bigint | null {
  if (!form.test(text)) return null;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : null;
}
