import { statSync } from 'node:fs';
import { inStep, type Repeated } from './inStep.js';

export interface Live<T> {
  readonly current: T;
  onChange(listener: (value: T) => void): void;
}

export const fixed = <T>(current: T): Live<T> => ({ current, onChange: () => {} });

/** Derives a live value from another; recomputes it only after a change. */
export function derived<T, R>(source: Live<T>, make: (value: T) => R): Live<R> {
  let made = make(source.current);
  source.onChange((value) => {
    made = make(value);
  });
  return {
    get current() {
      return made;
    },
    onChange: (listener) => {
      source.onChange(() => {
        listener(made);
      });
    },
  };
}

export interface Source<T> {
  /** A function, which must not throw, where the files vary. */
  readonly files: readonly string[] | (() => readonly string[]);
  readonly read: () => T;
  readonly failed?: (error: Error) => void;
  readonly changed?: (value: T) => void;
}

/** Notifications miss replaced files; a check costs microseconds. */
const intervalMs = 2_000;

/** One timer checks all files, and does not keep the process alive. */
export class LiveFiles {
  readonly #followed: { look(): void }[] = [];
  readonly #stops: (() => void)[] = [];
  #timer: Repeated | null = null;

  /** Reads now, which may throw, and again after each change. */
  follow<T>(source: Source<T>): Live<T> {
    const followed = new FollowedFiles(source);
    this.#followed.push(followed);
    this.#timer ??= inStep(intervalMs, () => this.look());
    return followed;
  }

  look(): void {
    for (const each of this.#followed) each.look();
  }

  onStop(listener: () => void): void {
    this.#stops.push(listener);
  }

  stop(): void {
    this.#timer?.stop();
    this.#timer = null;
    this.#followed.length = 0;
    for (const stop of this.#stops.splice(0)) stop();
  }
}

class FollowedFiles<T> implements Live<T> {
  readonly #source: Source<T>;
  readonly #listeners: ((value: T) => void)[] = [];
  #seen: string;
  #current: T;
  /** The failure of the last check; null after success. */
  #trouble: { readonly in: 'reading' | 'use'; readonly message: string } | null = null;

  constructor(source: Source<T>) {
    this.#source = source;
    this.#seen = this.#identity();
    this.#current = source.read();
  }

  get current(): T {
    return this.#current;
  }

  onChange(listener: (value: T) => void): void {
    this.#listeners.push(listener);
  }

  look(): void {
    const now = this.#identity();
    if (now === this.#seen && this.#trouble === null) return;
    const before = now === this.#seen ? this.#trouble : null;
    this.#seen = now;
    this.#trouble = null;
    // The cause may vanish without a change of the files, so each check tries again; a failure is logged once.
    const fail = (stage: 'reading' | 'use', error: Error): void => {
      this.#trouble ??= { in: stage, message: error.message };
      if (before?.message !== error.message) this.#source.failed?.(error);
    };
    try {
      this.#current = this.#source.read();
    } catch (error) {
      return fail('reading', error as Error);
    }
    const value = this.#current;
    const tellSource = before?.in === 'use' ? [] : [(): void => this.#source.changed?.(value)];
    for (const tell of [...tellSource, ...this.#listeners.map((listener) => (): void => listener(value))]) {
      try {
        tell();
      } catch (error) {
        fail('use', error as Error);
      }
    }
  }

  #identity(): string {
    const { files } = this.#source;
    return (typeof files === 'function' ? files() : files).map((file) => `${file} ${identityOf(file)}`).join(' ');
  }
}

function identityOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return 'absent';
  }
}
