import type { Version } from '../contract.js';

export class VersionGate {
  #current: Version;
  readonly #waiting = new Set<{ readonly version: Version; readonly arrive: () => void }>();

  constructor(current: Version) {
    this.#current = current;
  }

  get version(): Version {
    return this.#current;
  }

  advance(version: Version): void {
    this.#current = version;
    if (this.#waiting.size === 0) return;
    for (const waiter of this.#waiting) if (waiter.version <= version) waiter.arrive();
  }

  reach(version: Version, timeoutMs: number): Promise<boolean> {
    if (version <= this.#current) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve(reached);
      };
      const timer = setTimeout(() => settle(false), timeoutMs);
      const waiter = { version, arrive: () => settle(true) };
      this.#waiting.add(waiter);
    });
  }
}
