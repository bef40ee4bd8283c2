import type { Page } from './server.js';

/** Returns a fault; null while there is none. */
export type Check = () => string | null;

const text = 'text/plain; charset=utf-8';

/** The health of this program: one check per part, as long as the part exists. */
export class Checks {
  readonly #checks = new Map<string, Check>();

  add(name: string, check: Check): () => void {
    this.#checks.set(name, check);
    return () => {
      this.#checks.delete(name);
    };
  }

  /** Implements `/healthz`: `ok`, or a line per check on failure or with `verbose`; `exclude` omits checks. `path` is the first word of the response. */
  all(path: string, query: URLSearchParams): Page {
    const excluded = new Set(query.getAll('exclude'));
    const results = [...this.#checks].filter(([name]) => !excluded.has(name)).map(([name, check]) => ({ name, fault: check() }));
    const well = results.every(({ fault }) => fault === null);
    if (well && !query.has('verbose')) return { status: 200, type: text, body: 'ok' };
    // Faults are logged by the part, and not shown to readers of this page.
    const lines = results.map(({ name, fault }) => (fault === null ? `[+]${name} ok` : `[-]${name} failed: reason withheld`));
    return { status: well ? 200 : 500, type: text, body: [...lines, `${path} check ${well ? 'passed' : 'failed'}`, ''].join('\n') };
  }

  states(): readonly (readonly [name: string, isWell: boolean])[] {
    return [...this.#checks].map(([name, check]) => [name, check() === null] as const);
  }

  /** `/healthz/NAME`. */
  one(name: string): Page {
    const check = this.#checks.get(name);
    if (!check) return { status: 404, type: text, body: '404 page not found\n' };
    const fault = check();
    return fault === null
      ? { status: 200, type: text, body: 'ok' }
      : { status: 500, type: text, body: `internal server error: ${fault}\n` };
  }
}
