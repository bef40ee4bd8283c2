import type { Api } from './client/api.js';
import { pause, type Clock } from './client/clock.js';
import { isAlreadyExists, isNotFound, messageOf, unless } from './client/errors.js';
import type { EventRecorder } from './client/events.js';
import type { KubeObject } from '../api/meta/object.js';
import { microTimeText } from '../api/time.js';
import { resource } from '../api/meta/resource.js';

/**
 * Elects one of several programs through a Lease, like client-go. At most one program believes that it leads while all clocks run at nearly the same rate;
 * they need not agree on the time, because a lease's age counts on the observer's clock since the last observed change. It does not fence: a request sent
 * before the lease expired may be executed after another program took over. (`mayAct`, before each write, and `GatedStream`, before its bytes, prevent later
 * ones.) Controllers tolerate that: writes are conditional on a version or harmless when repeated.
 */

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
    readonly preferredHolder?: string;
  };
}

export const leases = resource<Lease>({ apiVersion: 'coordination.k8s.io/v1', resource: 'leases', kind: 'Lease' });

export interface LeaderElectionOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: () => number;
  /** Unlike that of any other candidate. */
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  /** Time that others wait after the last observed change before they take the lease. */
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** Releases the lease at the end, so that others need not wait for its expiry. Default true. */
  readonly givesBack?: boolean;
  /**
   * Leaves the election to the server (KEP 4355): the lease is only held while it is given to this candidate, and released for a preferred one. Default false.
   */
  readonly isCoordinated?: boolean;
  readonly events?: EventRecorder;
  readonly onError?: (error: unknown) => void;
  /** Called for each new holder. */
  readonly onNewLeader?: (identity: string) => void;
}

/** Spreads the candidates' attempts. They wait for a retry period at most, within which a released lease is taken. */
const jitter = 0.5;
/** The reference's value. */
const faultAfterMs = 20_000;

export class LeaderElector {
  readonly #options: LeaderElectionOptions;
  #lease: Lease | null = null;
  #movedAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #reported = '';
  #over = false;
  /** The lease is promised to another candidate. */
  #yields = false;
  /** The latest attempt, which may outlast leadership. */
  #attempting: Promise<boolean> = Promise.resolve(false);

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  /** Returns whether this program may act now. Checked before every write, because a suspended program notices an expired lease late. */
  get mayAct(): boolean {
    return !this.#over && this.#leads && this.#options.clock.elapsed() - this.#renewedAt < this.#options.renewDeadlineMs;
  }

  /** Returns a fault for health checks if this candidate believes that it leads long after its lease expired; else null. */
  get fault(): string | null {
    const { clock, leaseDurationMs, namespace, name } = this.#options;
    const late = this.#leads && !this.#over && clock.elapsed() - this.#renewedAt > leaseDurationMs + faultAfterMs;
    return late ? `failed election to renew leadership on lease ${namespace}/${name}` : null;
  }

  get #leads(): boolean {
    return this.#lease?.spec?.holderIdentity === this.#options.identity;
  }

  /**
   * Waits for leadership, then calls `lead` with a signal that aborts with the leadership or `signal`. Resolves after `lead`; a lease that is still held is
   * then released. `lost` means an involuntary end.
   */
  async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<'stopped' | 'lost'> {
    if (!(await this.#acquire(signal))) return 'stopped';
    const leading = new AbortController();
    const stop = (): void => leading.abort();
    signal.addEventListener('abort', stop, { once: true });
    const work = lead(leading.signal);
    // Leadership ends with the work.
    const ended = new AbortController();
    void work.then(
      () => ended.abort(),
      () => ended.abort(),
    );
    await this.#renew(AbortSignal.any([signal, ended.signal]));
    const result = signal.aborted || ended.signal.aborted ? 'stopped' : 'lost';
    // A running attempt to renew changes nothing any more.
    this.#over = true;
    leading.abort();
    try {
      await work;
    } finally {
      signal.removeEventListener('abort', stop);
      // The order matters: the next leader must not begin during this one's last steps, and an attempt must not retake the released lease.
      await this.#attempting;
      if (this.#leads && this.#options.givesBack !== false) await this.#release();
    }
    return result;
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, retryPeriodMs, random, events } = this.#options;
    while (!signal.aborted) {
      if (await this.#tryAcquireOrRenew()) {
        if (this.#lease) events?.normal(this.#lease, 'LeaderElection', `${this.#options.identity} became leader`);
        return true;
      }
      await pause(clock, retryPeriodMs * (1 - random() * jitter), signal);
    }
    return false;
  }

  /** Resolves when renewal has failed for the whole deadline, or `signal` aborts. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, retryPeriodMs, renewDeadlineMs, events } = this.#options;
    while (!signal.aborted) {
      await pause(clock, retryPeriodMs, signal);
      if (signal.aborted) return;
      const untilMs = this.#renewedAt + renewDeadlineMs;
      // The deadline also holds for an attempt that hangs longer.
      const renewed = await Promise.race([this.#tryAcquireOrRenew(), pause(clock, untilMs - clock.elapsed(), signal).then(() => false)]);
      if (this.#yields || (!renewed && clock.elapsed() >= untilMs)) {
        if (this.#lease) events?.normal(this.#lease, 'LeaderElection', `${this.#options.identity} stopped leading`);
        return;
      }
    }
  }

  #tryAcquireOrRenew(): Promise<boolean> {
    this.#attempting = this.#tryOnce();
    return this.#attempting;
  }

  async #tryOnce(): Promise<boolean> {
    try {
      return await this.#attempt();
    } catch (error) {
      this.#options.onError?.(error);
      return false;
    }
  }

  /** The attempt counts from before its request: others may see the lease change at any moment after it. */
  async #attempt(): Promise<boolean> {
    const startedAt = this.#options.clock.elapsed();
    if (this.#leads && this.mayAct) {
      const kept = await this.#write(this.#lease, startedAt).catch(() => null);
      if (kept) return true;
    }
    if (await this.#seemsHeld()) return false;
    const found = await unless(isNotFound, this.#options.api.get(leases, this.#options));
    if (!found) return this.#options.isCoordinated ? false : this.#create(startedAt);
    if (this.#over) return false;
    this.#observe(found);
    if (this.#options.isCoordinated) return this.#keepGiven(found, startedAt);
    return !this.#isHeld(found) && (await this.#write(found, startedAt)) !== null;
  }

  /**
   * A waiting candidate's check accepts any version, which costs no messages between servers; an older one makes it wait longer. After its wait, a candidate
   * reads the newest version before it takes the lease.
   */
  async #seemsHeld(): Promise<boolean> {
    const { api, isCoordinated = false } = this.#options;
    if (this.#lease === null || this.#leads || isCoordinated) return false;
    const { namespace, name } = this.#options;
    const seen = await unless(isNotFound, api.get(leases, { namespace, name }, { resourceVersion: '0' }));
    if (seen) this.#observe(seen);
    return seen !== null && this.#isHeld(seen);
  }

  /** Returns whether another candidate holds it, by the observed changes. */
  #isHeld({ spec }: Lease): boolean {
    const holder = spec?.holderIdentity ?? '';
    const free = holder === '' || holder === this.#options.identity;
    return !free && this.#options.clock.elapsed() - this.#movedAt < (spec?.leaseDurationSeconds ?? 0) * 1000;
  }

  /** The elector assigns an expired lease, even if this candidate had it last. */
  async #keepGiven(lease: Lease, startedAt: number): Promise<boolean> {
    const { holderIdentity = '', leaseDurationSeconds = 0, preferredHolder = '' } = lease.spec ?? {};
    if (holderIdentity !== this.#options.identity || this.#options.clock.elapsed() - this.#movedAt > leaseDurationSeconds * 1000)
      return false;
    this.#yields = preferredHolder !== '' && preferredHolder !== holderIdentity;
    return !this.#yields && (await this.#write(lease, startedAt)) !== null;
  }

  async #create(startedAt: number): Promise<boolean> {
    const { api, namespace, name } = this.#options;
    const lease: Lease = { metadata: { namespace, name }, spec: this.#claim(null) };
    const created = await unless(isAlreadyExists, api.create(leases, lease));
    if (created) this.#hold(created, startedAt);
    return created !== null;
  }

  /** Conditional on the seen version: one of two candidates gets a conflict. */
  async #write(lease: Lease | null, startedAt: number): Promise<Lease | null> {
    if (!lease) return null;
    const written = await this.#options.api.update(leases, { ...lease, spec: { ...lease.spec, ...this.#claim(lease) } });
    this.#hold(written, startedAt);
    return written;
  }

  #claim(lease: Lease | null): NonNullable<Lease['spec']> {
    const { clock, identity, leaseDurationMs } = this.#options;
    const now = microTimeText(clock.now());
    const renews = lease?.spec?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.ceil(leaseDurationMs / 1000)),
      acquireTime: renews ? (lease?.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease && !renews ? 1 : 0),
    };
  }

  #hold(lease: Lease, startedAt: number): void {
    this.#observe(lease);
    this.#renewedAt = startedAt;
  }

  #observe(lease: Lease): void {
    const before = this.#lease;
    this.#lease = lease;
    if (before?.metadata.resourceVersion !== lease.metadata.resourceVersion) this.#movedAt = this.#options.clock.elapsed();
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder === this.#reported || holder === '') return;
    this.#reported = holder;
    this.#options.onNewLeader?.(holder);
  }

  /** An empty holder lets the next candidate take over in its next attempt. */
  async #release(): Promise<void> {
    const lease = this.#lease;
    if (!lease) return;
    const now = microTimeText(this.#options.clock.now());
    const { leaseTransitions = 0 } = lease.spec ?? {};
    try {
      await this.#options.api.update(leases, {
        ...lease,
        spec: { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions },
      });
    } catch (error) {
      this.#options.onError?.(new Error(`the lease could not be given back: ${messageOf(error)}`, { cause: error }));
    }
    this.#lease = null;
  }
}
