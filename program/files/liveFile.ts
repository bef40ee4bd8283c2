import { statSync } from 'node:fs';
import { inStep, type Repeated } from './inStep.js';

/** A value made from files, which changes when they do. */
export interface Live<T> {
  readonly current: T;
  /** Calls `listener` after each change. */
  onChange(listener: (value: T) => void): void;
}

/** A value that never changes, where one that may is asked for. */
export const fixed = <T>(current: T): Live<T> => ({ current, onChange: () => {} });

/** A part of such a value, or something made from it; made anew only after a change. */
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
  /** Asked each time where they are not always the same, as in a folder; it must not throw. */
  readonly files: readonly string[] | (() => readonly string[]);
  /** Reads and checks the files. Throws when they cannot be used. */
  readonly read: () => T;
  /** Called when changed files cannot be used: what was read before goes on to count. */
  readonly failed?: (error: Error) => void;
  /** Called when they could be read again. */
  readonly changed?: (value: T) => void;
}

/** How often files are looked at. Editors and mounted volumes replace files in ways that notifications miss; looking costs microseconds. */
const intervalMs = 2_000;

/** Follows files until stopped. One timer looks at all of them, and does not keep the process alive. */
export class LiveFiles {
  readonly #looks: (() => void)[] = [];
  readonly #stops: (() => void)[] = [];
  #timer: Repeated | null = null;

  /** Reads now, and throws when that fails; from then on reads again whenever one of the files has changed. */
  follow<T>(source: Source<T>): Live<T> {
    const { files: named, read } = source;
    const look = (): string => (typeof named === 'function' ? named() : named).map((file) => `${file} ${identityOf(file)}`).join(' ');
    const listeners: ((value: T) => void)[] = [];
    let seen = look();
    let current = read();
    /** What went wrong at the last look, in reading the files or in using what they say; null where nothing did. */
    let trouble: { readonly in: 'reading' | 'use'; readonly message: string } | null = null;
    this.#looks.push(() => {
      const now = look();
      if (now === seen && trouble === null) return;
      const before = now === seen ? trouble : null;
      seen = now;
      trouble = null;
      // What stands in the way may pass without the files changing, so all is tried again at each look; it is told once.
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

  /** Looks at once. */
  look(): void {
    for (const look of this.#looks) look();
  }

  /** Calls `listener` when nothing is followed any more. */
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

/** Differs for a file that was written to or replaced, also behind a symbolic link. */
function identityOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return 'absent';
  }
}
