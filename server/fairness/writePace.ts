const windowMs = 60_000;
/** Writes of an object per minute, as in the reference (`shouldDelayUpdate`). */
export const writesMax = 6;

/** Bounds the writes of each object: servers of two releases may overwrite one in turns. */
export class WritePace {
  readonly #times = new Map<string, number[]>();

  /** Counts a permitted write of `name`. `now` is in milliseconds. */
  allows(name: string, now: number): boolean {
    const recent = (this.#times.get(name) ?? []).filter((time) => time > now - windowMs);
    const allowed = recent.length < writesMax;
    this.#times.set(name, allowed ? [...recent, now] : recent);
    return allowed;
  }

  /** Forgets objects that are gone. */
  keep(names: ReadonlySet<string> | ReadonlyMap<string, unknown>): void {
    for (const name of this.#times.keys()) if (!names.has(name)) this.#times.delete(name);
  }
}
