import { ClosedError } from './errors.js';

/**
 * The life of a database file. The first failure is final: after a failed sync the kernel may have dropped pages that a second sync would report as written.
 *
 *     open --failure--> failed --close--> closed
 *       '------------- close -------------^
 */
export class FailStop {
  readonly #path: string;
  readonly #translate: (error: unknown, what: string) => Error;
  #failure: Error | null = null;
  #closed = false;

  constructor(path: string, translate: (error: unknown, what: string) => Error) {
    this.#path = path;
    this.#translate = translate;
  }

  check(): void {
    if (this.#closed) throw new ClosedError(this.#path);
    if (this.#failure !== null) throw this.#failure;
  }

  get works(): boolean {
    return !this.#closed && this.#failure === null;
  }

  /** An exception ends the use of the file. */
  run<T>(what: string, action: () => T): T {
    this.check();
    try {
      return action();
    } catch (error) {
      throw this.fail(error, what);
    }
  }

  fail(error: unknown, what: string): Error {
    this.#failure ??= this.#translate(error, what);
    return this.#failure;
  }

  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    return true;
  }
}
