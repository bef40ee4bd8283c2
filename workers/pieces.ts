import { parseJson } from './codecs/json.js';
import { writeJson } from './codecs/jsonWriter.js';
import type { Json, JsonMembers } from './codecs/value.js';
import { turns } from './turns/turns.js';
import { type Steps } from '../api/steps.js';

/**
 * Transfers a large value between threads. Rebuilding it at once would block the receiving event loop. So it is sent as JSON texts of bounded weight, each for
 * one list or map:
 *
 *     []              {"spec":{}}
 *     ["spec"]        {"containers":[],"volumes":[...]}
 *     ["spec","containers"]   [{...},{...}]     several of these
 *
 * A piece follows the one with the empty list or map that contains it. The order of members and items is kept.
 */
export interface Piece {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Approximate count of values, members and text length. A piece takes about a millisecond to read. */
export const pieceWeightMax = 8_192;
const charactersPerWeight = 64;
/** Deeper values go in one piece, because weighing is recursive. */
const depthMax = 1_000;

/** 64-bit integers are allowed, undefined members are not. */
export const cut = (value: Json): Piece[] => new Cutter().cut(value);

type Container = Json[] | JsonMembers;
const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null;

class Cutter {
  readonly #pieces: Piece[] = [];
  readonly #heavy = new Set<Json>();

  cut(value: Json): Piece[] {
    this.#weigh(value, 0);
    if (isContainer(value) && this.#heavy.has(value)) this.#cutContainer(value, []);
    else this.#pieces.push({ path: [], text: writeJson(value) });
    return this.#pieces;
  }

  #weigh(value: Json, depth: number): number {
    if (typeof value === 'string') return 1 + value.length / charactersPerWeight;
    if (!isContainer(value) || depth > depthMax) return 1;
    let weight = 1;
    if (Array.isArray(value)) for (const item of value) weight += this.#weigh(item, depth + 1);
    else for (const name of Object.keys(value)) weight += 1 + this.#weigh(value[name] as Json, depth + 1);
    if (weight > pieceWeightMax) this.#heavy.add(value);
    return weight;
  }

  #cutContainer(container: Container, path: readonly (string | number)[]): void {
    if (path.length === 0) this.#pieces.push({ path, text: Array.isArray(container) ? '[]' : '{}' });
    const entries: readonly (readonly [string | number, Json])[] = Array.isArray(container)
      ? container.map((item, index) => [index, item] as const)
      : Object.entries(container);
    let run: (readonly [string | number, Json])[] = [];
    let weight = 0;
    const flush = (): void => {
      if (run.length > 0)
        this.#pieces.push({ path, text: writeJson(Array.isArray(container) ? run.map(([, value]) => value) : Object.fromEntries(run)) });
      run = [];
      weight = 0;
    };
    for (const [name, value] of entries) {
      const isHeavy = isContainer(value) && this.#heavy.has(value);
      run.push([name, isHeavy ? (Array.isArray(value) ? [] : {}) : value]);
      weight += isHeavy ? 1 : this.#weigh(value, 0);
      if (isHeavy || weight > pieceWeightMax) flush();
      if (isHeavy) this.#cutContainer(value, [...path, name]);
    }
    flush();
  }
}

/** Yields to other work in between. The first piece is the value, or the list or map that contains the others. */
export const putTogether = async (pieces: readonly Piece[]): Promise<Json> => turns.run(puttingTogether(pieces));

function* puttingTogether(pieces: readonly Piece[]): Steps<Json> {
  const [first, ...others] = pieces;
  if (first === undefined) throw new Error('broken invariant: a value of no pieces');
  const value = read(first.text);
  for (const { path, text } of others) {
    yield;
    add(at(value, path), read(text));
  }
  return value;
}

const read = (text: string): Json => {
  const document = parseJson(Buffer.from(text), { depthMax: Infinity, keepLiterals: false });
  if (!document.ok) throw new Error(`broken invariant: a piece of our own is not JSON: ${document.message}`);
  return document.value;
};

const at = (value: Json, path: readonly (string | number)[]): Container =>
  path.reduce<Container>((container, step) => (container as Record<string | number, Container>)[step] as Container, value as Container);

const add = (container: Container, more: Json): void => {
  if (Array.isArray(container)) {
    for (const item of more as Json[]) container.push(item);
    return;
  }
  for (const [name, member] of Object.entries(more as JsonMembers)) {
    // Plain assignment would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(container, name, { value: member, writable: true, enumerable: true, configurable: true });
    else container[name] = member;
  }
};
