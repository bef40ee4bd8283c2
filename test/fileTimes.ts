import path from 'node:path';
import type Mocha from 'mocha';
import { processorSeconds, processorSecondsIn } from './processorTime.js';

const reportedFiles = 20;
const reportedSeconds = 1;

/** A finished test or hook in mocha; other processes send only these members. */
interface Ended {
  readonly title?: string;
  readonly file?: string | undefined;
  readonly duration?: number | undefined;
}

interface Times {
  readonly seconds: number;
  readonly processorSeconds: number;
}

/** Adds up durations and processor time of tests and hooks by file. */
export class FileTimes {
  readonly #files = new Map<string, Times>();

  static of(runner: Mocha.Runner): FileTimes {
    const times = new FileTimes();
    const add = (ended: Ended): void => {
      times.add(ended);
    };
    runner.on('test end', add).on('hook end', add);
    // In one process, each file ends with a suite.
    let before = processorSeconds();
    runner.on('suite end', ({ file, parent }) => {
      if (file === undefined || parent?.root !== true) return;
      const now = processorSeconds();
      times.#sum(file, { seconds: 0, processorSeconds: now - before });
      before = now;
    });
    return times;
  }

  add({ title = '', file = '', duration = 0 }: Ended): void {
    this.#sum(file, { seconds: duration / 1_000, processorSeconds: processorSecondsIn(title) ?? 0 });
  }

  #sum(file: string, more: Times): void {
    const { seconds, processorSeconds: taken } = this.#files.get(file) ?? { seconds: 0, processorSeconds: 0 };
    this.#files.set(file, { seconds: seconds + more.seconds, processorSeconds: taken + more.processorSeconds });
  }

  /** The files with the most processor time, one a line; empty if all are quick. */
  report(): string {
    const files = [...this.#files].filter(([file]) => file !== '');
    const most = files
      .filter(([, times]) => Math.max(times.seconds, times.processorSeconds) >= reportedSeconds)
      .sort(([, a], [, b]) => b.processorSeconds - a.processorSeconds || b.seconds - a.seconds)
      .slice(0, reportedFiles);
    if (most.length === 0) return '';
    const line = (name: string, { seconds, processorSeconds: taken }: Times): string =>
      `${taken.toFixed(0).padStart(8)} ${seconds.toFixed(0).padStart(8)}  ${name}\n`;
    const all = files.reduce((sum, [, { processorSeconds: taken }]) => sum + taken, 0);
    return `  seconds of processors, and in all, by file (processors: ${all.toFixed(0)} s for all files)\n${most.map(([file, times]) => line(shortName(file), times)).join('')}`;
  }
}

const shortName = (file: string): string => file.split(`${path.sep}test${path.sep}`).at(-1) ?? file;
