import path from 'node:path';
import type Mocha from 'mocha';

/** Files that the report names. */
const reportedFiles = 10;

/** What mocha tells of a test or a hook that has ended; in another process it is a copy of these members alone. */
interface Ended {
  readonly file?: string | undefined;
  readonly duration?: number | undefined;
}

/** Adds up how long the tests and hooks of each file take, so that a run can say where its time goes. */
export class FileTimes {
  readonly #ms = new Map<string, number>();

  static of(runner: Mocha.Runner): FileTimes {
    const times = new FileTimes();
    const add = (ended: Ended): void => {
      times.add(ended);
    };
    runner.on('test end', add).on('hook end', add);
    return times;
  }

  add({ file = '', duration = 0 }: Ended): void {
    this.#ms.set(file, (this.#ms.get(file) ?? 0) + duration);
  }

  /** The files that took longest, one a line, with seconds; empty where all are quick. */
  report(): string {
    const longest = [...this.#ms]
      .filter(([file, ms]) => file !== '' && ms >= 1_000)
      .sort(([, a], [, b]) => b - a)
      .slice(0, reportedFiles);
    if (longest.length === 0) return '';
    const lines = longest.map(([file, ms]) => `${(ms / 1_000).toFixed(0).padStart(6)} s  ${shortName(file)}\n`);
    return `  the files that took longest\n${lines.join('')}`;
  }
}

const shortName = (file: string): string => file.split(`${path.sep}test${path.sep}`).at(-1) ?? file;
