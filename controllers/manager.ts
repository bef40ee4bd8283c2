import { setMaxListeners } from 'node:events';
import { AccountTokens } from './accounts.js';
import { controllerCatalogue, isEnabled, isWanted, type ControllerEntry } from './catalogue.js';
import type { CloudProvider } from './cloud/provider.js';
import { pause, type Clock } from './client/clock.js';
import { Connection } from './client/connection.js';
import { jsonType, protobufType } from './client/encoding.js';
import type { Controller, ControllerEnvironment } from './client/controller.js';
import { StoppedError, messageOf } from './client/errors.js';
import { EventWriter } from './client/events.js';
import { Informers } from './client/informer.js';
import type { ConnectionSettings } from './client/kubeconfig.js';
import { groupResourceOf } from '../api/meta/resource.js';
import { RestApi, type ObservedRequest } from './client/rest.js';
import { throttleFor } from './client/throttle.js';
import { Candidacy } from './leaseCandidate.js';
import { LeaderElector } from './leaderElection.js';
import type { Features } from '../program/features/chosen.js';
import type { ManagerGate } from '../program/features/gates.js';
import { placeOf, type LeaderMigration } from './options/migration.js';
import type { ControllerManagerOptions } from './options/flags.js';
import type { Checks } from './serving/checks.js';
import type { Metrics } from './serving/metrics.js';
import { stopped } from './stopping.js';

export interface ManagerOptions {
  readonly options: ControllerManagerOptions;
  readonly settings: ConnectionSettings;
  readonly rootCa: string | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly identity: string;
  readonly version: string;
  /** The emulated release, `major.minor.patch`. */
  readonly emulationVersion: string;
  readonly metrics: Metrics;
  readonly checks: Checks;
  readonly features: Features;
  /** Controllers that move between programs; null for none. */
  readonly migration?: LeaderMigration | null;
  readonly cloud?: CloudProvider;
  /** Receives each request and each sync of a key, for debugging. */
  readonly trace?: Trace;
  readonly log: (level: 'info' | 'error', message: string) => void;
}

export interface Trace {
  readonly request: (request: ObservedRequest) => void;
  readonly work: NonNullable<ControllerEnvironment['traced']>;
  readonly start?: (names: readonly string[]) => void;
}

const program = 'kube-controller-manager';
/** Controllers stop in milliseconds; longer waits are in vain. */
const stopGraceMs = 5_000;

/** A lease, and the controllers that run while it is held. */
interface Election {
  readonly name: string;
  readonly check: string;
  /** True when the server elects among candidates, including this manager. */
  readonly isCoordinated?: boolean;
  readonly entries: readonly ControllerEntry[];
  /** Called once the lease is held. */
  readonly leads?: () => void;
}

function idle(signal: AbortSignal, log: ManagerOptions['log']): Promise<void> {
  log('info', 'no controller is enabled, so nothing will be done');
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Runs the controllers, while this manager leads, until `signal` aborts. `lost` means that another may lead, and the process should end. */
export class Manager {
  readonly #manager: ManagerOptions;
  readonly #connection: Connection;
  readonly #api: RestApi;

  constructor(manager: ManagerOptions) {
    this.#manager = manager;
    const { settings, clock, metrics, options } = manager;
    this.#connection = new Connection(settings, { clock });
    const { host } = new URL(settings.server);
    // CBOR without its feature gate is replaced by JSON, as in the reference.
    const contentType = options['kube-api-content-type'] === protobufType ? protobufType : jsonType;
    this.#api = new RestApi({
      connection: this.#connection,
      userAgent: this.#userAgent('leader-election'),
      clock,
      observe: (request) => {
        metrics.request({ ...request, host });
        manager.trace?.request(request);
      },
      retries: 0,
      contentType,
    });
  }

  /** The API as this program itself, without limits, for requests that must not wait. */
  get api(): RestApi {
    return this.#api;
  }

  async run(signal: AbortSignal): Promise<'stopped' | 'lost'> {
    try {
      if (!this.#manager.options['leader-elect']) {
        await this.#lead(this.#enabled(), signal, () => true);
        return 'stopped';
      }
      return await (this.#manager.features.enabled('CoordinatedLeaderElection') ? this.#standAndElect(signal) : this.#electAll(signal));
    } finally {
      this.#connection.close();
    }
  }

  /** Announces a candidate while this program's lease is requested or held. Leases of migrating controllers are elected without candidates. */
  async #standAndElect(signal: AbortSignal): Promise<'stopped' | 'lost'> {
    const { options, clock, random, identity, version, emulationVersion, checks, log } = this.#manager;
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const candidacy = new Candidacy({
      api: this.#api.with({ signal: either }),
      clock,
      random,
      identity,
      namespace: options['leader-elect-resource-namespace'],
      leaseName: options['leader-elect-resource-name'],
      binaryVersion: version.replace(/^v/, ''),
      emulationVersion,
      onError: (error) => {
        if (!either.aborted) log('error', `candidate for the lease: ${messageOf(error)}`);
      },
    });
    checks.add('informer-sync', () => (candidacy.hasSynced ? null : 'it is not known which candidates for the lease the server has'));
    const standing = candidacy.run(either);
    try {
      return await this.#electAll(signal);
    } finally {
      over.abort();
      await standing;
    }
  }

  /** Migrating controllers have their own lease, requested once the other is held; losing one gives up both. */
  async #electAll(signal: AbortSignal): Promise<'stopped' | 'lost'> {
    const { options, migration = null } = this.#manager;
    const name = options['leader-elect-resource-name'];
    const placed = (place: 'moves' | 'stays'): readonly ControllerEntry[] =>
      this.#enabled().filter((entry) => placeOf(entry, migration) === place);
    const isCoordinated = this.#manager.features.enabled('CoordinatedLeaderElection');
    const main = { name, check: 'leaderElection', isCoordinated, entries: placed('stays') };
    if (migration === null) return this.#elect(main, signal);
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    // Both elections, and every request of theirs, listen.
    setMaxListeners(0, either);
    let leads: () => void = () => undefined;
    const leading = new Promise<void>((resolve) => {
      leads = resolve;
      either.addEventListener('abort', () => resolve(), { once: true });
    });
    const ended = async (part: Promise<'stopped' | 'lost'>): Promise<'stopped' | 'lost'> => {
      try {
        return await part;
      } finally {
        over.abort();
      }
    };
    const results = await Promise.all([
      ended(this.#elect({ ...main, leads }, either)),
      ended(leading.then(() => this.#elect({ name: migration.leaseName, check: 'leaderMigration', entries: placed('moves') }, either))),
    ]);
    return results.includes('lost') ? 'lost' : 'stopped';
  }

  async #elect({ name, check, entries, leads, isCoordinated = false }: Election, signal: AbortSignal): Promise<'stopped' | 'lost'> {
    const { options, clock, random, identity, metrics, checks, log } = this.#manager;
    const renewDeadlineMs = options['leader-elect-renew-deadline'];
    const api = this.#api.with({ timeoutMs: renewDeadlineMs / 2 });
    const writer = new EventWriter({ api, clock, onError: (error) => log('error', `event: ${messageOf(error)}`) });
    const elector = new LeaderElector({
      api,
      clock,
      random,
      identity,
      renewDeadlineMs,
      name,
      namespace: options['leader-elect-resource-namespace'],
      leaseDurationMs: options['leader-elect-lease-duration'],
      retryPeriodMs: options['leader-elect-retry-period'],
      // The lease is released by default, which costs nothing.
      givesBack: options['feature-gates']['ControllerManagerReleaseLeaderElectionLockOnExit'] !== 'false',
      isCoordinated,
      events: writer.as(program),
      onError: (error) => {
        if (!signal.aborted) log('error', `leader election: ${messageOf(error)}`);
      },
      onNewLeader: (holder) =>
        log('info', `${holder === identity ? 'this manager' : holder} leads${check === 'leaderMigration' ? ` ${name}` : ''}`),
    });
    checks.add(check, () => elector.fault);
    const lead = async (leading: AbortSignal): Promise<void> => {
      metrics.leading(name, true);
      leads?.();
      await this.#lead(entries, leading, () => elector.mayAct);
      metrics.leading(name, false);
    };
    const result = await elector.run(lead, signal);
    await writer.flushed();
    return result;
  }

  /** Starts the controllers; resolves when all have stopped, with no request left. */
  async #lead(entries: readonly ControllerEntry[], signal: AbortSignal, mayAct: () => boolean): Promise<void> {
    const { options, settings, clock, random, metrics, log, features, trace } = this.#manager;
    // Every request and every watch listens.
    setMaxListeners(0, signal);
    const mayWrite = (): void => {
      if (!mayAct()) throw new StoppedError('this manager does not hold the lease any more');
    };
    const api = this.#api.with({ signal, mayWrite, retries: 10 });
    const connection = this.#leaderConnection(settings, mayWrite, signal);
    const throttled = (account: string, { qps = 1, burst = 1 }: ControllerEntry['rateMultiples'] = {}): RestApi =>
      api.with({
        connection,
        userAgent: this.#userAgent(account),
        throttle: throttleFor(options['kube-api-qps'] * qps, { burst: options['kube-api-burst'] * burst }, clock),
      });
    const watchApi = api.with({ userAgent: this.#userAgent('shared-informers') });
    const informers = new Informers({
      api: watchApi,
      clock,
      random,
      resyncMs: options['min-resync-period'],
      watchesLists: features.enabled('WatchListClient'),
      onError: (type, error) => log('error', `watch of ${groupResourceOf(type)}: ${messageOf(error)}`),
    });
    const events = new EventWriter({
      api: throttled('events'),
      clock,
      onError: (error) => {
        if (!signal.aborted) log('error', `event: ${messageOf(error)}`);
      },
    });
    const account = 'tokens-controller';
    const unthrottled = api.with({ connection, userAgent: this.#userAgent(account) });
    const identity = this.#identities(entries, { api: throttled(account), unthrottled }, mayWrite, signal);
    const controllers = entries.flatMap((entry) => {
      const controllerLog = (level: 'info' | 'error', message: string): void => {
        if (!signal.aborted) log(level, message);
      };
      const own = throttled(entry.account, entry.rateMultiples);
      const environment = {
        api: entry.actsAsManager ? own : identity(entry, own),
        watchApi,
        informers,
        events: events.as(entry.component ?? entry.account),
        clock,
        random,
        log: controllerLog,
        metrics: metrics.queue,
        measures: metrics.measures,
        cloud: this.#manager.cloud ?? null,
        options,
        isOn: (feature: ManagerGate) => features.enabled(feature),
        ...(trace ? { traced: trace.work } : {}),
        rootCa: this.#manager.rootCa,
      };
      const controller = entry.make(environment);
      return controller ? [[entry.name, controller] as const] : [];
    });
    if (controllers.length === 0) return idle(signal, log);
    informers.start(signal);
    log('info', `starting ${controllers.map(([name]) => name).join(', ')}`);
    trace?.start?.(controllers.map(([, { name }]) => name));
    const parts = controllers.map(([name, controller], index) => [name, this.#runOne(name, controller, index, signal)] as const);
    const left = new Set(['informers', 'events', ...parts.map(([name]) => name)]);
    const over = async (name: string, part: Promise<void>): Promise<void> => {
      await part;
      left.delete(name);
    };
    const work = Promise.all(parts.map(([name, part]) => over(name, part))).then(() =>
      Promise.all([over('informers', informers.stopped()), over('events', events.flushed())]),
    );
    await stopped(work, {
      signal,
      clock,
      graceMs: stopGraceMs,
      onLate: () => log('error', `not waiting any longer for ${[...left].join(', ')}`),
    });
  }

  async #runOne(name: string, controller: Controller, index: number, signal: AbortSignal): Promise<void> {
    const { options, clock, metrics, checks } = this.#manager;
    await pause(clock, options['controller-start-interval'] * index, signal);
    if (signal.aborted) return;
    metrics.running(name, true);
    let over = false;
    const remove = checks.add(name, () => (over ? `${name} has ended` : null));
    try {
      await controller.run(signal);
    } finally {
      over = true;
      metrics.running(name, false);
      if (signal.aborted) remove();
    }
  }

  #enabled(): readonly ControllerEntry[] {
    const { options, features } = this.#manager;
    const environment = { features, explicit: new Set(Object.keys(options['feature-gates'])), cloudProvider: options['cloud-provider'] };
    return controllerCatalogue.filter((entry) => isEnabled(entry, options.controllers) && isWanted(entry, environment));
  }

  /** Each controller writes as its own account with `--use-service-account-credentials`, without a client certificate. */
  #identities(
    entries: readonly ControllerEntry[],
    own: { readonly api: RestApi; readonly unthrottled: RestApi },
    mayWrite: () => void,
    signal: AbortSignal,
  ): (entry: ControllerEntry, api: RestApi) => RestApi {
    const { options, settings, clock, log } = this.#manager;
    if (!options['use-service-account-credentials']) return (_, api) => api;
    const tokens = new AccountTokens({ ...own, clock, signal, onError: (message) => log('error', message) });
    void tokens.prepare(entries.filter(({ actsAsManager }) => actsAsManager !== true).map(({ account }) => account));
    const { cert: _, key: __, token: ___, ...anonymous } = settings;
    const connection = this.#leaderConnection(anonymous, mayWrite, signal);
    return ({ account }, api) =>
      api.with({
        connection,
        headers: async () => ({ authorization: `Bearer ${await tokens.of(account)}` }),
        unauthorized: () => tokens.forget(account),
      });
  }

  /** Controllers' writes use connections that break when the lease expires. */
  #leaderConnection(settings: ConnectionSettings, mayPass: () => void, signal: AbortSignal): Connection {
    const connection = new Connection(settings, { clock: this.#manager.clock, mayPass });
    signal.addEventListener('abort', () => setImmediate(() => connection.close()), { once: true });
    return connection;
  }

  #userAgent(account: string): string {
    return `${program}/${this.#manager.version} (${process.platform}/${process.arch}) ${account}`;
  }
}
