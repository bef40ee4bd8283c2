import type { Failure, WatchEvent, WatchSink } from '../../../../server/storage/contract.js';
import type { ExpiryReason } from '../../../../server/storage/watchEnds.js';

/** A sink that records events as lines, which tests can await. */
export class Recorder implements WatchSink {
  readonly lines: string[] = [];
  readonly events: WatchEvent[] = [];
  /** The reason why an ended watch's version is unavailable. */
  why: ExpiryReason | null = null;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  event(event: WatchEvent): void {
    this.events.push(event);
    const { namespace, name } = event.object;
    this.#write(`${event.type} ${namespace}/${name}@${event.version}`);
  }

  synced(version: number): void {
    this.#write(`synced ${version}`);
  }

  end(reason: Failure): void {
    this.why = reason.outcome === 'expired' ? reason.why : null;
    this.#write(`end ${reason.outcome}`);
  }

  async count(count: number): Promise<string[]> {
    if (this.lines.length < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    return this.lines;
  }

  #write(line: string): void {
    this.lines.push(line);
    for (const waiter of this.#waiting.splice(0)) {
      if (this.lines.length >= waiter.count) waiter.resolve();
      else this.#waiting.push(waiter);
    }
  }
}

/** Waits a few turns of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
