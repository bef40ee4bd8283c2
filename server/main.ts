#!/usr/bin/env node
import { consensusThread } from './process/consensusThread.js';
import { isMainThread } from 'node:worker_threads';
import { helpText } from '../program/flags/help.js';
import { widenBufferPool } from './process/bufferPool.js';
import { takeHandedConnections } from './process/handedConnections.js';
import { boundHeapGrowth } from './process/heapGrowth.js';
import { createLogger, describeError } from '../program/log/logger.js';
import { guardStandardStreams } from '../program/log/standardStreams.js';
import type { Logger, Verbosity } from '../program/log/logger.js';
import { readApiServerOptions } from './options/read.js';
import { apiServerFlags, type ApiServerOptions } from './options/flags.js';
import { loggerOptions, type LoggerSettings } from '../program/log/options.js';
import { operationNames } from './operations/names.js';
import { closedGates } from './options/runtimeConfig.js';
import { about, examples, versionText } from './options/texts.js';
import { unreadableFiles } from '../program/flags/unreadable.js';
import { configurationNames, configurationSchema } from './assembly/schemas.js';
import { startServer, type RunningServer } from './server.js';
import { servingThreadsOf } from './threads/servingThreads.js';

/** Exit codes of the reference: 0 after an orderly stop, 1 for a failure or an invalid command line. */
const exitFailure = 1;

/** Keeps data, logs, keys and backups private, whatever the shell's umask. */
const privateFilesUmask = 0o077;

async function main(argv: readonly string[]): Promise<void> {
  // A thread shares the process's umask; its launcher restricts the folder.
  if (isMainThread) process.umask(privateFilesUmask);
  guardStandardStreams();
  if (argv[0] === 'migrate') {
    const { runMigration } = await import('./migration/program.js');
    process.exitCode = await runMigration(argv.slice(1));
    return;
  }
  if (operationNames.has(argv[0] ?? '')) {
    const { runOperation } = await import('./operations/program.js');
    process.exitCode = await runOperation(argv);
    return;
  }
  if (argv[0] === 'schema') return showSchema(argv[1]);
  const read = readApiServerOptions(argv);
  if (!read.ok) return refuse(read.errors);
  const { options } = read;
  const text = textAskedFor(options);
  if (text !== null) {
    process.stdout.write(text);
    return;
  }
  const unreadable = unreadableFiles(apiServerFlags, options);
  if (unreadable.length > 0) return refuse(unreadable);
  const { output, ...logging } = loggerOptions(options, { errors: process.stderr, others: process.stdout });
  const log = createLogger(output === null ? logging : { ...logging, output });
  // Buffered output must not be lost with the process.
  if (output !== null) process.on('exit', () => output.flush());
  for (const name of read.withoutEffect) log.warn('option has no effect', { option: `--${name}` });
  for (const closed of closedGates(options)) log.warn(closed);
  // A thread shares the setting with another program's process.
  if (isMainThread) boundHeapGrowth();
  widenBufferPool();
  await run(options, log, logging);
}

function refuse(errors: readonly string[]): void {
  process.stderr.write(`${errors.map((error) => `Error: ${error}\n`).join('')}See apiserver --help.\n`);
  process.exitCode = exitFailure;
}

function showSchema(name = ''): void {
  const schema = configurationSchema(name);
  if (schema !== null) return void process.stdout.write(schema);
  process.stderr.write(
    `usage: apiserver schema KIND\n\nKIND is one of:\n${configurationNames()
      .map((each) => `  ${each}\n`)
      .join('')}`,
  );
  process.exitCode = name === '' ? 0 : exitFailure;
}

function textAskedFor(options: ApiServerOptions): string | null {
  if (options.help) return helpText(apiServerFlags, { program: 'apiserver', about, examples, width: process.stdout.columns ?? 100 });
  return options.version === 'true' || options.version === 'raw' ? versionText(options.version) : null;
}

/** True once the log has the reason of the end. */
let explained = false;

async function run(
  options: ApiServerOptions,
  log: Logger,
  { verbosity, modules }: Pick<LoggerSettings, 'verbosity' | 'modules'>,
): Promise<void> {
  logUnexpectedEnds(log);
  const signalled = firstSignal(log);
  let server: RunningServer | NodeJS.Signals;
  try {
    server = await Promise.race([start(options, log, verbosity), signalled]);
  } catch (error) {
    return endNow(log, 'cannot start', error, false);
  }
  // Nothing is served yet, and the replica's data survive any end.
  if (typeof server === 'string') return process.exit(0);
  if (server.takeConnection !== null) takeHandedConnections(server.takeConnection);
  // `ready` needs no answer here: `failed` reports a failed start.
  server.ready.then(
    () => {
      for (const problem of modules.problems()) log.warn('--vmodule names no part of this program', problem);
      process.send?.('ready');
    },
    () => undefined,
  );
  const outcome = await Promise.race([signalled, server.failed]);
  if (outcome instanceof Error) return endNow(log, 'the replica cannot go on, ending', outcome, !isForeseen(outcome));
  await server.stop();
  process.exit(0);
}

function logUnexpectedEnds(log: Logger): void {
  // Node does not report a process that ends because its event loop is empty.
  process.once('exit', (status) => {
    if (explained) return;
    process.exitCode = status === 0 ? exitFailure : status;
    log.error('ended: nothing was left to wait for, which is a defect', { status });
  });
  // The state is unknown: the other replicas are right, this process perhaps not.
  process.on('uncaughtException', (error: Error) => {
    endNow(log, 'unexpected error, ending', error);
  });
  process.on('unhandledRejection', (reason: unknown) => {
    endNow(log, 'unexpected error, ending', reason);
  });
}

/** Operational errors, as of disks, have codes and need no stack, unlike defects. */
const isForeseen = (error: Error): boolean => typeof (error as NodeJS.ErrnoException).code === 'string';

function start(options: ApiServerOptions, log: Logger, verbosity: Verbosity): Promise<RunningServer> {
  const embedded = options['etcd-servers'].length === 0 && options['storage-backend'] !== 'memory';
  const threads = { 'serving-threads': servingThreadsOf(options) };
  return startServer({ ...options, ...threads }, log, verbosity, embedded ? consensusThread() : undefined);
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process. */
function firstSignal(log: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let seen = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (seen) endNow(log, 'second signal, ending at once', signal, false);
      seen = true;
      explained = true;
      log.info('stopping', { signal });
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Must come last: in a thread, `process.exit` returns, and ends the thread a little later (`deploy/threadLeash.ts`). */
function endNow(log: Logger, event: string, cause: unknown, withStack = true): never {
  explained = true;
  log.error(event, { reason: describeError(cause), ...(withStack && cause instanceof Error ? { stack: cause.stack } : {}) });
  process.exit(exitFailure);
}

void main(process.argv.slice(2));
