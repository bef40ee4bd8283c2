/** Sums of amounts with units, as quotas need them: `500m`, `1Gi`, `1e3`. What the server has accepted can be read; it keeps canonical spellings. Pure. */

type Format = 'decimal' | 'binary';

/** An amount in billionths, the finest that there is. */
export interface Quantity { readonly nano: bigint; /** The kind of unit that it was written with. */ readonly format: Format }

export type Amounts = ReadonlyMap<string, Quantity>;
/** Amounts as objects carry them. */
export type AmountTexts = Readonly<Record<string, string>>;

const decimal: readonly (readonly [string, number])[] = [['E', 18], ['P', 15], ['T', 12], ['G', 9], ['M', 6], ['k', 3], ['', 0], ['m', -3], ['u', -6], ['n', -9]];
const binary: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalPlaces = 9;
const one = 10n ** BigInt(decimalPlaces);
const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i)|([numkMGTPE]?))$/;
/** Beyond this an exponent is a mistake, and its number would not fit into memory. */
const exponentMax = 1_000;

export const zero: Quantity = { nano: 0n, format: 'decimal' };
export const whole = (value: number): Quantity => ({ nano: BigInt(value) * one, format: 'decimal' });

/** null for what is no amount. Less than a billionth counts as one. */
export function parseQuantity(text: string | number): Quantity | null {
  const match = parts.exec(String(text).trim());
  if (!match) return null;
  const [, sign, digits = '', fraction = '', exponentText, binaryUnit, decimalUnit] = match;
  const exponent = exponentText === undefined ? decimal.find(([unit]) => unit === (decimalUnit ?? ''))?.[1] ?? 0 : Number(exponentText);
  if (digits + fraction === '' || Math.abs(exponent) > exponentMax) return null;
  const factor = binaryUnit === undefined ? 1n : 1024n ** BigInt(binary.indexOf(binaryUnit));
  const magnitude = scaledUp(BigInt(digits + fraction) * factor, decimalPlaces - fraction.length + exponent);
  return { nano: sign === '-' ? -magnitude : magnitude, format: binaryUnit === undefined ? 'decimal' : 'binary' };
}

function scaledUp(value: bigint, places: number): bigint {
  if (places >= 0) return value * 10n ** BigInt(places);
  const divisor = 10n ** BigInt(-places);
  return (value + divisor - 1n) / divisor;
}

/** The canonical spelling: no fraction, and the largest unit that allows that. */
export function quantityText({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const isWhole = nano % one === 0n;
  return format === 'binary' && isWhole && (nano >= 1024n * one || nano <= -1024n * one) ? binaryText(nano / one) : decimalText(nano);
}

function binaryText(value: bigint): string {
  let [rest, power] = [value, 0];
  for (; rest % 1024n === 0n && power < binary.length - 1; power++) rest /= 1024n;
  return `${rest}${binary[power] ?? ''}`;
}

function decimalText(nano: bigint): string {
  const found = decimal.find(([, exponent]) => nano % 10n ** BigInt(exponent + decimalPlaces) === 0n);
  const [unit, exponent] = found ?? ['n', -decimalPlaces];
  return `${nano / 10n ** BigInt(exponent + decimalPlaces)}${unit}`;
}

/** In the format of the first, unless that is zero. */
export const plus = (a: Quantity, b: Quantity): Quantity => (a.nano === 0n ? b : { nano: a.nano + b.nano, format: a.format });
export const greater = (a: Quantity, b: Quantity): Quantity => (b.nano > a.nano ? b : a);
/** Bytes are counted whole. */
export const roundedUp = ({ nano, format }: Quantity): Quantity => ({ nano: nano % one === 0n || nano < 0n ? nano : (nano / one + 1n) * one, format });

export const amountsOf = (texts: AmountTexts | undefined): Amounts =>
  new Map(Object.entries(texts ?? {}).flatMap(([name, text]) => { const amount = parseQuantity(text); return amount ? [[name, amount] as const] : []; }));

/** Both together by name; what only one names stays as it is. */
export function combined(a: Amounts, b: Amounts, how: (a: Quantity, b: Quantity) => Quantity): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const known = result.get(name);
    result.set(name, known ? how(known, amount) : amount);
  }
  return result;
}

/** Whether two sets of amounts name the same things with the same values, however spelt. */
export function sameAmounts(a: AmountTexts | undefined, b: AmountTexts | undefined): boolean {
  const [x, y] = [amountsOf(a), amountsOf(b)];
  return x.size === y.size && [...x].every(([name, { nano }]) => y.get(name)?.nano === nano);
}
