import { causesMax, type Cause } from './contract.js';
import { canonicalJson, printed, quoted } from './printed.js';
import type { Json } from '../../codecs/value.js';

/** What is wrong with one value, not yet in words: nearly all findings are made while alternatives are tried, and dropped. */
export interface Finding {
  readonly kind: keyof typeof findingWords;
  /** `spec.list[0].name`; empty for the object itself. */
  readonly path: string;
  readonly value: Json;
  readonly detail: string | number | readonly Json[];
}

/**
 * Gathers the findings of one value, and counts checks that were made: of alternatives that all fail, the reference reports the findings of that with the
 * most checks behind it. Nearly all values are right: `counting` only counts findings, without a word about where they are.
 */
export class Findings {
  readonly list: Finding[] = [];
  /** Findings made, also those beyond the bound. */
  total = 0;
  checks = 0;
  private readonly path: (string | number)[] = [];

  private constructor(readonly quiet: boolean) {}

  static gathering(): Findings {
    return new Findings(false);
  }
  static counting(): Findings {
    return new Findings(true);
  }

  /** Whether more of them would be told to nobody, as none of these can be `forgotten` any more. */
  isEnough(mayBeForgotten: boolean): boolean {
    return this.quiet ? this.total > 0 : !mayBeForgotten && this.list.length >= causesMax;
  }

  enter(step: string | number): void {
    if (!this.quiet) this.path.push(step);
  }
  leave(): void {
    if (!this.quiet) this.path.pop();
  }

  add(kind: Finding['kind'], value: Json, detail: Finding['detail'], member?: string): void {
    this.total++;
    if (this.quiet || this.list.length >= causesMax) return;
    const path = this.at();
    this.list.push({ kind, path: member === undefined ? path : `${path}.${member}`, value, detail });
  }

  /** Forgets findings from some point on. */
  rollBack(total: number, length: number): void {
    this.total = total;
    this.list.length = length;
  }

  /** In words, each once. `below` is the path that those of the findings continue. */
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

  private at(): string {
    let text = '';
    for (const step of this.path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
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
  /** Of no certain place, for the reference. */ readonly isPlain?: boolean;
}

const plain = (message: string): Words => ({ type: 'FieldValueInvalid', message: `Invalid value: "": ${message}`, isPlain: true });
const items = (count: unknown): string => (count === 1 ? 'item' : 'items');

/** The words of each kind of finding, as the reference chooses them. */
const findingWords = {
  required: (): Words => ({ type: 'FieldValueRequired', message: 'Required value' }),
  /** The detail says the wanted type, the value what there is; texts are shown again. */
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
    message: `Too long: may not be more than ${String(detail)} bytes`,
  }),
  tooMany: ({ value, detail }: Finding): Words => ({
    type: 'FieldValueTooMany',
    message: `Too many: ${String(value)}: must have at most ${String(detail)} ${items(detail)}`,
  }),
  /** The detail follows on `path in body `. */
  invalid: ({ path, value, detail }: Finding): Words => ({
    type: 'FieldValueInvalid',
    message: `Invalid value: ${printed(value)}: ${path} in body ${String(detail)}`,
  }),
  forbidden: ({ path, value }: Finding): Words => ({
    type: 'FieldValueInvalid',
    message: `Invalid value: ${printed(value)}: ${path}.${String(value)} in body is a forbidden property`,
  }),
  /** The detail follows on the path in quotes, as a finding of no certain place. */
  condition: ({ path, detail }: Finding): Words => plain(`${quoted(path)} ${String(detail)}`),
  /** The detail is followed by the path. */
  range: ({ path, detail }: Finding): Words => plain(`${String(detail)} in ${path}`),
};
