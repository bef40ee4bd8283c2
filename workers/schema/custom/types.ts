import type { Json } from '../../codecs/value.js';
import type { Findings } from './findings.js';
import { isJsonInteger } from './numbers.js';
import { isInteger } from './printed.js';

/** Includes the format that the Go library derives. */
function typeOfValue(value: Json): readonly [type: string, format: string] {
  switch (typeof value) {
    case 'string':
      return string;
    case 'boolean':
      return boolean;
    case 'number':
      return isInteger(value) ? integer : float;
    case 'bigint':
      return isInteger(value) ? integer : float;
    default:
      return Array.isArray(value) ? array : object;
  }
}

const string = ['string', ''] as const;
const boolean = ['boolean', ''] as const;
const integer = ['integer', 'int64'] as const;
const float = ['number', 'float64'] as const;
const array = ['array', ''] as const;
const object = ['object', ''] as const;

export class TypeCheck {
  readonly #types: readonly string[];
  readonly #format: string;
  readonly #nullable: boolean;
  readonly #wanted: string;
  readonly applies: boolean;
  readonly #numeric: boolean;

  constructor(types: readonly string[], format: string, nullable: boolean) {
    this.#types = types;
    this.#format = format;
    this.#nullable = nullable;
    this.#wanted = types.join(',');
    this.applies = types.length > 0 || format !== '';
    this.#numeric = types.includes('number') || types.includes('integer');
  }

  /** Counts as two checks if the value is valid and as one if not. */
  check(value: Json, findings: Findings): void {
    findings.checks++;
    const [type, format] = typeOfValue(value);
    if (type === this.#wanted || this.#types.includes(type)) {
      findings.checks++;
      return;
    }
    const fits =
      (type === 'number' && this.#types.includes('integer') && isJsonInteger(Number(value))) ||
      (type === 'integer' && this.#types.includes('number'));
    const isPlain = type === 'string' || type === 'array';
    if (this.#format !== '' && !isPlain && !fits && format !== this.#format) return findings.add('type', format, this.#format);
    // The reference leaves texts and lists with a format to the format check.
    if (fits || (this.#format !== '' && isPlain && !this.#numeric)) findings.checks++;
    else findings.add('type', type, this.#wanted);
  }

  checkNull(findings: Findings): void {
    if (this.#types.length > 0 && !this.#nullable && !this.#types.includes('null')) findings.add('type', 'null', this.#wanted);
    else findings.checks++;
  }
}
