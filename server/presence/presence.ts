import type { ApiObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import { untilNext } from '../../program/files/inStep.js';
import type { Registry, WriteOptions } from '../registry/contract.js';
import type { Target } from '../registry/target.js';
import { ownWrites } from '../registry/ownWrites.js';
import { noDeleteOptions } from '../registry/deletion.js';
import type { Catalogue, ServedResource } from '../registry/resources.js';
import type { Storage, StoredObject, Version } from '../storage/contract.js';
import { DamagedValueError } from '../storage/encoding.js';
import type { ExpiryClock } from '../storage/expiry.js';
import { follow, type Following } from '../storage/follow.js';
import { machineClock } from './machineClock.js';
import type { MasterLeases } from './masterLeases.js';
import {
  isForgotten,
  leaseName,
  leaseOf,
  readLease,
  serverLeases,
  type ReadLease,
  type ServerAddress,
  type ServerIdentity,
} from './serverLease.js';
import { addressesIn, countedAddresses, endpointsFor, says, sliceFor, service } from './serviceEndpoints.js';

export interface PresenceOptions {
  readonly storage: Pick<Storage, 'watch'>;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly identity: ServerIdentity;
  /** Whether this server maintains the service's endpoints. */
  readonly reconciles: boolean;
  /** The number of servers, each writing only its own address (`master-count`); null lists live ones. */
  readonly count?: number | null;
  /** Leases of kube-apiservers that share the store, or null. */
  readonly masters?: MasterLeases | null;
  readonly clock?: ExpiryClock;
  readonly report: (what: string, error: unknown) => void;
}

export const renewIntervalMs = 7_000;
/**
 * Returns the delay of the next renewal: 0.5 to 1.5 intervals. All servers renew at the same moments, by their clocks, so that their writes share a round of
 * the store and a sync.
 */
export const nextTurnMs = (nowMs: number): number => untilNext(nowMs, renewIntervalMs);
/** Time after which a server without renewal is gone; the lease duration of the reference's reconciler. */
export const goneAfterMs = 15_000;
const writeTimeoutMs = 5_000;
const endpoints = { group: '', version: 'v1', resource: 'endpoints' } as const;
const options: WriteOptions = { ...ownWrites, timeoutMs: writeTimeoutMs };

interface Seen {
  readonly lease: ReadLease;
  readonly version: Version;
  readonly movedAt: number;
}

/** Renews this server's lease, and maintains the API service's endpoints. See DESIGN.md. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #seen = new Map<string, Seen>();
  readonly #following: Following;
  readonly #clock: ExpiryClock;
  #known = false;
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> | null = null;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? machineClock;
    const { group, resource, namespace } = serverLeases;
    this.#following = follow(
      options.storage,
      { group, resource },
      {
        put: (object) => {
          if (object.namespace === namespace && object.name.startsWith('apiserver-')) this.#look(object);
        },
        remove: (where, name) => {
          if (where === namespace) this.#seen.delete(name);
        },
      },
    );
  }

  start(): void {
    void this.turn();
    this.#turnLater();
  }

  #turnLater(): void {
    this.#timer = setTimeout(() => {
      void this.turn();
      this.#turnLater();
    }, nextTurnMs(this.#clock.now())).unref();
  }

  /** Removes this server's lease, if still possible. */
  async stop(): Promise<void> {
    const started = this.#timer !== null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#turn;
    const own = leaseName(this.#options.identity);
    this.#seen.delete(own);
    if (started) await this.#attempt('the lease of this server', () => this.#delete(own));
    const { masters = null, identity } = this.#options;
    // Another server on this machine may have the same address.
    if (started && masters !== null && !this.#alive().some(({ ip }) => ip === identity.address.ip))
      await this.#attempt('the address of this server', () => masters.remove());
    if (started && this.#options.reconciles) await this.#attempt('endpoints of the API', () => this.#leave());
    this.#following.stop();
    masters?.stop();
  }

  /** Renews and reconciles once. Turns do not overlap. */
  turn(): Promise<void> {
    this.#turn ??= this.#renewAndReconcile().finally(() => {
      this.#turn = null;
    });
    return this.#turn;
  }

  async #renewAndReconcile(): Promise<void> {
    const { masters = null } = this.#options;
    await Promise.all([this.#following.synced, masters?.synced]);
    this.#known = true;
    if (masters !== null) await this.#attempt('the address of this server', () => masters.renew());
    const lease = leaseOf(this.#options.identity, this.#clock.now());
    await this.#attempt('the lease of this server', () => this.#put(serverLeases, lease, () => false));
    for (const [name, { lease: other }] of this.#seen) {
      if (isForgotten(other, this.#clock.now())) await this.#attempt('the lease of a server that is gone', () => this.#delete(name));
    }
    if (this.#options.reconciles) await this.#attempt('endpoints of the API', async () => this.#reconcile(await this.#present()));
  }

  /** Removes this server from the endpoints, unless it is the only one. */
  async #leave(): Promise<void> {
    const { identity, count = null } = this.#options;
    const others = count === null ? this.#addresses() : (await this.#listed()).filter(({ ip }) => ip !== identity.address.ip);
    if (others.length > 0) await this.#reconcile(others);
  }

  async #present(): Promise<readonly ServerAddress[]> {
    const { identity, count = null } = this.#options;
    if (count === null) return this.#addresses();
    const listed = (await this.#listed()).map(({ ip }) => ip);
    return countedAddresses(listed, identity.address.ip, count).map((ip) => ({ ...identity.address, ip }));
  }

  async #listed(): Promise<readonly ServerAddress[]> {
    const target = this.#target(endpoints, service.namespace, service.name);
    if (target === null) return [];
    const current = await this.#options.registry.get(target, { at: 'any' }).then((stored) => stored.decode(), absentAs(null));
    return addressesIn(current).map((ip) => ({ ...this.#options.identity.address, ip }));
  }

  async #reconcile(servers: readonly ServerAddress[]): Promise<void> {
    await this.#attempt('endpoints of the API', () => this.#put(endpoints, endpointsFor(servers), says));
    await this.#attempt('endpoint slice of the API', () =>
      this.#put({ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' }, sliceFor(servers), says),
    );
  }

  /** Returns servers of both programs. Kube-apiservers report only an address, and are assumed at our port. */
  #addresses(): readonly ServerAddress[] {
    const alive = this.#alive();
    const known = new Set(alive.map(({ ip }) => ip));
    const { port } = this.#options.identity.address;
    const others = this.#options.masters?.ips().filter((ip) => !known.has(ip)) ?? [];
    return [...alive, ...others.map((ip) => ({ ip, port }))];
  }

  #alive(): readonly ServerAddress[] {
    const since = this.#clock.elapsed() - goneAfterMs;
    return [...this.#seen.values()].filter(({ movedAt }) => movedAt > since).map(({ lease }) => lease.address);
  }

  #look(object: StoredObject): void {
    const { name, version } = object;
    const before = this.#seen.get(name);
    if (before?.version === version) return;
    const lease = readIfPossible(object);
    if (lease === null) return;
    const age = this.#known || lease.renewedAt === null ? 0 : Math.max(0, this.#clock.now() - lease.renewedAt);
    this.#seen.set(name, { lease, version, movedAt: this.#clock.elapsed() - age });
  }

  /** The next turn retries a failure. */
  async #attempt(what: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof StatusError && expected.has(error.code))) this.#options.report(what, error);
    }
  }

  async #put(
    type: { readonly group: string; readonly version: string; readonly resource: string },
    wanted: ApiObject,
    isThere: (current: ApiObject, wanted: ApiObject) => boolean,
  ): Promise<void> {
    const target = this.#target(type, wanted.metadata.namespace ?? service.namespace, wanted.metadata.name ?? '');
    if (target === null) return;
    const { registry } = this.#options;
    const current = await registry
      .get(target, { at: 'any' })
      .then((stored) => stored.decode(), absentAs(null))
      .catch(async (error: unknown) => {
        // Unreadable ones can be replaced, since only servers write them.
        if (!(error instanceof DamagedValueError)) throw error;
        await registry.deleteUnreadable(target, options);
        return null;
      });
    if (current === null) {
      await registry.create({ ...target, name: '' }, structuredClone(wanted), options);
      return;
    }
    if (isThere(current, wanted)) return;
    const apply = (latest: ApiObject | null): ApiObject => merged(latest ?? current, wanted);
    await registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, options);
  }

  async #delete(name: string): Promise<void> {
    const target = this.#target(serverLeases, serverLeases.namespace, name);
    if (target !== null) await this.#options.registry.delete(target, noDeleteOptions, options).then(() => {}, absentAs(undefined));
  }

  #target(
    { group, version, resource }: { readonly group: string; readonly version: string; readonly resource: string },
    namespace: string,
    name: string,
  ): Target | null {
    const served: ServedResource | null = this.#options.catalogue.resource(group, version, resource);
    return served === null ? null : { resource: served, namespace, name };
  }
}

/** Another server was faster, or storage accepts no writes now. */
const expected: ReadonlySet<number> = new Set([409, 429, 503, 504]);

const absentAs =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof StatusError && error.code === 404) return value;
    throw error;
  };

const merged = (current: ApiObject, wanted: ApiObject): ApiObject => {
  const { labels, annotations } = wanted.metadata;
  return {
    ...current,
    ...wanted,
    metadata: {
      ...current.metadata,
      ...(labels && { labels: { ...current.metadata.labels, ...labels } }),
      ...(annotations && { annotations: { ...current.metadata.annotations, ...annotations } }),
    },
  };
};

/** An unreadable lease names no server. */
function readIfPossible(object: StoredObject): ReadLease | null {
  try {
    return readLease(object.decode());
  } catch {
    return null;
  }
}
