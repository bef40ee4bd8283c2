import { microTimeText } from '../../api/time.js';
import type { ApiObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import { membersOf, memberAt, textAt } from '../../api/json/members.js';
import type { Registry, WriteOptions } from '../registry/contract.js';
import { ownWrites } from '../registry/ownWrites.js';
import type { Catalogue } from '../registry/resources.js';
import type { Target } from '../registry/target.js';

const group = 'coordination.k8s.io';
const namespace = 'kube-system';
const name = 'leader-election-controller';
const options: WriteOptions = { ...ownWrites, manager: name, timeoutMs: 5_000 };
const releasedSeconds = 1;

export interface CoordinatorOptions {
  readonly registry: Pick<Registry, 'create' | 'update' | 'get'>;
  readonly catalogue: Pick<Catalogue, 'resource'>;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly clock: { readonly now: () => number; readonly elapsed: () => number };
  readonly began: () => void;
  readonly report: (what: string, error: unknown) => void;
}

/**
 * Chooses the server that coordinates elections over one store, by a Lease like client-go: the lease's age counts on the observer's clock since the last
 * observed change. It does not fence: each write of an election is conditional on a version.
 */
export class Coordinator {
  readonly #options: CoordinatorOptions;
  #seen = '';
  #seenAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> = Promise.resolve();
  #holds = false;

  constructor(options: CoordinatorOptions) {
    this.#options = options;
  }

  get coordinates(): boolean {
    return this.#holds && this.#options.clock.elapsed() - this.#renewedAt < this.#options.renewDeadlineMs;
  }

  start(): void {
    const again = (): void => {
      this.#turn = this.turn();
    };
    this.#timer = setInterval(again, this.#options.retryPeriodMs).unref();
    again();
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#turn;
    await this.#release();
  }

  /** Takes or renews the lease where it can be had. Never rejects. */
  async turn(): Promise<void> {
    const { clock, renewDeadlineMs, began, report } = this.#options;
    try {
      if (await this.#take()) {
        const begins = !this.#holds;
        this.#holds = true;
        this.#renewedAt = clock.elapsed();
        if (begins) began();
      } else this.#holds = false;
    } catch (error) {
      if (!(error instanceof StatusError)) report('the lease of the coordinator', error);
      if (this.#holds && clock.elapsed() - this.#renewedAt >= renewDeadlineMs) await this.#release();
    }
  }

  /** Returns whether the lease is held now. Rejects when it cannot be written. */
  async #take(): Promise<boolean> {
    const { clock, identity, leaseDurationMs, registry } = this.#options;
    const target = this.#target;
    if (target === null) return false;
    const now = microTimeText(clock.now());
    const held = { holderIdentity: identity, leaseDurationSeconds: Math.floor(leaseDurationMs / 1000), renewTime: now };
    const current = await this.#lease(target);
    if (current === null) {
      const spec = { ...held, acquireTime: now, leaseTransitions: 0 };
      const made: ApiObject = { apiVersion: `${group}/v1`, kind: 'Lease', metadata: { namespace, name }, spec };
      await registry.create({ ...target, name: '' }, made, options);
      return true;
    }
    const holder = textAt(current, 'spec', 'holderIdentity');
    const version = current.metadata.resourceVersion ?? '';
    if (version !== this.#seen) [this.#seen, this.#seenAt] = [version, clock.elapsed()];
    const durationMs = Number(memberAt(current, 'spec', 'leaseDurationSeconds') ?? 0) * 1000;
    if (holder !== '' && holder !== identity && clock.elapsed() - this.#seenAt < durationMs) return false;
    const transitions = Number(memberAt(current, 'spec', 'leaseTransitions') ?? 0) + 1;
    const taken = holder === identity ? held : { ...held, acquireTime: now, leaseTransitions: transitions };
    await this.#write(target, current, taken);
    return true;
  }

  async #release(): Promise<void> {
    const { identity, clock, report } = this.#options;
    const target = this.#target;
    if (!this.#holds || target === null) return;
    this.#holds = false;
    try {
      const current = await this.#lease(target);
      if (current === null || textAt(current, 'spec', 'holderIdentity') !== identity) return;
      await this.#write(target, current, {
        holderIdentity: '',
        leaseDurationSeconds: releasedSeconds,
        renewTime: microTimeText(clock.now()),
      });
    } catch (error) {
      report('the lease of the coordinator cannot be given back', error);
    }
  }

  /** Rejects with a conflict where another server was faster. */
  async #write(target: Target, current: ApiObject, spec: Readonly<Record<string, string | number>>): Promise<void> {
    const next = { ...current, spec: { ...membersOf(current['spec']), ...spec } };
    const change = { apply: () => structuredClone(next), subresource: '', uid: null, mayCreate: null };
    await this.#options.registry.update(target, change, options);
  }

  async #lease(target: Target): Promise<ApiObject | null> {
    try {
      return (await this.#options.registry.get(target, { at: 'mostRecent' })).decode();
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return null;
      throw error;
    }
  }

  get #target(): Target | null {
    const resource = this.#options.catalogue.resource(group, 'v1', 'leases');
    return resource === null ? null : { resource, namespace, name };
  }
}
