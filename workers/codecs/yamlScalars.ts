/**
 * Resolves plain scalars like the reference's Go YAML library: YAML 1.1 booleans and octal numbers, but neither base-60 numbers nor dates, which stay strings.
 */
export type PlainScalar = null | boolean | number | bigint | string;

const keywords: ReadonlyMap<string, PlainScalar> = new Map<string, PlainScalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
]);
const integerForms: readonly (readonly [RegExp, string])[] = [
  [/^[-+]?0[xX][0-9a-fA-F]+$/, '0x'],
  [/^[-+]?0[bB][01]+$/, '0b'],
  [/^[-+]?0[oO]?[0-7]+$/, '0o'],
  [/^[-+]?(?:0|[1-9][0-9]*)$/, ''],
];
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Longer texts are not 64-bit integers in any base. */
const integerCharactersMax = 70;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

export const resolvePlain = (text: string): PlainScalar => {
  const keyword = keywords.get(text);
  if (keyword !== undefined) return keyword;
  if (!/^[-+.0-9]/.test(text)) return text;
  const plain = text.replaceAll('_', '');
  return resolveInteger(plain) ?? (float.test(plain) ? Number(plain) : text);
};

const resolveInteger = (text: string): number | bigint | undefined => {
  if (text.length > integerCharactersMax) return undefined;
  const prefix = integerForms.find(([form]) => form.test(text))?.[1];
  if (prefix === undefined) return undefined;
  const digits = text.replace(/^[-+]/, '').replace(prefix === '' ? /^/ : /^0[xXbBoO]?(?=.)/, '');
  const magnitude = BigInt(prefix + digits);
  const value = text.startsWith('-') ? -magnitude : magnitude;
  if (value < int64Min || value > uint64Max) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
};
