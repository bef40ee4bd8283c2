import type { CommonOptions } from '../flags/bothPrograms.js';
import { oneStream, splitStreams, type LogOutput, type Stream } from './logOutput.js';
import type { Verbosity } from './logger.js';
import { ModuleLevels } from './moduleLevels.js';

export interface LogStreams {
  readonly errors: Stream;
  readonly others: Stream;
}

/** `output` is null for the default. */
export interface LoggerSettings {
  readonly modules: ModuleLevels;
  readonly format: 'text' | 'json';
  readonly output: LogOutput | null;
  readonly verbosity: Verbosity;
}

/** `verbosity` may be changed while it runs. */
export function loggerOptions(options: CommonOptions, streams: LogStreams): LoggerSettings {
  const format = options['logging-format'] === 'json' ? 'json' : 'text';
  const split = format === 'json' ? options['log-json-split-stream'] : options['log-text-split-stream'];
  return {
    verbosity: { level: options.v },
    modules: moduleLevels(options.vmodule),
    format,
    output: split
      ? splitStreams({
          ...streams,
          bufferBytes: format === 'json' ? options['log-json-info-buffer-size'] : options['log-text-info-buffer-size'],
          flushMs: options['log-flush-frequency'],
        })
      : format === 'json'
        ? oneStream(streams.errors)
        : null,
  };
}

function moduleLevels(text: string | null): ModuleLevels {
  const pairs = (text ?? '')
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('='));
  return new ModuleLevels(pairs.map(([pattern, level]) => [pattern!, Number(level)]));
}

export function loggingProblem(
  options: CommonOptions,
  given: ReadonlySet<string>,
  features: { readonly alpha: boolean; readonly beta: boolean },
): string | null {
  const experimental = (
    ['log-text-split-stream', 'log-text-info-buffer-size', 'log-json-split-stream', 'log-json-info-buffer-size'] as const
  ).filter((name) => given.has(name) && options[name] !== false && options[name] !== 0);
  if (experimental.length > 0 && !features.alpha)
    return `${experimental.map((name) => `--${name}`).join(', ')}: experimental; give --feature-gates=LoggingAlphaOptions=true as well`;
  if (options['logging-format'] === 'json' && !features.beta) return '--logging-format=json needs the feature LoggingBetaOptions';
  return options['logging-format'] === 'json' && options.vmodule !== null
    ? '--vmodule is for --logging-format=text only; leave it out, or give --v instead'
    : null;
}
