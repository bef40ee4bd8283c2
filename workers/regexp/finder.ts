import { holds, nothing, sideOf, type Side } from './assertions.js';
import { PatternBudgetError, type StepBudget } from './automaton.js';
import type { Instruction, Program } from './program.js';

/** Finds the leftmost match that the pattern prefers, with its groups. All threads advance together: time is linear in text times pattern. */
const stepsMax = 5_000_000;

interface Way {
  readonly place: number;
  readonly slots: readonly number[];
}

/** Returns starts and ends of the match and its groups; -1 for unused groups. */
export function findMatch(program: Program, text: string, from: number, budget: StepBudget = { left: stepsMax }): readonly number[] | null {
  const search = new Search(program, text, budget);
  let ways: Way[] = [];
  let found: readonly number[] | null = null;
  for (let at = from; ;) {
    if (found === null) ways.push({ place: program.start, slots: new Array<number>(program.slots).fill(-1).with(0, at) });
    if (ways.length === 0) return found;
    const result = search.step(ways, at);
    ways = result.ways;
    found = result.match ?? found;
    if (at >= text.length) return found;
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
}

class Search {
  readonly #program: Program;
  readonly #text: string;
  readonly #budget: StepBudget;
  #generation = 0;
  readonly #marks: Uint32Array;

  constructor(program: Program, text: string, budget: StepBudget) {
    this.#program = program;
    this.#text = text;
    this.#budget = budget;
    this.#marks = new Uint32Array(program.instructions.length);
  }

  step(ways: readonly Way[], at: number): { readonly ways: Way[]; readonly match: readonly number[] | null } {
    this.#generation++;
    const code = this.#text.codePointAt(at);
    const [before, after] = [this.#sideBefore(at), code === undefined ? nothing : sideOf(code)];
    const next: Way[] = [];
    for (const way of ways) {
      const match = this.#follow(way, { at, before, after, code, next });
      if (match !== null) return { ways: next, match };
    }
    return { ways: next, match: null };
  }

  #follow(way: Way, here: { at: number; before: Side; after: Side; code: number | undefined; next: Way[] }): readonly number[] | null {
    const stack: Way[] = [way];
    for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
      const { place, slots } = current;
      if (this.#marks[place] === this.#generation) continue;
      this.#marks[place] = this.#generation;
      if (--this.#budget.left < 0) throw new PatternBudgetError('the text is too long for a pattern of this size');
      const instruction = this.#program.instructions[place] as Instruction;
      switch (instruction.op) {
        case 'match':
          return slots.with(1, here.at);
        case 'set':
          if (here.code !== undefined && instruction.set.has(here.code)) here.next.push({ place: instruction.next, slots });
          break;
        case 'assert':
          if (holds(instruction.what, here.before, here.after)) stack.push({ place: instruction.next, slots });
          break;
        case 'save':
          stack.push({ place: instruction.next, slots: slots.with(instruction.slot, here.at) });
          break;
        case 'split':
          stack.push({ place: instruction.other, slots }, { place: instruction.next, slots });
      }
    }
    return null;
  }

  #sideBefore(at: number): Side {
    return at === 0 ? nothing : sideOf(this.#text.charCodeAt(at - 1));
  }
}
