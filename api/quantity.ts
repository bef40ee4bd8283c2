import { BoundedMap } from './boundedMap.js';

/**
 * Amounts with a unit: `500m`, `1.5Gi`, `1e3`. The canonical form has the same value, no fraction and the largest possible unit; a quantity whose digits and
 * unit are canonical keeps its spelling (`+5`, `00012`, `1E3`).
 */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

export interface Quantity {
  /** The value is `digits * 10 ** exponent`. */
  readonly digits: bigint;
  readonly exponent: number;
  /** The unit in which it was written, kept in output if that loses nothing. */
  readonly format: QuantityFormat;
}

export type QuantityResult =
  | {
      readonly ok: true;
      readonly quantity: Quantity;
      /** The reference's output. */ readonly text: string;
      /** The exponent of a quantity that the reference keeps in a number of 64 bits; null of others, which it keeps in slow exact ones. */
      readonly scale: number | null;
    }
  | { readonly ok: false; readonly message: string };

const wrongFormat: QuantityResult = {
  ok: false,
  message: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};
const wrongSuffix: QuantityResult = { ok: false, message: "unable to parse quantity's suffix" };
const wrongNumber: QuantityResult = { ok: false, message: 'unable to parse numeric part of quantity' };

/** Each run of digits matches whole or not at all, because backtracking would take quadratic time. */
const parts = /^([+-]?)(0*)(?!0)(\d*)(?!\d)(?:\.(\d*)(?!\d))?([eEinumkKMGTP]*[-+]?\d*)$/;
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const decimalSuffix = new Map(Object.entries(decimal).map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffix = new Map([[0, ''], ...Object.entries(binary).map(([suffix, power]) => [power, suffix] as const)]);
const exponentPattern = /^[eE]([-+]?\d+)$/;
const nano = -9;
/** Beyond this the reference uses slow exact arithmetic, and loses the spelling. */
const exactDigitsMax = 18;
/** The same of binary units: each power of 1024 counts as three digits. */
const binaryDigitsMax = 14;
/** Bounds the work, far above real quantities. */
const digitsMax = 1000;
const exponentMax = 2 ** 31 - 1;
const binaryMax = 2n ** 63n - 1n;

interface Parsed {
  readonly sign: bigint;
  readonly digits: string;
  readonly fraction: string;
  readonly suffix: string;
}

const known = new BoundedMap<string, QuantityResult>(4_096);
const knownCharactersMax = 24;

/** Ignores surrounding spaces. */
export const parseQuantity = (text: string): QuantityResult => (text.length > knownCharactersMax ? parse(text) : known.of(text, parse));

const parse = (written: string): QuantityResult => {
  const text = written.trim();
  const match = parts.exec(text);
  if (text === '' || match === null) return wrongFormat;
  const [, sign, , digits = '', fraction = '', suffix = ''] = match;
  const parsed: Parsed = { sign: sign === '-' ? -1n : 1n, digits: digits === '' ? '0' : digits, fraction, suffix };
  if (parsed.digits.length + fraction.length > digitsMax) return wrongNumber;
  const power = Object.hasOwn(binary, suffix) ? binary[suffix] : undefined;
  if (power !== undefined) return binaryQuantity(text, parsed, power);
  const exponentText = exponentPattern.exec(suffix)?.[1];
  const exponent = Object.hasOwn(decimal, suffix) ? decimal[suffix] : exponentText === undefined ? undefined : Number(exponentText);
  if (exponent === undefined || Math.abs(exponent) > exponentMax) return wrongSuffix;
  return decimalQuantity(text, parsed, { exponent, format: exponentText === undefined ? 'decimal' : 'exponent' });
};

/** Returns the reference's stored spelling, or its error. */
export const canonicalQuantity = (
  text: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string } =>
  isCanonical(text) ? { ok: true, text } : parseQuantity(text);

/** Accepts up to three digits without a leading zero before a unit. It avoids patterns for speed: a Pod has eight quantities. */
const isCanonical = (text: string): boolean => {
  const first = text.charCodeAt(0);
  if (!(first >= 0x31 && first <= 0x39)) return text === '0';
  let at = 1;
  while (at < 3 && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  const units = text.length - at;
  if (units === 0) return true;
  return units === 1
    ? 'numkMGTPE'.includes(text.charAt(at))
    : units === 2 && text.charAt(at + 1) === 'i' && 'KMGTP'.includes(text.charAt(at));
};

const decimalQuantity = (
  text: string,
  parsed: Parsed,
  { exponent, format }: { exponent: number; format: QuantityFormat },
): QuantityResult => {
  const scale = exponent - parsed.fraction.length;
  const unsigned = BigInt(parsed.digits + parsed.fraction);
  const exact = parsed.digits.length + parsed.fraction.length <= exactDigitsMax && scale >= nano;
  if (unsigned === 0n) return zero(format, exact ? scale : null);
  const rounded = scale >= nano ? { digits: unsigned, exponent: scale } : roundUpToNano(unsigned, scale);
  const quantity = { digits: parsed.sign * rounded.digits, exponent: rounded.exponent, format };
  const canonical = thousands(quantity);
  const keeps = exact && parsed.fraction === '' && canonical.digits === quantity.digits && canonical.exponent === exponent;
  return { ok: true, quantity, text: keeps ? text : formatDecimal(canonical, format), scale: exact ? scale : null };
};

const binaryQuantity = (text: string, parsed: Parsed, power: number): QuantityResult => {
  const unsigned = BigInt(parsed.digits + parsed.fraction) * 1024n ** BigInt(power);
  const scale = parsed.fraction === '' && parsed.digits.length + 3 * power <= binaryDigitsMax ? 0 : null;
  if (unsigned === 0n) return zero('binary', scale);
  const rounded =
    -parsed.fraction.length >= nano
      ? { digits: unsigned, exponent: -parsed.fraction.length }
      : roundUpToNano(unsigned, -parsed.fraction.length);
  const quantity: Quantity = { ...capped(rounded), format: 'binary' };
  const signed = { ...quantity, digits: parsed.sign * quantity.digits };
  const canonical = formatQuantity(signed);
  const keeps = parsed.fraction === '' && canonical === `${parsed.sign < 0n ? '-' : ''}${parsed.digits}${parsed.suffix}`;
  return { ok: true, quantity: signed, text: keeps ? text : canonical, scale };
};

const zero = (format: QuantityFormat, scale: number | null): QuantityResult => ({
  ok: true,
  quantity: { digits: 0n, exponent: 0, format },
  text: '0',
  scale,
});

const roundUpToNano = (digits: bigint, exponent: number): { digits: bigint; exponent: number } => {
  const places = nano - exponent;
  if (places > digitsMax) return { digits: 1n, exponent: nano };
  const divisor = 10n ** BigInt(places);
  return { digits: (digits + divisor - 1n) / divisor, exponent: nano };
};

const capped = (amount: { digits: bigint; exponent: number }): { digits: bigint; exponent: number } =>
  amount.digits > binaryMax * 10n ** BigInt(-amount.exponent) ? { digits: binaryMax, exponent: 0 } : amount;

export const formatQuantity = (quantity: Quantity): string => {
  const whole = wholeOf(quantity);
  if (quantity.format !== 'binary' || whole === undefined || (whole > -1024n && whole < 1024n))
    return formatDecimal(thousands(quantity), quantity.format === 'exponent' ? 'exponent' : 'decimal');
  let [digits, power] = [whole, 0];
  for (; digits % 1024n === 0n && power < binarySuffix.size - 1; power++) digits /= 1024n;
  return `${digits}${binarySuffix.get(power)}`;
};

/** Moves factors of ten into the exponent, a multiple of three. */
const thousands = ({ digits, exponent }: Pick<Quantity, 'digits' | 'exponent'>): { digits: bigint; exponent: number } => {
  if (digits === 0n) return { digits, exponent: 0 };
  let [rest, power] = [digits, exponent];
  for (; rest % 10n === 0n; power++) rest /= 10n;
  const surplus = ((power % 3) + 3) % 3;
  return { digits: rest * 10n ** BigInt(surplus), exponent: power - surplus };
};

/** No unit exists above E: the reference then prints none. */
const formatDecimal = ({ digits, exponent }: { digits: bigint; exponent: number }, format: QuantityFormat): string => {
  if (format === 'exponent') return exponent === 0 ? String(digits) : `${digits}e${exponent}`;
  return `${digits}${decimalSuffix.get(exponent) ?? ''}`;
};

const wholeOf = ({ digits, exponent }: Quantity): bigint | undefined => {
  if (exponent >= 0) return exponent > digitsMax ? undefined : digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return digits % divisor === 0n ? digits / divisor : undefined;
};

export const compareQuantities = (a: Quantity, b: Quantity): number => {
  if (a.exponent === b.exponent) return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
  const [x, y] = [magnitude(a), magnitude(b)];
  const signs = sign(a.digits) - sign(b.digits);
  if (signs !== 0 || a.digits === 0n) return signs;
  // Exponents may be huge, so digits are counted before any power is computed.
  if (x !== y) return sign(a.digits) * (x < y ? -1 : 1);
  const low = Math.min(a.exponent, b.exponent);
  return sign(a.digits * 10n ** BigInt(a.exponent - low) - b.digits * 10n ** BigInt(b.exponent - low));
};

/** Keeps the format of the first unless that is zero. Far apart, the larger is the sum. */
export const addQuantities = (a: Quantity, b: Quantity): Quantity => {
  if (a.digits === 0n) return b;
  if (b.digits === 0n) return a;
  if (Math.abs(a.exponent - b.exponent) > digitsMax) return magnitude(a) < magnitude(b) ? b : a;
  const exponent = Math.min(a.exponent, b.exponent);
  return {
    digits: a.digits * 10n ** BigInt(a.exponent - exponent) + b.digits * 10n ** BigInt(b.exponent - exponent),
    exponent,
    format: a.format,
  };
};

export const zeroQuantity: Quantity = { digits: 0n, exponent: 0, format: 'decimal' };
export const wholeQuantity = (value: number): Quantity => ({ digits: BigInt(value), exponent: 0, format: 'decimal' });
/** Returns the first if both are equal. */
export const largerQuantity = (a: Quantity, b: Quantity): Quantity => (compareQuantities(b, a) > 0 ? b : a);

/** Multiplies by a power of ten and rounds up; the reference counts in thousandths (`3`). */
export const scaledQuantity = ({ digits, exponent }: Quantity, places: number): bigint => {
  const scale = Math.min(exponent + places, digitsMax);
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return digits / divisor + (digits % divisor > 0n ? 1n : 0n);
};

export const roundedUpQuantity = (quantity: Quantity): Quantity =>
  quantity.exponent >= 0 || quantity.digits < 0n ? quantity : { digits: scaledQuantity(quantity, 0), exponent: 0, format: quantity.format };

const magnitude = ({ digits, exponent }: Quantity): number => String(digits < 0n ? -digits : digits).length + exponent;
const sign = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0);
