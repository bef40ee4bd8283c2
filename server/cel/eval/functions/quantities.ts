import { parseQuantity, type Quantity } from '../../../../api/quantity.js';
import { int } from '../numbers.js';
import { Failure, noOverload, Opaque, type Value } from '../values.js';
import type { Implementation, Library } from './library.js';

const notWhole = new Failure('cannot convert value to integer');
/** Larger exponents are not computed with. */
const exponentMax = 1_000;

/** A quantity: `digits * 10 ** exponent`. */
class QuantityValue extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  constructor(
    readonly digits: bigint,
    readonly exponent: number,
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

  /** Null when it is not whole, or too large. */
  get whole(): bigint | null {
    const value =
      this.exponent >= 0
        ? this.digits * 10n ** BigInt(this.exponent)
        : this.digits % 10n ** BigInt(-this.exponent) === 0n
          ? this.digits / 10n ** BigInt(-this.exponent)
          : null;
    return value === null || int(value) instanceof Failure ? null : value;
  }

  plus(other: QuantityValue, sign: bigint): QuantityValue {
    const [a, b] = aligned(this, other);
    return new QuantityValue(a + sign * b, Math.min(this.exponent, other.exponent));
  }
}

function aligned(one: QuantityValue, other: QuantityValue): [bigint, bigint] {
  const least = Math.min(one.exponent, other.exponent);
  return [one.digits * 10n ** BigInt(one.exponent - least), other.digits * 10n ** BigInt(other.exponent - least)];
}

function read(text: string): QuantityValue | Failure {
  const parsed = text === text.trim() ? parseQuantity(text) : parseQuantity('');
  if (!parsed.ok) return new Failure(parsed.message);
  const { digits, exponent }: Quantity = parsed.quantity;
  return Math.abs(exponent) > exponentMax ? new Failure('quantity is out of range') : new QuantityValue(digits, exponent);
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
    const amount = typeof other === 'bigint' ? new QuantityValue(other, 0) : other;
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
  '.asApproximateFloat/0': of((one) => Number(`${one.digits}e${one.exponent}`)),
  'sign/1': of((one) => (one.digits > 0n ? 1n : one.digits < 0n ? -1n : 0n)),
  '.add/1': added(1n),
  '.sub/1': added(-1n),
};
