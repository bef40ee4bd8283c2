import type { MemberOrder } from '../codecs/jsonReader.js';
import type { Telling } from '../../api/catalogue/emptiness.js';
import type { Steps } from '../../api/steps.js';
import { weighsMore } from '../turns/weight.js';
import { NumberLiteral, type Json } from '../codecs/value.js';

/** A value that cannot be read at all; the reference stops at the first of these. */
export class StructureError extends Error {}

/** Unknown and duplicate fields reported at most; the reference stops there too. */
const strictErrorsMax = 100;

/** A member of a structure, as paths and messages call it. */
export interface MemberStep {
  readonly name: string;
  /** The structure that it is a member of. */
  readonly owner: string;
  /** Its name behind those of the structures within its owner that it stands in. */
  readonly called: string;
}

/** A member of a structure, a name in a map, a position in a list. */
type Step = MemberStep | string | number;

/** A list or map whose content is checked behind everything else, and what was known of findings where it stands. */
interface Postponed {
  readonly check: () => Steps<void>;
  readonly context: CheckContext;
  /** Unknown and duplicate fields before it. */
  readonly strictBefore: number;
  readonly problemBefore: boolean;
}

/**
 * What one check gathers while it walks down an object. The path is kept as a stack, because nearly all objects are right and
 * need no path at all.
 */
export class CheckContext {
  /** The first value of a wrong type; the walk goes on, as the reference's does. */
  problem: string | undefined;
  /** Unknown and duplicate fields, in the order of the text. */
  strict: string[] = [];
  /** Members met, to compare with the members of the text. */
  members = 0;
  /** Whether an empty list or map is kept where the walk is. */
  telling: Telling | null = null;
  private readonly steps: Step[] = [];
  private depth = 0;
  private muted = 0;

  private readonly postponed: Postponed[] = [];

  /** `stepValues`: what holds more than so many values is left for `completed`. */
  constructor(
    private readonly reportStrict: boolean,
    readonly order: MemberOrder | undefined,
    private readonly stepValues = Infinity,
  ) {}

  /** Whether the content of a list or map is to be postponed. */
  postpones(value: Json): boolean {
    return this.stepValues !== Infinity && !(value instanceof NumberLiteral) && weighsMore(value, this.stepValues);
  }

  /** Leaves a check for later. It may replace what the value holds, and not the value. */
  postpone<T extends Json>(value: T, check: (context: CheckContext) => Steps<void>): T {
    const context = this.branched();
    const postponed = { check: () => check(context), context, strictBefore: this.strict.length, problemBefore: this.problem !== undefined };
    this.postponed.push(postponed);
    return value;
  }

  /** Does a check and what it has postponed, which stands before what ends the check by an error: so an error of its own comes first. */
  *completed<T>(check: () => Steps<T>): Steps<T> {
    const outcome = yield* outcomeOf(check);
    for (const postponed of this.postponed) {
      yield;
      yield* postponed.context.completed(postponed.check);
    }
    this.gather();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** A context of its own for what stands where the walk is. */
  private branched(): CheckContext {
    const branch = new CheckContext(this.reportStrict, this.order, this.stepValues);
    for (let step = 0; step < this.depth; step++) branch.enter(this.steps[step]!);
    branch.telling = this.telling;
    branch.muted = this.muted;
    return branch;
  }

  /** Puts findings of what was postponed where they would be if it had not been. */
  private gather(): void {
    const strict: string[] = [];
    let from = 0;
    let first: string | undefined;
    for (const { context, strictBefore, problemBefore } of this.postponed) {
      this.members += context.members;
      strict.push(...this.strict.slice(from, strictBefore), ...context.strict);
      from = strictBefore;
      if (!problemBefore) first ??= context.problem;
    }
    this.problem = first ?? this.problem;
    this.strict = [...new Set([...strict, ...this.strict.slice(from)])].slice(0, strictErrorsMax);
  }

  enter(step: Step): void {
    this.steps[this.depth++] = step;
  }

  leave(): void {
    this.depth--;
  }

  /** Inside of schemas that stand for something else, the reference does not look for unknown fields. */
  mute<T>(body: () => T): T {
    this.muted++;
    const value = body();
    this.muted--;
    return value;
  }

  reportUnknown(name: string): void {
    this.report('unknown', name);
  }

  reportDuplicate(name: string): void {
    this.report('duplicate', name);
  }

  /** Notes a value of the wrong type and carries on. */
  reportType(value: Json, type: string): void {
    this.problem ??= this.typeMessage(value, type);
  }

  /** `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. */
  typeMessage(value: Json, type: string): string {
    const members = this.steps.slice(0, this.depth).filter((step) => typeof step === 'object');
    const field = members.map(({ called }) => called).join('.');
    return `json: cannot unmarshal ${describe(value, type)} into Go ${members.length === 0 ? 'value' : `struct field ${members.at(-1)?.owner}.${field}`} of type ${type}`;
  }

  private report(what: 'unknown' | 'duplicate', name: string): void {
    if (!this.reportStrict || this.muted > 0 || this.strict.length >= strictErrorsMax) return;
    const message = `${what} field "${this.pathTo(name)}"`;
    if (!this.strict.includes(message)) this.strict.push(message);
  }

  /** `spec.containers[0].imagee`; members of maps are written like fields. */
  private pathTo(name: string): string {
    let text = '';
    for (const step of [...this.steps.slice(0, this.depth), name]) {
      const word = typeof step === 'object' ? step.name : step;
      text += typeof word === 'number' ? `[${word}]` : text === '' ? word : `.${word}`;
    }
    return text;
  }
}

/** What came of a check: a value, or the error that ended it. */
function* outcomeOf<T>(check: () => Steps<T>): Steps<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: yield* check() };
  } catch (error) {
    return { error };
  }
}

const numeric: ReadonlySet<string> = new Set(['int32', 'int64', 'float64']);

/** What stands there, in the words of the reference; numbers that do not fit a numeric type are named. */
const describe = (value: Json, type: string): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'array';
  if (value instanceof NumberLiteral) return numeric.has(type) ? `number ${value.text}` : 'number';
  if (typeof value === 'number' || typeof value === 'bigint') return numeric.has(type) ? `number ${value}` : 'number';
  return value === null ? 'null' : 'object';
};
