const linesMax = 30;
const windowMs = 60_000;
/** Further kinds share one budget. */
const kindsMax = 1_000;

export interface LineClock {
  now(): number;
  /** Must keep no process alive. */
  after(ms: number, callback: () => void): void;
}

const systemClock: LineClock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    setTimeout(callback, ms).unref();
  },
};

interface Kind {
  since: number;
  written: number;
  omitted: number;
  last: Line | null;
}

/** `omitted`: lines of its kind left out before it. */
export type Line = (omitted: number) => void;

/**
 * Bounds the lines per minute of each kind: unauthenticated clients must not fill a disk or hide other events. A minute ends with the last omitted line and
 * the count.
 */
export class LineBudget {
  readonly #clock: LineClock;
  readonly #kinds = new Map<string, Kind>();

  constructor(clock: LineClock = systemClock) {
    this.#clock = clock;
  }

  /** Calls `line` now, at the end of the window, or never. `kind` names the cause. */
  write(kind: string, line: Line): void {
    const entry = this.#kinds.get(kind) ?? this.#begin(kind);
    if (entry.omitted === 0 && this.#clock.now() - entry.since >= windowMs) this.#restart(entry, 0);
    if (entry.written < linesMax) {
      entry.written += 1;
      return line(0);
    }
    entry.last = line;
    entry.omitted += 1;
    if (entry.omitted === 1) this.#clock.after(Math.max(0, windowMs - (this.#clock.now() - entry.since)), () => this.#sumUp(entry));
  }

  #begin(kind: string): Kind {
    const shared = this.#kinds.size >= kindsMax;
    const known = shared ? this.#kinds.get('') : undefined;
    if (known !== undefined) return known;
    const entry: Kind = { since: this.#clock.now(), written: 0, omitted: 0, last: null };
    this.#kinds.set(shared ? '' : kind, entry);
    return entry;
  }

  #sumUp(entry: Kind): void {
    const { last, omitted } = entry;
    this.#restart(entry, 1);
    last?.(omitted - 1);
  }

  #restart(entry: Kind, written: number): void {
    entry.since = this.#clock.now();
    entry.written = written;
    entry.omitted = 0;
    entry.last = null;
  }
}
