import { Writable } from 'node:stream';
import { createLogger as createWinston, format, transports } from 'winston';
import { LineBudget } from './lineBudget.js';
import { oneStream, type LogOutput } from './logOutput.js';
import type { ModuleLevels } from './moduleLevels.js';

/** Members whose name suggests a secret print as `[redacted]`. */
export type Fields = Readonly<Record<string, unknown>>;

/** The event is a constant, searchable phrase; variables are fields. Lines per event and level are bounded (`LineBudget`). */
export interface Logger {
  error(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  /** Written from verbosity `level` on, without bounds, since the operator requested them. */
  debug(level: number, event: string, fields?: Fields): void;
  enabled(level: number): boolean;
  /** `--vmodule` patterns match this name. */
  named(component: string): Logger;
}

export interface Verbosity {
  level: number;
}

export interface LoggerOptions {
  readonly verbosity: number | Verbosity;
  /** The verbosity of single components. */
  readonly modules?: ModuleLevels;
  readonly stream?: NodeJS.WritableStream;
  /** Replaces `stream`. */
  readonly output?: LogOutput;
  /** Default: text. */
  readonly format?: 'text' | 'json';
  /** Defaults to whether the stream is a terminal without NO_COLOR. */
  readonly color?: boolean;
  readonly budget?: Pick<LineBudget, 'write'>;
}

const valueCharactersMax = 2_000;
const secretName = /token|password|passwd|secret|authorization|credential|private|cookie/i;
const plainValue = /^[\w.:/@%+,;*[\]{}<>()~^|&?!#$-]+$/;

export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? process.stderr;
  const color = options.color ?? ((stream as NodeJS.WriteStream).isTTY === true && !process.env['NO_COLOR']);
  const output = options.output ?? oneStream(stream);
  const written = options.format === 'json' ? jsonLine : options.output === undefined && color ? coloured : line;
  const winston = createWinston({
    levels: { error: 0, warn: 1, info: 2 },
    level: 'info',
    format: format.printf((entry) => written({ ...(entry as unknown as Entry), event: String(entry.message) })),
    transports: [
      new transports.Stream({ stream: linesOf(output, 'error'), eol: '\n', level: 'error' }),
      new transports.Stream({ stream: linesOf(output, 'info'), eol: '\n', format: exceptErrors() }),
    ],
  });
  const budget = options.budget ?? new LineBudget();
  const named = (component: string): Logger => {
    const verbosity = verbosityOf(component, options);
    const put = (level: string, event: string, fields?: Fields, depth = 0): void => {
      winston.log({ level, message: event, component, fields, depth });
    };
    const write =
      (level: string) =>
      (event: string, fields?: Fields): void => {
        budget.write(`${level} ${component} ${event}`, (omitted) => {
          put(level, event, omitted === 0 ? fields : { ...fields, omitted });
        });
      };
    return {
      error: write('error'),
      warn: write('warn'),
      info: write('info'),
      named,
      enabled: (level) => level <= verbosity(),
      debug: (level, event, fields) => {
        if (level <= verbosity()) put('info', event, fields, level);
      },
    };
  };
  return named('');
}

interface Entry {
  readonly level: 'error' | 'warn' | 'info';
  readonly component: string;
  readonly event: string;
  readonly fields: Fields | undefined;
  readonly depth: number;
}

const exceptErrors = format((entry) => (entry.level === 'error' ? false : entry));

const linesOf = (output: LogOutput, level: 'error' | 'info'): Writable =>
  new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      output.write(level, text);
      done();
    },
  });

/** A `--vmodule` level is fixed; the program's verbosity may change. */
function verbosityOf(component: string, { verbosity, modules }: LoggerOptions): () => number {
  const level = modules?.levelOf(component) ?? null;
  if (level !== null) return () => level;
  return typeof verbosity === 'number' ? () => verbosity : () => verbosity.level;
}

const colors: Readonly<Record<string, string>> = { error: '\u001b[31m', warn: '\u001b[33m', info: '\u001b[32m' };

const line = (entry: Entry): string => textLine(entry, false);
const coloured = (entry: Entry): string => textLine(entry, true);

/** The reference's form: milliseconds, the event as "msg", and "v" (verbosity) except for errors. */
function jsonLine({ level, component, event, fields, depth }: Entry): string {
  const facts = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
  return JSON.stringify({
    ts: performance.timeOrigin + performance.now(),
    ...(component === '' ? {} : { logger: component }),
    level,
    msg: event,
    ...(level === 'error' ? {} : { v: depth }),
    ...Object.fromEntries(
      facts.map(([name, value]) => [name === 'error' ? 'err' : name, secretName.test(name) ? '[redacted]' : jsonValue(value)]),
    ),
  });
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'object' && value !== null && !(value instanceof Error)) {
    const text = JSON.stringify(value);
    return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}...` : value;
  }
  const text = value instanceof Error ? describeError(value) : String(value);
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}...` : text;
}

function textLine({ level, component, event, fields }: Entry, color: boolean): string {
  const word = color ? `${colors[level] ?? ''}${level.padEnd(5)}\u001b[0m` : level.padEnd(5);
  const who = component === '' ? '' : `${component}: `;
  let text = `${new Date().toISOString()} ${word} ${who}${event}`;
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value !== undefined) text += ` ${name}=${secretName.test(name) ? '[redacted]' : printable(value)}`;
  }
  return text;
}

function printable(value: unknown): string {
  const text =
    value instanceof Error ? describeError(value) : typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  const short = text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}...` : text;
  return plainValue.test(short) ? short : JSON.stringify(short);
}

/** Joins the messages of an error and its causes, outermost first. */
export function describeError(error: unknown): string {
  const texts: string[] = [];
  for (
    let at: unknown = error, depth = 0;
    at !== undefined && at !== null && depth < 8;
    at = at instanceof Error ? at.cause : undefined, depth++
  ) {
    const text = at instanceof Error ? at.message || at.name : String(at);
    if (!texts.some((known) => known.includes(text))) texts.push(text);
  }
  return texts.join(': ');
}
