import { holds, nothing, sideOf, type Side } from './assertions.js';
import type { Instruction, Program } from './program.js';

/** A state is the set of active instructions and the preceding side. Transitions are cached, so most characters cost one look-up. */

const stepsMax = 4_000_000;
const stateSteps = 20;
const statesMax = 2_000;
const wideMax = 256;
const ascii = 128;

/** The text is too long for the pattern, so the match is unknown. */
export class PatternBudgetError extends Error {}

/** Several searches may share one budget. */
export interface StepBudget {
  left: number;
}

interface State {
  readonly places: readonly number[];
  readonly before: Side;
  readonly ascii: (State | typeof matched | undefined)[];
  readonly wide: Map<number, State | typeof matched>;
  atEnd: boolean | undefined;
}

const matched = 'matched';

export class Automaton {
  readonly #program: Program;
  #states = new Map<string, State>();
  readonly #first: State;
  readonly #marks: Uint32Array;
  #generation = 0;
  #budget: StepBudget = { left: stepsMax };
  readonly #stack: number[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.#marks = new Uint32Array(program.instructions.length);
    this.#first = this.#stateOf([program.start], nothing);
  }

  test(text: string, budget: StepBudget = { left: stepsMax }): boolean {
    this.#budget = budget;
    let state = this.#first;
    for (let at = 0; at < text.length; at++) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(at) ?? code;
        if (code > 0xffff) at++;
      }
      const after = (code < ascii ? state.ascii[code] : state.wide.get(code)) ?? this.#transition(state, code);
      if (after === matched) return true;
      state = after;
    }
    return (state.atEnd ??= this.#closure(state, nothing, null));
  }

  #transition(state: State, code: number): State | typeof matched {
    const reached: number[] = [];
    const after = this.#closure(state, sideOf(code), { code, reached })
      ? matched
      : this.#stateOf([...reached, this.#program.start], sideOf(code));
    if (code < ascii) state.ascii[code] = after;
    else if (state.wide.size < wideMax) state.wide.set(code, after);
    return after;
  }

  /** Returns true at a match. Collects the successors by the character of `step`. */
  #closure(state: State, after: Side, step: { readonly code: number; readonly reached: number[] } | null): boolean {
    this.#generation++;
    const stack = this.#stack;
    const marks = this.#marks;
    const { instructions } = this.#program;
    stack.length = 0;
    stack.push(...state.places);
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (marks[place] === this.#generation) continue;
      marks[place] = this.#generation;
      if (--this.#budget.left < 0) throw new PatternBudgetError('the text is too long for a pattern of this size');
      const instruction = instructions[place] as Instruction;
      if (instruction.op === 'match') return true;
      if (instruction.op === 'set') {
        if (step !== null && instruction.set.has(step.code)) step.reached.push(instruction.next);
      } else if (instruction.op !== 'assert' || holds(instruction.what, state.before, after)) {
        stack.push(instruction.next);
        if (instruction.op === 'split') stack.push(instruction.other);
      }
    }
    return false;
  }

  #stateOf(places: readonly number[], before: Side): State {
    const sorted = [...new Set(places)].sort((a, b) => a - b);
    const key = `${before}:${sorted.join(',')}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      this.#budget.left -= stateSteps;
      if (this.#states.size >= statesMax) this.#forget();
      state = { places: sorted, before, ascii: new Array<State | undefined>(ascii), wide: new Map(), atEnd: undefined };
      this.#states.set(key, state);
    }
    return state;
  }

  /** The retained first state must not keep the others alive. */
  #forget(): void {
    this.#states = new Map([[`${nothing}:${this.#program.start}`, this.#first]]);
    this.#first.ascii.fill(undefined);
    this.#first.wide.clear();
  }
}
