import type { MemberOrder } from '../codecs/jsonReader.js';
import type { Telling } from '../../api/catalogue/emptiness.js';
import { setMember } from '../../api/json/setMember.js';
import type { Steps } from '../../api/steps.js';
import type { ValuePath } from '../../api/json/valuePath.js';
import { weighsMore } from '../turns/weight.js';
import { NumberLiteral, isMembers, type Json, type JsonMembers } from '../codecs/value.js';
import { quoted } from '../codecs/goQuotes.js';
import { restoredMessage, type GoKind } from './restored.js';

/** An unreadable value; the reference stops at the first. */
export class StructureError extends Error {}

/** Bounds reported fields, as in the reference. */
const strictErrorsMax = 100;

export interface MemberStep {
  readonly name: string;
  readonly owner: string;
  readonly called: string;
}

const respelledMax = 1_000;

type Step = MemberStep | string | number;

/** A value checked last. */
interface Postponed {
  readonly check: () => Steps<void>;
  readonly context: CheckContext;
  readonly strictBefore: number;
  readonly problemBefore: boolean;
  readonly endsTheWalk: boolean;
}

/** Integers of a text fit their types. Integers in memory, which the reference keeps in 64 bits, are truncated to the lower bits. */
export type Numbers = 'text' | 'memory';

/** Collects the findings of one walk over an object. */
export class CheckContext {
  readonly #reportStrict: boolean;
  readonly #stepValues: number;

  /** The first value of a wrong type; the walk continues, as in the reference. */
  problem: string | undefined;
  strict: string[] = [];
  members = 0;
  readonly respelled: ValuePath[] = [];
  /** Whether to keep an empty list or map at this place. */
  telling: Telling | null = null;
  readonly #steps: Step[] = [];
  #depth = 0;
  #muted = 0;

  readonly #postponed: Postponed[] = [];

  /** Values with more than `stepValues` entries are left to `completed`. */
  constructor(
    reportStrict: boolean,
    readonly order: MemberOrder | undefined,
    stepValues = Infinity,
    readonly numbers: Numbers = 'text',
  ) {
    this.#reportStrict = reportStrict;
    this.#stepValues = stepValues;
  }

  postpones(value: Json): boolean {
    return this.#stepValues !== Infinity && !(value instanceof NumberLiteral) && weighsMore(value, this.#stepValues);
  }

  /** Defers a check, which may replace the value's content but not the value. */
  postpone<T extends Json>(value: T, check: (context: CheckContext) => Steps<void>, endsTheWalk = false): T {
    const context = this.#branched();
    const [strictBefore, problemBefore] = [this.strict.length, this.problem !== undefined];
    this.#postponed.push({ check: () => check(context), context, strictBefore, problemBefore, endsTheWalk });
    return value;
  }

  /** Runs a check and those that it deferred. Deferred content precedes the point of failure, so its errors come first. */
  *completed<T>(check: () => Steps<T>): Steps<T> {
    const outcome = yield* outcomeOf(check);
    for (const postponed of this.#postponed) {
      yield;
      const { context, check, endsTheWalk } = postponed;
      yield* context.completed(check);
      if (endsTheWalk && context.problem !== undefined) throw new StructureError(context.problem);
    }
    this.#gather();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  #branched(): CheckContext {
    const branch = new CheckContext(this.#reportStrict, this.order, this.#stepValues, this.numbers);
    for (let step = 0; step < this.#depth; step++) branch.enter(this.#steps[step]!);
    branch.telling = this.telling;
    branch.#muted = this.#muted;
    return branch;
  }

  #gather(): void {
    const strict: string[] = [];
    let from = 0;
    let first: string | undefined;
    for (const { context, strictBefore, problemBefore } of this.#postponed) {
      this.members += context.members;
      this.respelled.push(...context.respelled.slice(0, respelledMax - this.respelled.length));
      strict.push(...this.strict.slice(from, strictBefore), ...context.strict);
      from = strictBefore;
      if (!problemBefore) first ??= context.problem;
    }
    this.problem = first ?? this.problem;
    const all = [...strict, ...this.strict.slice(from)];
    this.strict = (this.numbers === 'memory' ? all : [...new Set(all)]).slice(0, strictErrorsMax);
  }

  enter(step: Step): void {
    this.#steps[this.#depth++] = step;
  }

  leave(): void {
    this.#depth--;
  }

  /** The reference reports no unknown fields inside schemas that replace a simpler value. */
  mute<T>(body: () => T): T {
    this.#muted++;
    const value = body();
    this.#muted--;
    return value;
  }

  /** Checks a value of a type that reads its own JSON: its problem ends the walk. */
  alone(value: Json, check: (context: CheckContext) => Json): Json {
    if (this.postpones(value)) return this.#postponeAlone(value, check);
    const around = this.problem;
    this.problem = undefined;
    const checked = check(this);
    if (this.problem !== undefined) throw new StructureError(this.problem);
    this.problem = around;
    return checked;
  }

  #postponeAlone(value: Json, check: (context: CheckContext) => Json): Json {
    const checkNow = function* (own: CheckContext): Steps<void> {
      const checked = check(own);
      if (checked !== value && isMembers(value) && isMembers(checked)) replaceMembers(value, checked);
    };
    return this.postpone(value, checkNow, true);
  }

  reportRespelled(): void {
    const steps = this.#steps.slice(0, this.#depth);
    if (this.respelled.length >= respelledMax || !steps.some((step) => typeof step === 'number')) return;
    this.respelled.push(steps.map((step) => (typeof step === 'object' ? step.name : step)));
  }

  reportUnknown(name: string): void {
    this.#report('unknown', name);
  }

  reportDuplicate(name: string): void {
    this.#report('duplicate', name);
  }

  reportText(problem: string): void {
    this.problem ??= this.numbers === 'memory' ? `error decoding from json: ${problem}` : problem;
  }

  reportType(value: Json, type: string, kind: GoKind): void {
    this.problem ??= this.numbers === 'memory' ? restoredMessage(value, type, kind) : this.typeMessage(value, type);
  }

  /** Yields `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. */
  typeMessage(value: Json, type: string): string {
    const members = this.#steps.slice(0, this.#depth).filter((step) => typeof step === 'object');
    const field = members.map(({ called }) => called).join('.');
    return `json: cannot unmarshal ${describe(value, type)} into Go ${members.length === 0 ? 'value' : `struct field ${members.at(-1)?.owner}.${field}`} of type ${type}`;
  }

  /** The same for a type that reads its own JSON, which in memory does not know its field (converter.go). */
  ownTypeMessage(value: Json, type: string): string {
    return this.numbers === 'memory'
      ? `json: cannot unmarshal ${describe(value, type)} into Go value of type ${type}`
      : this.typeMessage(value, type);
  }

  #report(what: 'unknown' | 'duplicate', name: string): void {
    if (!this.#reportStrict || this.#muted > 0 || this.strict.length >= strictErrorsMax) return;
    const message = `${what} field ${quoted(this.#pathTo(name))}`;
    if (this.numbers === 'memory' || !this.strict.includes(message)) this.strict.push(message);
  }

  /** Returns `spec.containers[0].imagee`, for example; keys of maps are written like fields, except in memory. */
  #pathTo(name: string): string {
    let text = '';
    const steps = this.#steps.slice(0, this.#depth);
    for (const step of [...(this.numbers === 'memory' ? steps.filter((each) => typeof each !== 'string') : steps), name]) {
      const word = typeof step === 'object' ? step.name : step;
      text += typeof word === 'number' ? `[${word}]` : text === '' ? word : `.${word}`;
    }
    return text;
  }
}

function replaceMembers(object: JsonMembers, by: JsonMembers): void {
  for (const name of Object.keys(object)) if (!Object.hasOwn(by, name)) delete object[name];
  for (const name of Object.keys(by)) setMember(object, name, by[name]);
}

function* outcomeOf<T>(check: () => Steps<T>): Steps<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: yield* check() };
  } catch (error) {
    return { error };
  }
}

const numeric: ReadonlySet<string> = new Set(['int32', 'int64', 'float64']);

/** Uses the reference's words; numbers that do not fit a numeric type are quoted. */
const describe = (value: Json, type: string): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'array';
  if (value instanceof NumberLiteral) return numeric.has(type) ? `number ${value.text}` : 'number';
  if (typeof value === 'number' || typeof value === 'bigint') return numeric.has(type) ? `number ${value}` : 'number';
  return value === null ? 'null' : 'object';
};
