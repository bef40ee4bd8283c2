#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads';
import { helpText } from '../program/flags/help.js';
import { release, versionInfo } from '../program/version.js';
import { guardStandardStreams } from '../program/log/standardStreams.js';
import { messageOf } from './client/errors.js';
import { about, examples } from './about.js';
import { ManagerLog } from './managerLog.js';
import { componentSchema, componentSchemaNames, readComponentFile } from './options/componentFile.js';
import { controllerManagerFlags, type ControllerManagerOptions } from './options/flags.js';
import { keepHeapSmall } from './quietHeap.js';
import { runManager } from './runManager.js';
import { fileErrors, readUsable } from './usableOptions.js';

/** Protects the program's files, including a key, from other users, whatever the shell's umask. */
const privateFilesUmask = 0o077;

/** The reference's exit codes: 0 for requested output and requested stops, 1 for failures and invalid command lines. */
async function main(argv: readonly string[]): Promise<number> {
  guardStandardStreams();
  // A thread shares the process's with others.
  if (isMainThread) process.umask(privateFilesUmask);
  if (argv[0] === 'flags' || argv[0] === 'schema') return tellOfFiles(argv[0], argv[1] ?? '');
  const read = readUsable(argv);
  if (!read.ok) return refuse(read.errors);
  if (describe(read.options)) return 0;
  const errors = fileErrors(read.options);
  if (errors.length > 0) return refuse(errors);
  return run(read.options, new ManagerLog(read.options));
}

function refuse(errors: readonly string[]): number {
  process.stderr.write(`${errors.map((error) => `Error: ${error}\n`).join('')}See controller-manager --help.\n`);
  return 1;
}

function tellOfFiles(command: 'flags' | 'schema', what: string): number {
  if (command === 'flags' && what !== '') return tellOfFile(what);
  const schema = command === 'schema' ? componentSchema(what) : null;
  if (schema !== null) {
    process.stdout.write(schema);
    return 0;
  }
  process.stderr.write(
    `usage: controller-manager flags FILE\n       controller-manager schema KIND\n\nKINDs: ${componentSchemaNames.join(', ')}\n`,
  );
  return what === '' ? 0 : 1;
}

function tellOfFile(file: string): number {
  try {
    const { flags, notes } = readComponentFile(file);
    process.stdout.write(flags.map((flag) => `${flag}\n`).join(''));
    process.stderr.write(notes.map((note) => `${note}\n`).join(''));
    return 0;
  } catch (error) {
    process.stderr.write(`Error: ${messageOf(error)}\n`);
    return 1;
  }
}

/** Prints output requested by options; returns false if a run is requested. */
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

/** The reason for the process's end, once known: the last line of its log. */
let lastWord: string | null = null;

/** Logs the end of this process, whatever its cause. Node itself does not report an end for lack of pending events. */
function announceEnd({ logger }: ManagerLog): void {
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

async function run(options: ControllerManagerOptions, log: ManagerLog): Promise<number> {
  announceEnd(log);
  if (isMainThread) keepHeapSmall();
  try {
    const { status, reason } = await work(options, log);
    lastWord = reason;
    return status;
  } catch (error) {
    lastWord = messageOf(error);
    return 1;
  }
}

async function work(options: ControllerManagerOptions, log: ManagerLog): Promise<{ readonly status: number; readonly reason: string }> {
  const stop = stopRequest(log);
  const result = await runManager({ options, log, cloud: null, signal: stop, serves: () => process.send?.('ready') });
  if (result === 'lost') return { status: 1, reason: 'the lease is lost: another manager may work now' };
  return stop.aborted
    ? { status: 0, reason: 'it was asked to stop' }
    : { status: 1, reason: 'its controllers have all ended by themselves' };
}

/** The first signal stops in order, a second one at once. */
function stopRequest(log: ManagerLog): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) {
        lastWord = 'it was asked to stop twice, and has not waited for what was under way';
        return process.exit(1);
      }
      log.write('info', `stopping on ${signal}`);
      controller.abort();
    });
  }
  return controller.signal;
}

// Does not wait for closing connections, on which nothing depends.
void main(process.argv.slice(2)).then((code) => process.exit(code));
