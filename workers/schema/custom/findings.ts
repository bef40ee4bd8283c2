import { causesMax, type Cause } from './contract.js';
import { quoted } from '../../codecs/goQuotes.js';
import { canonicalJson, printed, printedFloat } from './printed.js';
import type { Json } from '../../codecs/value.js';

/** An error without words: most are made for alternatives, and dropped. */
export interface Finding {
  readonly kind: keyof typeof findingWords;
  /** `spec.list[0].name`; empty for the object itself. */
  readonly path: string;
  readonly value: Json;
  readonly detail: string | number | readonly Json[];
}

/** Collects findings and counts checks: if all alternatives fail, the reference reports the one with the most checks. `counting` omits paths. */
export class Findings {
  readonly list: Finding[] = [];
  /** Counts findings beyond the bound too. */
  total = 0;
  checks = 0;
  readonly #path: (string | number)[] = [];

  private constructor(readonly quiet: boolean) {}

  static gathering(): Findings {
    return new Findings(false);
  }
  static counting(): Findings {
    return new Findings(true);
  }

  /** Returns whether further findings would not be reported, as none of these can be dropped. */
  isEnough(mayBeForgotten: boolean): boolean {
    return this.quiet ? this.total > 0 : !mayBeForgotten && this.list.length >= causesMax;
  }

  enter(step: string | number): void {
    if (!this.quiet) this.#path.push(step);
  }
  /** Enters a member without its own schema, which the reference spells `.name` in the object. */
  enterFurther(name: string): void {
    this.enter(this.#path.length === 0 ? `.${name}` : name);
  }
  leave(): void {
    if (!this.quiet) this.#path.pop();
  }

  add(kind: Finding['kind'], value: Json, detail: Finding['detail'], member?: string): void {
    this.total++;
    if (this.quiet || this.list.length >= causesMax) return;
    const path = this.#at();
    this.list.push({ kind, path: member === undefined ? path : `${path}.${member}`, value, detail });
  }

  rollBack(total: number, length: number): void {
    this.total = total;
    this.list.length = length;
  }

  causes(below = ''): Cause[] {
    const seen = new Set<string>();
    const causes: Cause[] = [];
    for (const finding of this.list) {
      const key = `${finding.kind} ${finding.path} ${String(finding.detail)} ${finding.kind === 'type' ? quotedShort(finding.value) : ''}`;
      if (!seen.has(key)) causes.push(inWords(finding, below));
      seen.add(key);
    }
    return causes;
  }

  #at(): string {
    let text = '';
    for (const step of this.#path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
    return text;
  }
}

const quotedShort = (value: Json): string => (typeof value === 'string' ? value : '');

function inWords(finding: Finding, below: string): Cause {
  const { type, message, isPlain } = findingWords[finding.kind](finding);
  const path = finding.path.replace(/^\./, '');
  const whole = isPlain === true || path === '' ? below : below === '' ? path : `${below}.${path}`;
  return { type, path: whole === '' ? '<nil>' : whole, message };
}

interface Words {
  readonly type: Cause['type'];
  readonly message: string;
  /** The reference reports it without a path. */ readonly isPlain?: boolean;
}

const plain = (message: string): Words => ({ type: 'FieldValueInvalid', message: `Invalid value: "": ${message}`, isPlain: true });
const items = (count: unknown): string => (count === 1 ? 'item' : 'items');

const findingWords = {
  required: (): Words => ({ type: 'FieldValueRequired', message: 'Required value' }),
  /** `detail` is the expected type, `value` the actual one; text is quoted again. */
  type: ({ path, value, detail }: Finding): Words => ({
    type: 'FieldValueTypeInvalid',
    message: `Invalid value: ${printed(value)}: ${path} in body must be of type ${String(detail)}${typeof value === 'string' ? `: ${quoted(value)}` : ''}`,
  }),
  enum: ({ value, detail }: Finding): Words => ({
    type: 'FieldValueNotSupported',
    message: `Unsupported value: ${printed(value)}: supported values: ${(detail as readonly Json[]).map((allowed) => quoted(typeof allowed === 'string' ? allowed : canonicalJson(allowed))).join(', ')}`,
  }),
  tooLong: ({ detail }: Finding): Words => ({
    type: 'FieldValueTooLong',
    message: `Too long: ${Number(detail) < 0 ? 'value is too long' : `may not be more than ${String(detail)} ${detail === 1 ? 'byte' : 'bytes'}`}`,
  }),
  tooMany: ({ value, detail }: Finding): Words => ({
    type: 'FieldValueTooMany',
    message: `Too many: ${String(value)}: must have at most ${String(detail)} ${items(detail)}`,
  }),
  /** The detail follows `path in body `. */
  invalid: ({ path, value, detail }: Finding): Words => ({
    type: 'FieldValueInvalid',
    message: `Invalid value: ${printed(value)}: ${path} in body ${String(detail)}`,
  }),
  /** Like `invalid`; a number whose bound does not fit its type was compared as a float. */
  float: ({ path, value, detail }: Finding): Words => ({
    type: 'FieldValueInvalid',
    message: `Invalid value: ${printedFloat(Number(value))}: ${path} in body ${String(detail)}`,
  }),
  factor: ({ path, detail }: Finding): Words => ({
    type: 'FieldValueInvalid',
    message: `Invalid value: ${String(detail)}: factor MultipleOf declared for ${path} must be positive: ${String(detail)}`,
  }),
  forbidden: ({ path, value }: Finding): Words => ({
    type: 'FieldValueInvalid',
    message: `Invalid value: ${printed(value)}: ${path}.${String(value)} in body is a forbidden property`,
  }),
  /** The detail follows the quoted path, without a place. */
  condition: ({ path, detail }: Finding): Words => plain(`${quoted(path)} ${String(detail)}`),
  /** The detail precedes the path. */
  range: ({ path, detail }: Finding): Words => plain(`${String(detail)} in ${path}`),
};
