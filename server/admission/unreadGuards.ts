import { internalError } from '../../api/status.js';
import type { Unreadable } from '../storage/follow.js';

/** Stored webhook configurations or policies that cannot be read: their scope is unknown, so nothing may pass until they can be read or are gone. */
export class UnreadGuards {
  readonly #resource: string;
  readonly #reasons = new Map<string, string>();

  constructor(resource: string) {
    this.#resource = resource;
  }

  add({ name, reason }: Pick<Unreadable, 'name' | 'reason'>): void {
    this.#reasons.set(name, reason);
  }

  delete(name: string): void {
    this.#reasons.delete(name);
  }

  /** Throws StatusError 500, which names one of them. */
  demandNone(): void {
    for (const [name, reason] of this.#reasons)
      throw internalError(
        new Error(`${this.#resource} ${JSON.stringify(name)} may be about this request and cannot be read; mend or delete it: ${reason}`),
      );
  }
}
