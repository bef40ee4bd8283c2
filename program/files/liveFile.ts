import { statSync } from 'node:fs';
import { inStep, type Repeated } from './inStep.js';

/** A value made from files. */
export interface Live<T> {
  readonly current: T;
  onChange(listener: (value: T) => void): void;
}

export const fixed = <T>(current: T): Live<T> => ({ current, onChange: () => {} });

/** Derives a live value from another; it is computed anew only after a change. */
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

/** Editors and mounted volumes replace files in ways that notifications miss; a check costs microseconds. */
const intervalMs = 2_000;

/** One timer checks all files, and does not keep the process alive. */
export class LiveFiles {
  readonly #looks: (() => void)[] = [];
  readonly #stops: (() => void)[] = [];
  #timer: Repeated | null = null;

  /** Reads now, which may throw, and again after each change. */
  follow<T>(source: Source<T>): Live<T> {
    const { files: named, read } = source;
    const look = (): string => (typeof named === 'function' ? named() : named).map((file) => `${file} ${identityOf(file)}`).join(' ');
    const listeners: ((value: T) => void)[] = [];
    let seen = look();
    let current = read();
    /** The failure of the last check; null after success. */
    let trouble: { readonly in: 'reading' | 'use'; readonly message: string } | null = null;
    this.#looks.push(() => {
      const now = look();
      if (now === seen && trouble === null) return;
      const before = now === seen ? trouble : null;
      seen = now;
      trouble = null;
      // The cause may pass without a change of the files, so each check tries again; a failure is logged once.
      const fail = (stage: 'reading' | 'use', error: Error): void => {
        trouble ??= { in: stage, message: error.message };
        if (before?.message !== error.message) source.failed?.(error);
      };
      try {
        current = read();
      } catch (error) {
        return fail('reading', error as Error);
      }
      const value = current;
      const tellSource = before?.in === 'use' ? [] : [(): void => source.changed?.(value)];
      for (const tell of [...tellSource, ...listeners.map((listener) => (): void => listener(value))]) {
        try {
          tell();
        } catch (error) {
          fail('use', error as Error);
        }
      }
    });
    this.#timer ??= inStep(intervalMs, () => this.look());
    return {
      get current() {
        return current;
      },
      onChange: (listener) => {
        listeners.push(listener);
      },
    };
  }

  look(): void {
    for (const look of this.#looks) look();
  }

  onStop(listener: () => void): void {
    this.#stops.push(listener);
  }

  stop(): void {
    this.#timer?.stop();
    this.#timer = null;
    this.#looks.length = 0;
    for (const stop of this.#stops.splice(0)) stop();
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
