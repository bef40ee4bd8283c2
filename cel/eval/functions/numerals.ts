/** Writes numbers like Go's `fmt` and `golang.org/x/text/message`, in English. */

/** Returns the exact fraction of a finite, non-negative double. */
function fractionOf(value: number): { readonly over: bigint; readonly under: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  return power >= 0 ? { over: mantissa << BigInt(power), under: 1n } : { over: mantissa, under: 1n << BigInt(-power) };
}

/** Rounds to the nearest whole number, halves to even. */
function rounded(over: bigint, under: bigint): bigint {
  const whole = over / under;
  const twice = (over % under) * 2n;
  return twice > under || (twice === under && whole % 2n === 1n) ? whole + 1n : whole;
}

const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '');

/** Computes `%.2f` exactly, so that only true halves are rounded as halves. */
export function fixedText(value: number, precision: number): string {
  const { over, under } = fractionOf(Math.abs(value));
  const digits = rounded(over * 10n ** BigInt(precision), under)
    .toString()
    .padStart(precision + 1, '0');
  const point = digits.length - precision;
  return `${signOf(value)}${digits.slice(0, point)}${precision === 0 ? '' : `.${digits.slice(point)}`}`;
}

export const grouped = (text: string): string => text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','));

const exponentDigitsMin = 2;

const precisionDefault = 6;

/** `%.2e`: `1.05×10⁰³`. A precision of 0 is none. */
export function scientificText(value: number, asked: number): string {
  const precision = asked === 0 ? precisionDefault : asked;
  const [digits, exponent] = significant(Math.abs(value), precision);
  const fraction = `.${digits.slice(1)}`;
  const power = [...Math.abs(exponent).toString().padStart(exponentDigitsMin, '0')].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${signOf(value)}${digits.slice(0, 1)}${fraction}×10${exponent < 0 ? '⁻' : ''}${power}`;
}

/** Returns one digit more than the precision, and the first one's exponent. */
function significant(value: number, precision: number): readonly [digits: string, exponent: number] {
  if (value === 0) return ['0'.repeat(precision + 1), 0];
  const { over, under } = fractionOf(value);
  const ofPower = (power: number): string => {
    const shift = precision - power;
    return (shift >= 0 ? rounded(over * 10n ** BigInt(shift), under) : rounded(over, under * 10n ** BigInt(-shift))).toString();
  };
  // The shortest text of a double may have the next power of ten.
  const shown = Number(value.toExponential().split('e')[1]);
  for (const power of [shown - 1, shown, shown + 1]) {
    const digits = ofPower(power);
    if (digits.length === precision + 1) return [digits, power];
  }
  return [ofPower(shown), shown];
}

const controls: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** `%q`. */
export const goQuoted = (text: string): string => `"${[...text].map(quotedCharacter).join('')}"`;

function quotedCharacter(character: string): string {
  const control = controls.get(character);
  if (control !== undefined) return control;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
