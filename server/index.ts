/**
 * The entry point of `server`: an API server in the calling process. Only programs and tests see what is behind it.
 *
 * @module raftplane/server
 */
import { createLogger } from '../program/log/logger.js';
import { readApiServerOptions } from './options/read.js';
import { loggerOptions } from '../program/log/options.js';
import type { RunningServer } from './process/runningServer.js';
import { startServer } from './server.js';

export type { RunningServer } from './process/runningServer.js';

/**
 * Starts an API server with the command line options of `apiserver` (docs/options.md): `--storage-backend=memory`. It logs to the standard streams, as
 * configured. Resolves once requests are served; rejects, with nothing left running, for contradictory or unusable options.
 */
export function startApiServer(args: readonly string[]): Promise<RunningServer> {
  const read = readApiServerOptions(args);
  if (!read.ok) return Promise.reject(new RangeError(read.errors.join('\n')));
  const { output, ...logging } = loggerOptions(read.options, { errors: process.stderr, others: process.stdout });
  const log = createLogger(output === null ? logging : { ...logging, output });
  return startServer(read.options, log, logging.verbosity);
}
