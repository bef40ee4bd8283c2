import { LineBudget } from '../program/log/lineBudget.js';
import { createLogger, type Logger, type Verbosity } from '../program/log/logger.js';
import { loggerOptions, type LoggerSettings } from '../program/log/options.js';
import type { Trace } from './manager.js';
import type { ControllerManagerOptions } from './options/flags.js';

/** Verbosity for requests and work, as in the reference. */
const requestLevel = 6;
const workLevel = 4;
const loggersMax = 1_000;

export class ManagerLog {
  /** May change while the manager runs. */
  readonly verbosity: Verbosity;
  readonly logger: Logger;
  readonly #modules: LoggerSettings['modules'];
  readonly #budget = new LineBudget();
  readonly #loggers = new Map<string, Logger>();

  constructor(options: ControllerManagerOptions) {
    const { output, ...settings } = loggerOptions(options, { errors: process.stderr, others: process.stdout });
    this.verbosity = settings.verbosity;
    this.#modules = settings.modules;
    this.logger = createLogger({ ...settings, ...(output === null ? {} : { output }), budget: { write: (_, line) => line(0) } });
    // Buffered lines must not be lost with the process.
    if (output !== null) process.on('exit', () => output.flush());
  }

  /** Messages begin with their component, which has its own budget of lines and `--vmodule` name. */
  readonly write = (level: 'info' | 'error', message: string): void => {
    const [, who = '', what = message] = /^([\w-]+): ([^]*)$/.exec(message) ?? [];
    this.#budget.write(`${level} ${who || message.split(':', 1)[0]}`, (omitted) => {
      this.#of(who)[level](`${what}${omitted === 0 ? '' : ` (and ${omitted} more from there)`}`);
    });
  };

  readonly trace: Trace = {
    request: ({ verb, path, code, seconds }) =>
      this.#of('client').debug(requestLevel, 'request', { verb, path, code, ms: Math.round(seconds * 1000) }),
    start: (names) => {
      for (const name of ['client', ...names]) this.#of(name);
      for (const { pattern, parts } of this.#modules.problems())
        this.write('error', `--vmodule names no part of this program: ${pattern} (there are ${parts})`);
    },
    work: ({ controller, key, ms, failed }) => this.#of(controller).debug(workLevel, 'synced', { key, ms: Math.round(ms), failed }),
  };

  #of(who: string): Logger {
    const known = this.#loggers.get(who);
    if (known !== undefined || this.#loggers.size >= loggersMax) return known ?? this.logger;
    const named = this.logger.named(who);
    this.#loggers.set(who, named);
    return named;
  }
}
