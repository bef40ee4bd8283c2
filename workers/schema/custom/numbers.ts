import type { Json, JsonMembers } from '../../codecs/value.js';
import type { Findings } from './findings.js';
import { isInteger, printedFloat } from './printed.js';

/** Bounds are floating-point; two integers are compared as 64-bit integers. */

const jsonIntegerMax = 2 ** 53 - 1;
const rounding = 1e-9;
const float32Max = 3.4028235677973366e38;
const int64Limit = 2 ** 63;

/** Accepts an almost integral number, which may result from rounding. */
export function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > jsonIntegerMax) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  return whole > 0 && (value - whole) / (value + whole) < rounding;
}

interface Bound {
  readonly limit: number;
  readonly exclusive: boolean;
}

const integerRange: Readonly<Record<string, (value: number | bigint) => boolean>> = {
  int32: (value) => value >= -(2 ** 31) && value < 2 ** 31,
  uint32: (value) => value >= 0 && value < 2 ** 32,
  uint64: (value) => value >= 0 && value < 2 ** 64,
};

export class NumberCheck {
  readonly #type: string;
  readonly #maximum: Bound | null;
  readonly #minimum: Bound | null;
  readonly #multipleOf: number | null;
  readonly #range: string;

  readonly #format: string;

  /** `type` is empty if a schema names none or several. */
  constructor(schema: JsonMembers, type: string, format: string) {
    this.#type = type;
    this.#format = format;

    this.#maximum = boundOf(schema['maximum'], schema['exclusiveMaximum']);
    this.#minimum = boundOf(schema['minimum'], schema['exclusiveMinimum']);
    this.#multipleOf = numberOf(schema['multipleOf']);
    this.#range = `value must be of type ${type} ${format === '' ? '(default format)' : `with format ${format}`}`;
  }

  check(value: number | bigint, findings: Findings): void {
    if (!this.#isInRange(value)) findings.add('range', null, `Checked ${this.#range}`);
    if (this.#multipleOf !== null) this.#checkMultiple(value, this.#multipleOf, findings);
    if (this.#minimum !== null) this.#checkBound(value, this.#minimum, minimum, findings);
    if (this.#maximum !== null) this.#checkBound(value, this.#maximum, maximum, findings);
    findings.checks++;
  }

  #isInRange(value: number | bigint): boolean {
    if (this.#type === 'integer') {
      if (typeof value === 'number' && !Number.isInteger(value)) return false;
      return (integerRange[this.#format] ?? ((each) => each >= -int64Limit && each < int64Limit))(value);
    }
    return (this.#format !== 'float' && this.#format !== 'float32') || Math.abs(Number(value)) < float32Max;
  }

  #checkBound(value: number | bigint, { limit, exclusive }: Bound, side: Side, findings: Findings): void {
    const comparable = this.#isInRange(limit);
    if (!comparable) findings.add('range', null, `${side.name} ${this.#range}`);
    const whole = comparable && isInteger(value);
    const bound = whole ? Math.trunc(limit) : limit;
    const difference = value < bound ? -1 : value > bound ? 1 : 0;
    if (difference !== side.wrong && !(exclusive && difference === 0)) return;
    findings.add(
      comparable ? 'invalid' : 'float',
      value,
      `should be ${exclusive ? side.exclusive : side.inclusive} ${whole ? printedWhole(bound) : printedFloat(bound)}`,
    );
  }

  #checkMultiple(value: number | bigint, factor: number, findings: Findings): void {
    const comparable = this.#isInRange(factor);
    if (!comparable) findings.add('range', null, `MultipleOf ${this.#range}`);
    const whole = comparable && isInteger(value);
    const divisor = whole ? Math.trunc(factor) : factor;
    const shown = whole ? printedWhole(divisor) : printedFloat(divisor);
    if (divisor <= 0) return findings.add('factor', null, shown);
    if (
      whole ? BigInt(value) % BigInt(divisor) === 0n : isJsonInteger(divisor < 1 ? (1 / divisor) * Number(value) : Number(value) / divisor)
    )
      return;
    findings.add(comparable ? 'invalid' : 'float', value, `should be a multiple of ${shown}`);
  }
}

interface Side {
  readonly name: string;
  readonly wrong: -1 | 1;
  readonly inclusive: string;
  readonly exclusive: string;
}
const maximum: Side = { name: 'Maximum boundary', wrong: 1, inclusive: 'less than or equal to', exclusive: 'less than' };
const minimum: Side = { name: 'Minimum boundary', wrong: -1, inclusive: 'greater than or equal to', exclusive: 'greater than' };

const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null;
const printedWhole = (value: number): string => (Math.abs(value) < 1e21 ? String(value) : String(BigInt(value)));

function boundOf(limit: Json | undefined, exclusive: Json | undefined): Bound | null {
  const number = numberOf(limit);
  return number === null ? null : { limit: number, exclusive: exclusive === true };
}
