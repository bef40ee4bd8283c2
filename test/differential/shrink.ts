import { isObject } from '../../api/json/json.js';
import type { Sequence } from './area.js';

/** The most trials for one difference; each runs on both servers. */
export const trialsMax = 150;

type Shows = (sequence: Sequence) => Promise<boolean>;

/** Reduces a sequence greedily while it shows the difference: removes steps from the end, then members and items of bodies, large ones first. */
export async function shrink(sequence: Sequence, shows: Shows): Promise<Sequence> {
  const trials = new Trials(shows);
  const fewer = await withFewerSteps(sequence, trials);
  return withSmallerBodies(fewer, trials);
}

class Trials {
  readonly #shows: Shows;
  #left = trialsMax;

  constructor(shows: Shows) {
    this.#shows = shows;
  }

  async holds(sequence: Sequence): Promise<boolean> {
    return this.#left-- > 0 && this.#shows(sequence);
  }
}

async function withFewerSteps(sequence: Sequence, trials: Trials): Promise<Sequence> {
  let { steps } = sequence;
  for (let index = steps.length - 1; index >= 0 && steps.length > 1; index--) {
    const without = { steps: steps.filter((_, at) => at !== index) };
    if (await trials.holds(without)) ({ steps } = without);
  }
  return { steps };
}

async function withSmallerBodies(sequence: Sequence, trials: Trials): Promise<Sequence> {
  let { steps } = sequence;
  for (const index of steps.keys()) {
    const place = (body: unknown): Sequence => ({ steps: steps.map((step, at) => (at === index ? { ...step, body } : step)) });
    const body = steps[index]?.body;
    if (body === undefined) continue;
    const smaller = await smallerValue(body, (trial) => trials.holds(place(trial)));
    ({ steps } = place(smaller));
  }
  return { steps };
}

/** Removes members and items one at a time, then reduces the others recursively. */
async function smallerValue(value: unknown, holds: (trial: unknown) => Promise<boolean>): Promise<unknown> {
  let known = value;
  for (const name of namesIn(value).reverse()) {
    const less = without(known, name);
    if (await holds(less)) known = less;
  }
  for (const name of namesIn(known)) {
    const place = (below: unknown): unknown => replaced(known, name, below);
    known = place(await smallerValue((known as Record<string, unknown>)[name], (trial) => holds(place(trial))));
  }
  return known;
}

const namesIn = (value: unknown): string[] => (isObject(value) || Array.isArray(value) ? Object.keys(value as object) : []);

function without(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => String(index) !== name);
  return Object.fromEntries(Object.entries(value as object).filter(([member]) => member !== name));
}

function replaced(value: unknown, name: string, below: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, index) => (String(index) === name ? below : item));
  return { ...(value as object), [name]: below };
}
