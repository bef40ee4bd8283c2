import { parseQuantity, type Quantity } from '../../../api/quantity.js';
import { int } from '../numbers.js';
import { Failure, noOverload, Opaque, type Value } from '../values.js';
import type { Implementation, Library } from './library.js';

const notWhole = new Failure('cannot convert value to integer');
/** Larger exponents are not computed with. */
const exponentMax = 1_000;

/**
 * A quantity: `digits * 10 ** exponent`. Whether it is whole, and its nearest number, depend on the reference's form: 64 bits, or exact where these do not
 * suffice (`apimachinery/pkg/api/resource`).
 */
class QuantityValue extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  constructor(
    readonly digits: bigint,
    readonly exponent: number,
    readonly inWord: boolean,
  ) {
    super();
  }
  /** A comparison scales both to the same exponent. */
  override get weight(): number {
    return Math.abs(this.exponent);
  }

  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && this.compareTo(other) === 0;
  }

  compareTo(other: QuantityValue): number {
    const [a, b] = aligned(this, other);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  /** Null if written with a fraction, even of zeros (`1.0`, `1000m`), or too large. */
  get whole(): bigint | null {
    if (!this.inWord || this.exponent < 0) return null;
    const value = this.digits * 10n ** BigInt(this.exponent);
    return int(value) instanceof Failure ? null : value;
  }

  /** Rounded twice, so not always to the nearest: `0.3` is 0.30000000000000004. */
  get approximate(): number {
    return this.exponent === 0 ? Number(this.digits) : Number(this.digits) * powerOfTen(this.exponent);
  }

  plus(other: QuantityValue, sign: bigint): QuantityValue {
    const isExact = this.inWord && other.inWord;
    if (isExact && other.digits === 0n) return this;
    if (isExact && this.digits === 0n) return new QuantityValue(sign * other.digits, other.exponent, true);
    const [a, b] = aligned(this, other);
    const sum = a + sign * b;
    const fits = isExact && [a, b, sum].every((value) => !(int(value) instanceof Failure));
    return new QuantityValue(sum, Math.min(this.exponent, other.exponent), fits);
  }
}

/** Returns the product of two rounded powers, like Go's `math.Pow10`. */
function powerOfTen(exponent: number): number {
  const size = Math.abs(exponent);
  const [large, small] = [32 * Math.floor(size / 32), Number(`1e${size % 32}`)];
  return exponent < 0 ? Number(`1e-${large}`) / small : Number(`1e${large}`) * small;
}

function aligned(one: QuantityValue, other: QuantityValue): [bigint, bigint] {
  const least = Math.min(one.exponent, other.exponent);
  return [one.digits * 10n ** BigInt(one.exponent - least), other.digits * 10n ** BigInt(other.exponent - least)];
}

function read(text: string): QuantityValue | Failure {
  const parsed = text === text.trim() ? parseQuantity(text) : parseQuantity('');
  if (!parsed.ok) return new Failure(parsed.message);
  const { quantity, scale } = parsed;
  const { digits }: Quantity = quantity;
  // Zero has no exponent, but is no whole number if written with a fraction.
  const exponent = digits === 0n ? Math.max(-exponentMax, Math.min(scale ?? 0, 0)) : quantity.exponent;
  return Math.abs(exponent) > exponentMax ? new Failure('quantity is out of range') : new QuantityValue(digits, exponent, scale !== null);
}

const of =
  (use: (one: QuantityValue) => Value): Implementation =>
  ([one]) =>
    one instanceof QuantityValue ? use(one) : noOverload;
const ofTwo =
  (use: (one: QuantityValue, other: QuantityValue) => Value): Implementation =>
  ([one, other]) =>
    one instanceof QuantityValue && other instanceof QuantityValue ? use(one, other) : noOverload;
const added =
  (sign: bigint): Implementation =>
  ([one, other]) => {
    const amount = typeof other === 'bigint' ? new QuantityValue(other, 0, true) : other;
    return one instanceof QuantityValue && amount instanceof QuantityValue ? one.plus(amount, sign) : noOverload;
  };

export const quantities: Library = {
  'quantity/1': ([text]) => (typeof text === 'string' ? read(text) : noOverload),
  'isQuantity/1': ([text]) => (typeof text === 'string' ? !(read(text) instanceof Failure) : noOverload),
  '.isGreaterThan/1': ofTwo((one, other) => one.compareTo(other) > 0),
  '.isLessThan/1': ofTwo((one, other) => one.compareTo(other) < 0),
  '.compareTo/1': ofTwo((one, other) => BigInt(one.compareTo(other))),
  '.isInteger/0': of((one) => one.whole !== null),
  '.asInteger/0': of((one) => one.whole ?? notWhole),
  '.asApproximateFloat/0': of((one) => one.approximate),
  'sign/1': of((one) => (one.digits > 0n ? 1n : one.digits < 0n ? -1n : 0n)),
  '.add/1': added(1n),
  '.sub/1': added(-1n),
};
