import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessorWaits } from './processorWaits.js';
import type { Recorder } from './record.js';

const turnMs = 10;
/** Limit of a turn's counted time: a busy machine only makes waits longer. */
const countedMsMax = 2 * turnMs;
/** Least counted time, so that waits end even if a process always lacks a processor. */
const countedMsMin = turnMs / 5;

/** Waits in time that passes only while this process runs and no process it waits for lacks a processor. */
export class Turns {
  readonly #recorder: Pick<Recorder, 'stirs' | 'isPending'>;
  readonly #waits: Pick<ProcessorWaits, 'sinceLastMs'>;
  readonly #signal: AbortSignal | undefined;
  #stirs: number;
  #waitedMs = 0;
  #quietMs = 0;

  constructor(recorder: Pick<Recorder, 'stirs' | 'isPending'>, waits: Pick<ProcessorWaits, 'sinceLastMs'>, signal?: AbortSignal) {
    this.#recorder = recorder;
    this.#waits = waits;
    this.#signal = signal;
    this.#stirs = recorder.stirs;
  }

  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Since the last request, answer or event. */
  get quietMs(): number {
    return this.#stirs === this.#recorder.stirs && !this.#recorder.isPending ? this.#quietMs : 0;
  }

  async next(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      const begunMs = performance.now();
      await delay(turnMs, undefined, this.#signal && { signal: this.#signal });
      this.count(performance.now() - begunMs);
    }
  }

  count(tookMs: number): void {
    const countedMs = Math.max(countedMsMin, Math.min(tookMs, countedMsMax) - this.#waits.sinceLastMs());
    const { stirs, isPending } = this.#recorder;
    this.#waitedMs += countedMs;
    this.#quietMs = isPending || stirs !== this.#stirs ? 0 : this.#quietMs + countedMs;
    this.#stirs = stirs;
  }
}
