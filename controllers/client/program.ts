import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { systemClock } from './clock.js';
import { Connection } from './connection.js';
import type { Controller, ControllerEnvironment } from './controller.js';
import type { ContentType } from './encoding.js';
import { messageOf, StoppedError } from './errors.js';
import { EventWriter } from './events.js';
import { Informers } from './informer.js';
import type { ConnectionSettings } from './kubeconfig.js';
import { LeaderElector, type LeaderElectionOptions } from '../leaderElection.js';
import { groupResourceOf } from '../../api/meta/resource.js';
import { RestApi } from './rest.js';
import { throttleFor } from './throttle.js';

export interface ProgramOptions {
  /** The field manager of writes, and the component of events. */
  readonly name: string;
  /** Ends the program in order. */
  readonly signal: AbortSignal;
  /** Encoding of requests and responses; JSON by default. */
  readonly contentType?: ContentType;
  /** Requests per second in the long run, and burst after an idle time; negative for no limit. Informers' watches and lists do not count. */
  readonly qps?: number;
  readonly burst?: number;
  /** Interval of resyncs; never by default. */
  readonly resyncMs?: number;
  readonly log?: (level: 'info' | 'error', message: string) => void;
}

export interface ControllerProgram {
  readonly environment: ControllerEnvironment;
  /** Runs controllers until the signal aborts. Resolves after the work, with the connection closed. */
  run(...controllers: readonly Controller[]): Promise<void>;
  /**
   * Waits for a Lease, and runs controllers while holding it; refuses their writes once it may have expired. Releases it when the signal aborts. `lost` means
   * that the process should exit and be restarted.
   */
  runAsLeader(lease: LeaderTerms, ...controllers: readonly Controller[]): Promise<'stopped' | 'lost'>;
}

/** The Lease for which several copies of a program compete. */
export interface LeaderTerms extends Pick<LeaderElectionOptions, 'namespace' | 'name'> {
  /** Unlike that of any other copy; random by default. */
  readonly identity?: string;
  /** 15, 10 and 2 seconds by default, as in client-go. */
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
}

const defaultQps = 20;
const defaultBurst = 30;
/** Connections and timers keep no process alive; unfinished work does. */
const awakeMs = 24 * 60 * 60 * 1000;

/** Connects your own controllers to a server, at the first request. */
export function controllerProgram(
  settings: ConnectionSettings,
  { name, signal, contentType = 'application/json', qps = defaultQps, burst = defaultBurst, resyncMs, log = logToStderr }: ProgramOptions,
): ControllerProgram {
  const clock = systemClock;
  const random = Math.random;
  // Every request and every watch listens.
  setMaxListeners(0, signal);
  const connection = new Connection(settings, { clock });
  let mayWrite = (): void => undefined;
  const client = { connection, userAgent: `${name}/1 (${process.platform}/${process.arch})`, clock, contentType };
  const api = new RestApi({ ...client, signal, mayWrite: () => mayWrite() });
  const informers = new Informers({
    ...{ api, clock, random },
    ...(resyncMs === undefined ? {} : { resyncMs }),
    onError: (type, error) => log('error', `watch of ${groupResourceOf(type)}: ${messageOf(error)}`),
  });
  const report = (error: unknown): void => (signal.aborted ? undefined : log('error', `event: ${messageOf(error)}`));
  const writer = new EventWriter({ api, clock, onError: report });
  const throttled = api.with({ throttle: throttleFor(qps, { burst }, clock) });
  const environment = { api: throttled, informers, events: writer.as(name), clock, random, log };
  const run = async (controllers: readonly Controller[], until: AbortSignal): Promise<void> => {
    informers.start(until);
    await Promise.all(controllers.map((controller) => controller.run(until)));
    await Promise.all([informers.stopped(), writer.flushed()]);
  };
  return {
    environment,
    run: (...controllers) => whileAwake(run(controllers, signal), connection),
    runAsLeader(lease, ...controllers) {
      const elector = electorFor(lease, { ...client, random });
      mayWrite = demandingLease(elector, lease);
      return whileAwake(
        elector.run((leading) => run(controllers, leading), signal),
        connection,
      );
    },
  };
}

const demandingLease =
  (elector: LeaderElector, { namespace, name }: LeaderTerms) =>
  (): void => {
    if (!elector.mayAct) throw new StoppedError(`the lease ${namespace}/${name} is not held`);
  };

async function whileAwake<T>(work: Promise<T>, connection: Connection): Promise<T> {
  const timer = setInterval(() => undefined, awakeMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    connection.close();
  }
}

type ElectorTerms = ConstructorParameters<typeof RestApi>[0] & Pick<LeaderElectionOptions, 'random' | 'clock'>;

/** Its requests outlive the program's signal, because the Lease is released after the end of the work. */
function electorFor(lease: LeaderTerms, { random, ...client }: ElectorTerms): LeaderElector {
  const { clock } = client;
  return new LeaderElector({ ...usualLease, ...lease, identity: lease.identity ?? randomUUID(), api: new RestApi(client), clock, random });
}

const usualLease = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

function logToStderr(level: 'info' | 'error', message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level === 'info' ? 'I' : 'E'} ${message}\n`);
}
