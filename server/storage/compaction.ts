import type { WriteOutcome } from './engine.js';
import { delayMsMax } from '../../program/flags/duration.js';
import type { Version } from './contract.js';
import type { Logger } from '../../program/log/logger.js';

export interface CompactionOptions {
  /** What the store has reached. */
  readonly version: () => Version;
  /**
   * One replica is enough: the one that leads does it. `compacted`: history before this version is gone already. `isShort`: there is too little space for more
   * history than need be.
   */
  readonly standing: () => Promise<{ readonly leads: boolean; readonly compacted: Version; readonly isShort?: boolean }>;
  readonly compact: (version: Version) => Promise<WriteOutcome>;
  readonly log: Logger;
}

/** While space is short, so much history has to do: watches that were cut off a moment ago still resume. */
const shortIntervalMs = 10_000;

/**
 * Drops history regularly. Each time, the version that was current one interval ago goes: clients can always resume from what they saw
 * within the last interval. Every replica remembers that version, so a new leader goes on where the old one stopped.
 */
export class Compaction {
  private before: Version;
  private timer: NodeJS.Timeout | null = null;
  private shortTimer: NodeJS.Timeout | null = null;
  private running = false;

  constructor(private readonly options: CompactionOptions) {
    this.before = options.version();
  }

  /** `intervalMs` 0: never. */
  start(intervalMs: number): void {
    if (intervalMs === 0) return;
    this.timer = setInterval(
      () => {
        this.attempt(() => this.turn());
      },
      Math.min(intervalMs, delayMsMax),
    );
    this.timer.unref();
    this.shortTimer = setInterval(
      () => {
        this.attempt(() => this.turnIfShort());
      },
      Math.min(intervalMs, shortIntervalMs),
    );
    this.shortTimer.unref();
  }

  stop(): void {
    for (const timer of [this.timer, this.shortTimer]) if (timer !== null) clearInterval(timer);
  }

  /** The cluster has just been filled with what every cluster has. Nobody can have seen how, so history begins afterwards. */
  begin(): void {
    this.before = this.options.version();
    this.attempt(async () => {
      if ((await this.options.standing()).compacted === 0) await this.turn();
    });
  }

  /** What is due after each interval. */
  async turn(): Promise<void> {
    const target = this.before;
    this.before = this.options.version();
    if (target === 0 || !(await this.options.standing()).leads) return;
    const { outcome } = await this.options.compact(target);
    this.options.log.debug(2, 'compacted', { version: target, outcome });
  }

  private async turnIfShort(): Promise<void> {
    if ((await this.options.standing()).isShort === true) await this.turn();
  }

  private attempt(action: () => Promise<void>): void {
    if (this.running) return;
    this.running = true;
    action()
      .catch((error: unknown) => {
        this.options.log.warn('compaction failed; it is tried again after the next interval', { error });
      })
      .finally(() => {
        this.running = false;
      });
  }
}
