import { setMaxListeners } from 'node:events';
import { systemClock } from './clock.js';
import { Connection } from './connection.js';
import type { Controller, ControllerEnvironment } from './controller.js';
import type { ContentType } from './encoding.js';
import { messageOf } from './errors.js';
import { EventWriter } from './events.js';
import { Informers } from './informer.js';
import type { ConnectionSettings } from './kubeconfig.js';
import { groupResourceOf } from '../../api/meta/resource.js';
import { RestApi } from './rest.js';
import { throttleFor } from './throttle.js';

export interface ProgramOptions {
  /** The field manager of its writes, and the component of its events. */
  readonly name: string;
  /** Ends the program in order. */
  readonly signal: AbortSignal;
  /** Encoding of requests and responses; JSON by default. */
  readonly contentType?: ContentType;
  /** Requests per second in the long run, and at once after a quiet time; negative for no limit. Watches and lists of informers do not count. */
  readonly qps?: number;
  readonly burst?: number;
  /** Interval of resyncs; never by default. */
  readonly resyncMs?: number;
  readonly log?: (level: 'info' | 'error', message: string) => void;
}

/** A program that runs only controllers: their environment, and a way to run them. */
export interface ControllerProgram {
  readonly environment: ControllerEnvironment;
  /** Runs controllers until the signal aborts. Resolves when no work is left and the connection is closed. */
  run(...controllers: readonly Controller[]): Promise<void>;
}

const defaultQps = 20;
const defaultBurst = 30;
/** Neither connections nor timers of the clock keep a process alive; unfinished work does. */
const awakeMs = 24 * 60 * 60 * 1000;

/** Connects your own controllers to a server. Does not connect before the first request. */
export function controllerProgram(
  settings: ConnectionSettings,
  { name, signal, contentType = 'application/json', qps = defaultQps, burst = defaultBurst, resyncMs, log = logToStderr }: ProgramOptions,
): ControllerProgram {
  const clock = systemClock;
  const random = Math.random;
  // Every request and every watch listens.
  setMaxListeners(0, signal);
  const connection = new Connection(settings, { clock });
  const api = new RestApi({ connection, userAgent: `${name}/1 (${process.platform}/${process.arch})`, clock, signal, contentType });
  const informers = new Informers({
    api,
    clock,
    random,
    ...(resyncMs === undefined ? {} : { resyncMs }),
    onError: (type, error) => log('error', `watch of ${groupResourceOf(type)}: ${messageOf(error)}`),
  });
  const writer = new EventWriter({
    api,
    clock,
    onError: (error) => {
      if (!signal.aborted) log('error', `event: ${messageOf(error)}`);
    },
  });
  const environment = {
    api: api.with({ throttle: throttleFor(qps, { burst }, clock) }),
    informers,
    events: writer.as(name),
    clock,
    random,
    log,
  };
  return {
    environment,
    async run(...controllers) {
      const awake = setInterval(() => undefined, awakeMs);
      try {
        informers.start(signal);
        await Promise.all(controllers.map((controller) => controller.run(signal)));
        await Promise.all([informers.stopped(), writer.flushed()]);
      } finally {
        clearInterval(awake);
        connection.close();
      }
    },
  };
}

function logToStderr(level: 'info' | 'error', message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level === 'info' ? 'I' : 'E'} ${message}\n`);
}
