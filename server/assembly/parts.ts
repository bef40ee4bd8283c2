import type { Logger } from '../../program/log/logger.js';

/** Something that a server is made of, as far as it has to be ended. */
export interface Part {
  readonly name: string;
  /** Called once, when the server is ready. */
  readonly start?: () => void;
  /** Called once, in whatever state the part is. */
  readonly stop: () => unknown;
}

/** The parts of a server in the order in which they have begun; the last one ends first. */
export class Parts {
  private readonly begun: Part[] = [];

  constructor(private readonly log: Pick<Logger, 'error'>) {}

  add(part: Part): void {
    this.begun.push(part);
  }

  start(): void {
    for (const { start } of this.begun) start?.();
  }

  /** Ends all of them, one after the other. One that fails keeps none of the others from being ended; the first failure is what this rejects with. */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (let part = this.begun.pop(); part !== undefined; part = this.begun.pop()) {
      try {
        await part.stop();
      } catch (error) {
        this.log.error('a part of the server cannot be ended', { part: part.name, error });
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
