#!/usr/bin/env node
import fs from 'node:fs';
import os from 'node:os';
import { randomUUID } from 'node:crypto';
import { isMainThread } from 'node:worker_threads';
import { helpText } from '../program/flags/help.js';
import { LineBudget } from '../program/log/lineBudget.js';
import { release, versionInfo } from '../program/version.js';
import { createLogger, type Logger, type Verbosity } from '../program/log/logger.js';
import type { ModuleLevels } from '../program/log/moduleLevels.js';
import { guardStandardStreams } from '../program/log/standardStreams.js';
import { emulatedMinor } from '../program/features/emulation.js';
import { featuresOf } from '../program/features/options.js';
import { loggerOptions } from '../program/log/options.js';
import { metricChoice } from '../program/metrics/options.js';
import { unreadableFiles } from '../program/flags/unreadable.js';
import { unknownControllers } from './catalogue.js';
import { systemClock } from './client/clock.js';
import { messageOf } from './client/errors.js';
import { inClusterSettings, loadKubeconfig, type ConnectionSettings } from './client/kubeconfig.js';
import { about, examples } from './about.js';
import { Manager, type Trace } from './manager.js';
import { uselessFiles } from './options/files.js';
import { controllerManagerFlags, type ControllerManagerOptions } from './options/flags.js';
import { leaderMigrationOf } from './options/migration.js';
import { readControllerManagerOptions } from './options/read.js';
import { Checks } from './serving/checks.js';
import { keepHeapSmall } from './quietHeap.js';
import { Metrics } from './serving/metrics.js';
import { serveHealth } from './serving/health.js';
import { flexDriversIn } from './volumeattachment/flexDrivers.js';

/** The program's files, a key among them, are not for other users, whatever the shell's umask. */
const privateFilesUmask = 0o077;

/** The reference's exit codes: 0 for requested output and for a requested stop, 1 for a failure and for an invalid command line. */
async function main(argv: readonly string[]): Promise<number> {
  guardStandardStreams();
  // A thread shares the process's with others.
  if (isMainThread) process.umask(privateFilesUmask);
  const read = readControllerManagerOptions(argv);
  const errors = read.ok
    ? unknownControllers(read.options.controllers).map((word) => `--controllers names ${JSON.stringify(word)}, which is no controller`)
    : read.errors;
  if (!read.ok || errors.length > 0) return refuse(errors);
  if (describe(read.options)) return 0;
  const unreadable = unreadableFiles(controllerManagerFlags, read.options);
  if (unreadable.length > 0) return refuse(unreadable);
  const useless = uselessFiles(read.options);
  if (useless.length > 0) return refuse(useless);
  return run(read.options, writeLogAs(read.options));
}

function refuse(errors: readonly string[]): number {
  process.stderr.write(`${errors.map((error) => `Error: ${error}\n`).join('')}See controller-manager --help.\n`);
  return 1;
}

/** Prints the output that options request; returns false when they request a run. */
function describe({ help, version }: ControllerManagerOptions): boolean {
  if (help)
    process.stdout.write(
      helpText(controllerManagerFlags, { program: 'controller-manager', about, examples, width: process.stdout.columns ?? 100 }),
    );
  else if (version === 'raw' || version === 'true')
    process.stdout.write(version === 'raw' ? `${JSON.stringify(versionInfo(), null, 2)}\n` : `Kubernetes ${release}\n`);
  else return false;
  return true;
}

/** The reason why the process ends, once it is known: the last line of its log. */
let lastWord: string | null = null;

/**
 * Logs the end of this process, whatever its cause. A process without any pending event ends as well, and Node reports nothing: it did once, when nothing but
 * connections and timers was left.
 */
function announceEnd(): void {
  const broken = (error: unknown): void => {
    lastWord = `unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    process.exit(1);
  };
  process.on('uncaughtException', broken);
  process.on('unhandledRejection', broken);
  process.once('exit', (status) => {
    if (lastWord === null) process.exitCode = 1;
    logger[status === 0 && lastWord !== null ? 'info' : 'error'](`ended: ${lastWord ?? 'nothing was left to wait for, which is a defect'}`);
  });
}

async function run(options: ControllerManagerOptions, verbosity: Verbosity): Promise<number> {
  announceEnd();
  if (isMainThread) keepHeapSmall();
  try {
    const { status, reason } = await work(options, verbosity);
    lastWord = reason;
    return status;
  } catch (error) {
    lastWord = messageOf(error);
    return 1;
  }
}

async function work(
  options: ControllerManagerOptions,
  verbosity: Verbosity,
): Promise<{ readonly status: number; readonly reason: string }> {
  const settings = connectionOf(options);
  const rootCa = options['root-ca-file'] ? fs.readFileSync(options['root-ca-file'], 'utf8') : (settings.ca ?? null);
  const features = featuresOf(options);
  const metrics = new Metrics(metricChoice(options), features);
  const checks = new Checks();
  const identity = `${os.hostname()}_${randomUUID()}`;
  const manager = new Manager({
    options,
    settings,
    rootCa,
    clock: systemClock,
    random: Math.random,
    identity,
    version: release,
    emulationVersion: `1.${emulatedMinor(options)}.0`,
    features,
    migration: leaderMigrationOf(options, (name) => unknownControllers([name]).length === 0 && name !== '*'),
    trace,
    metrics,
    checks,
    log,
  });
  const drivers = flexDriversIn(options['flex-volume-plugin-dir']);
  if (drivers.length > 0) log('error', `FlexVolume drivers are not run here, CSI drivers alone are: ${drivers.slice(0, 20).join(', ')}`);
  const stop = stopRequest();
  // Neither connections nor timers of the clock keep a process alive.
  const awake = setInterval(() => undefined, 24 * 60 * 60 * 1000);
  const serving = await serveHealth({ options, features, metrics, checks, clock: systemClock, verbosity, log });
  process.send?.('ready');
  try {
    const result = await manager.run(stop);
    if (result === 'lost') return { status: 1, reason: 'the lease is lost: another manager may work now' };
    return stop.aborted
      ? { status: 0, reason: 'it was asked to stop' }
      : { status: 1, reason: 'its controllers have all ended by themselves' };
  } finally {
    await serving?.close();
    clearInterval(awake);
  }
}

function connectionOf({ kubeconfig, master }: ControllerManagerOptions): ConnectionSettings {
  if (kubeconfig) return loadKubeconfig(kubeconfig, master);
  return master ? { server: master } : inClusterSettings(process.env);
}

/** The first signal stops in order; a second one at once. */
function stopRequest(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) {
        lastWord = 'it was asked to stop twice, and has not waited for what was under way';
        return process.exit(1);
      }
      log('info', `stopping on ${signal}`);
      controller.abort();
    });
  }
  return controller.signal;
}

const budget = new LineBudget();
/** The default until the options are known. */
let logger = createLogger({ verbosity: 0, budget: { write: (_, line) => line(0) } });

/** Levels of single parts, once the options are known. */
let modules: ModuleLevels | null = null;

/** Configures the log, and returns the settings that may change while the program runs. */
function writeLogAs(options: ControllerManagerOptions): Verbosity {
  const { output, ...told } = loggerOptions(options, { errors: process.stderr, others: process.stdout });
  modules = told.modules;
  logger = createLogger({ ...told, ...(output === null ? {} : { output }), budget: { write: (_, line) => line(0) } });
  // Buffered lines must not be lost with the process.
  if (output !== null) process.on('exit', () => output.flush());
  return told.verbosity;
}

/** Messages begin with their component: each has its own budget of lines, and a name for `--vmodule`. */
function log(level: 'info' | 'error', message: string): void {
  const [, who = '', what = message] = /^([\w-]+): ([^]*)$/.exec(message) ?? [];
  budget.write(`${level} ${who || message.split(':', 1)[0]}`, (omitted) => {
    loggerOf(who)[level](`${what}${omitted === 0 ? '' : ` (and ${omitted} more from there)`}`);
  });
}

const loggers = new Map<string, Logger>();
const loggersMax = 1_000;

function loggerOf(who: string): Logger {
  const known = loggers.get(who);
  if (known !== undefined || loggers.size >= loggersMax) return known ?? logger;
  const named = logger.named(who);
  loggers.set(who, named);
  return named;
}

/** Verbosity from which requests and work are logged, as in the reference. */
const requestLevel = 6;
const workLevel = 4;

const trace: Trace = {
  request: ({ verb, path, code, seconds }) =>
    loggerOf('client').debug(requestLevel, 'request', { verb, path, code, ms: Math.round(seconds * 1000) }),
  start: (names) => {
    for (const name of ['client', ...names]) loggerOf(name);
    for (const { pattern, parts } of modules?.complaints() ?? [])
      log('error', `--vmodule names no part of this program: ${pattern} (there are ${parts})`);
  },
  work: ({ controller, key, ms, failed }) => loggerOf(controller).debug(workLevel, 'synced', { key, ms: Math.round(ms), failed }),
};

// Closing connections hold the event loop for a while; nothing depends on them.
void main(process.argv.slice(2)).then((code) => process.exit(code));
