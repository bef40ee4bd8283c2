import type { Steps } from '../../api/steps.js';
import { weighsMore } from '../turns/weight.js';
import { writeJson } from './jsonWriter.js';

export interface JsonText {
  readonly text: string;
  /** The text holds integers that JSON.stringify cannot write. */
  readonly bigIntegers: boolean;
}

const stepValues = 1_000;

/** Writes about `most` values per step, for values that may be large. */
export function* writingJson(value: unknown, most = stepValues): Steps<JsonText> {
  const writer = new StepWriter(most);
  yield* writer.value(value);
  return writer.written;
}

class StepWriter {
  readonly #most: number;
  readonly #parts: string[] = [];
  #part = '';
  #values = 0;
  #bigIntegers = false;

  constructor(most: number) {
    this.#most = most;
  }

  get written(): JsonText {
    this.#parts.push(this.#part);
    this.#part = '';
    return { text: this.#parts.join(''), bigIntegers: this.#bigIntegers };
  }

  *value(value: unknown): Steps<void> {
    if (!weighsMore(value, this.#most)) this.#small(value);
    else if (Array.isArray(value)) yield* this.#items(value);
    else yield* this.#members(value as Readonly<Record<string, unknown>>);
  }

  *#items(items: readonly unknown[]): Steps<void> {
    let before = '[';
    for (const item of items) {
      this.#part += before;
      if (isComposite(item)) yield* this.value(item);
      else this.#scalar(item);
      before = ',';
      if (this.#endsStep()) yield;
    }
    this.#part += before === '[' ? '[]' : ']';
  }

  *#members(members: Readonly<Record<string, unknown>>): Steps<void> {
    let before = '{';
    for (const name in members) {
      const member = members[name];
      if (member === undefined) continue;
      this.#part += `${before}${JSON.stringify(name)}:`;
      if (isComposite(member)) yield* this.value(member);
      else this.#scalar(member);
      before = ',';
      if (this.#endsStep()) yield;
    }
    this.#part += before === '{' ? '{}' : '}';
  }

  /** JSON.stringify is faster than any loop, and throws if it cannot write the value. */
  #small(value: unknown): void {
    if (!isComposite(value)) return this.#scalar(value);
    this.#values += Array.isArray(value) ? value.length : smallValues;
    try {
      this.#part += JSON.stringify(value);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#bigIntegers = true;
      this.#part += writeJson(value);
    }
  }

  #scalar(value: unknown): void {
    this.#values++;
    if (typeof value === 'bigint') this.#bigIntegers = true;
    this.#part += typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'null');
  }

  #endsStep(): boolean {
    if (this.#values < this.#most) return false;
    this.#values = 0;
    this.#parts.push(this.#part);
    this.#part = '';
    return true;
  }
}

/** A small object counts as this many values, without visiting its members. */
const smallValues = 50;

const isComposite = (value: unknown): boolean => typeof value === 'object' && value !== null;
