import type { WriteOutcome } from './engine.js';
import { delayMsMax } from '../../program/flags/duration.js';
import type { Version } from './contract.js';
import type { Logger } from '../../program/log/logger.js';

export interface CompactionOptions {
  readonly version: () => Version;
  /** Only the leading replica compacts. `isShort`: space is scarce. */
  readonly standing: () => Promise<{ readonly leads: boolean; readonly compacted: Version; readonly isShort?: boolean }>;
  readonly compact: (version: Version) => Promise<WriteOutcome>;
  readonly log: Logger;
}

/** Recently disconnected watches still resume. */
const shortIntervalMs = 10_000;

/** Compacts at the version of one interval ago: clients can resume from anything since. Every replica remembers it for the case that it becomes leader. */
export class Compaction {
  readonly #options: CompactionOptions;
  #before: Version;
  #timer: NodeJS.Timeout | null = null;
  #shortTimer: NodeJS.Timeout | null = null;
  #running = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#before = options.version();
  }

  /** `intervalMs` 0: never. */
  start(intervalMs: number): void {
    if (intervalMs === 0) return;
    this.#timer = setInterval(
      () => {
        this.#attempt(() => this.turn());
      },
      Math.min(intervalMs, delayMsMax),
    );
    this.#timer.unref();
    this.#shortTimer = setInterval(
      () => {
        this.#attempt(() => this.#turnIfShort());
      },
      Math.min(intervalMs, shortIntervalMs),
    );
    this.#shortTimer.unref();
  }

  stop(): void {
    for (const timer of [this.#timer, this.#shortTimer]) if (timer !== null) clearInterval(timer);
  }

  /** History begins after the creation of initial objects, which no client has seen. */
  begin(): void {
    this.#before = this.#options.version();
    this.#attempt(async () => {
      if ((await this.#options.standing()).compacted === 0) await this.turn();
    });
  }

  async turn(): Promise<void> {
    const target = this.#before;
    this.#before = this.#options.version();
    if (target === 0 || !(await this.#options.standing()).leads) return;
    const { outcome } = await this.#options.compact(target);
    this.#options.log.debug(2, 'compacted', { version: target, outcome });
  }

  async #turnIfShort(): Promise<void> {
    if ((await this.#options.standing()).isShort === true) await this.turn();
  }

  #attempt(action: () => Promise<void>): void {
    if (this.#running) return;
    this.#running = true;
    action()
      .catch((error: unknown) => {
        this.#options.log.warn('compaction failed; it is tried again after the next interval', { error });
      })
      .finally(() => {
        this.#running = false;
      });
  }
}
