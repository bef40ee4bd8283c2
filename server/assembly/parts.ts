import type { Logger } from '../../program/log/logger.js';

export interface Part {
  readonly name: string;
  /** Called once, when the server is ready. */
  readonly start?: () => void;
  /** Called once, in any state. */
  readonly stop: () => unknown;
}

/** The components of a server in start order; they stop in reverse. */
export class Parts {
  readonly #log: Pick<Logger, 'error'>;
  readonly #begun: Part[] = [];

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  add(part: Part): void {
    this.#begun.push(part);
  }

  start(): void {
    for (const { start } of this.#begun) start?.();
  }

  /** Stops all parts in sequence despite failures; rejects with the first one. */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (let part = this.#begun.pop(); part !== undefined; part = this.#begun.pop()) {
      try {
        await part.stop();
      } catch (error) {
        this.#log.error('a part of the server cannot be ended', { part: part.name, error });
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
