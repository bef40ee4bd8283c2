import { callText, isWrite, type Call } from './call.js';

/** The n-th of the requests that read alike: how workers take turns does not change it. */
export interface Place {
  readonly call: string;
  /** From 1. */
  readonly nth: number;
}

export const placeText = ({ call, nth }: Place): string => (nth === 1 ? call : `${call} (${nth})`);
export const isSamePlace = (a: Place, b: Place): boolean => a.call === b.call && a.nth === b.nth;

export interface Entry {
  readonly place: Place;
  readonly call: Call;
  /** Starts of the operator before this one; the first has 0. */
  readonly incarnation: number;
  readonly step: number;
  readonly atMs: number;
  /** HTTP code of the answer; null for none. */
  status: number | null;
  note?: string;
}

export class Recorder {
  readonly entries: Entry[] = [];
  readonly #counts = new Map<string, number>();
  /** Generated names, by what stands for them. */
  readonly #generated = new Map<string, string>();
  readonly #begunMs = performance.now();
  #pending = 0;
  #stirs = 0;
  step = 0;

  begin(call: Call, incarnation: number): Entry {
    const text = callText({ ...call, name: this.#generated.get(call.name) ?? call.name });
    const nth = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, nth);
    const atMs = Math.round(performance.now() - this.#begunMs);
    const entry: Entry = { place: { call: text, nth }, call, incarnation, step: this.step, atMs, status: null };
    this.entries.push(entry);
    this.#pending++;
    this.stir();
    return entry;
  }

  end(entry: Entry, status: number | null): void {
    entry.status ??= status;
    this.#pending--;
    this.stir();
  }

  generated(name: string, pattern: string): void {
    this.#generated.set(name, pattern);
  }

  stir(): void {
    this.#stirs++;
  }

  /** Requests, answers and events so far. */
  get stirs(): number {
    return this.#stirs;
  }
  get isPending(): boolean {
    return this.#pending > 0;
  }
}

/** Returns the reads of each start: an operator has started once it has made them. */
export function startupOf(records: readonly (readonly Entry[])[]): ReadonlySet<string> {
  const begun = records.map(
    (entries) => new Set(entries.filter(({ step, call }) => step === 0 && !isWrite(call)).map(({ place }) => place.call)),
  );
  return new Set([...(begun[0] ?? [])].filter((call) => begun.every((each) => each.has(call))));
}
