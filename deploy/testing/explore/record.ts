import { callText, isWrite, type Call } from './call.js';
import type { WatchEvent } from './events.js';

/** The number among equal requests, which does not depend on the order of workers. */
export interface Place {
  readonly call: string;
  /** From 1. */
  readonly nth: number;
}

export const placeText = ({ call, nth }: Place): string => (nth === 1 ? call : `${call} (${nth})`);
/** The rest at the end of a step. */
export const restOf = (step: number): Place => ({ call: `rest of step ${step}`, nth: 1 });
export const isSamePlace = (a: Place, b: Place): boolean => a.call === b.call && a.nth === b.nth;

export interface Outcome {
  readonly uid: string;
  readonly version: string;
  /** Equal for equal objects, whatever their versions. */
  readonly content: string;
}

export interface Entry {
  readonly place: Place;
  readonly call: Call;
  /** Number of earlier starts of the operator. */
  readonly incarnation: number;
  readonly step: number;
  readonly atMs: number;
  /** HTTP code of the answer; null for none. */
  status: number | null;
  note?: string;
  /** The type of a watch event, such as `MODIFIED`; absent for requests. */
  readonly event?: string;
  /** The kind of an event's object. */
  readonly kind?: string;
  /** The object after a write. */
  outcome?: Outcome | undefined;
  /** The uid of the object that a deletion ends. */
  deleted?: string | undefined;
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
    this.#pending++;
    return this.#add({ call, incarnation }, callText(this.#known(call)));
  }

  /** Notes an event on its way to the operator. */
  see(watch: Call, { type, object: { kind, metadata } }: WatchEvent, incarnation: number): Entry {
    const call = { ...watch, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    return this.#add({ call, incarnation, event: type, kind }, callText(this.#known(call)).replace('watch', `see ${type}`));
  }

  #known(call: Call): Call {
    return { ...call, name: this.#generated.get(call.name) ?? call.name };
  }

  #add(what: Pick<Entry, 'call' | 'incarnation' | 'event' | 'kind'>, text: string): Entry {
    const nth = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, nth);
    const atMs = Math.round(performance.now() - this.#begunMs);
    const entry: Entry = { ...what, place: { call: text, nth }, step: this.step, atMs, status: null };
    this.entries.push(entry);
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

/** Returns the reads of each start, after which an operator has started. */
export function startupOf(records: readonly (readonly Entry[])[]): ReadonlySet<string> {
  const begun = records.map(
    (entries) =>
      new Set(
        entries.filter(({ step, call, event }) => step === 0 && event === undefined && !isWrite(call)).map(({ place }) => place.call),
      ),
  );
  return new Set([...(begun[0] ?? [])].filter((call) => begun.every((each) => each.has(call))));
}
