import { randomUUID } from 'node:crypto';
import { addresses } from '../serviceAddresses/claims.js';
import type { PortRange } from '../serviceAddresses/ranges.js';
import { claimMissing, PortRepair, repairServiceClaims, services, type Repaired } from '../serviceAddresses/repair.js';
import type { Logger } from '../../program/log/logger.js';
import type { Storage, StoredObject } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';

export interface ClaimRepairOptions {
  readonly storage: Storage;
  readonly log: Logger;
  /** RFC 3339 with seconds. */
  readonly now: () => string;
  /** The range of node ports for the reference's bitmap; null where each port has an object. */
  readonly ports: PortRange | null;
  /** Receives the subject of a failed repair. */
  readonly failed: (what: 'addresses' | 'ports') => void;
}

/** The interval of kube-apiserver. */
const intervalMs = 3 * 60_000;

/**
 * Repairs claims on addresses and node ports to match the services: all at the start, a service's addresses on each change, and ports every three minutes
 * where other programs claim them as well. Another program may write into the store, or end between a claim and its service. A failure waits for the next
 * repair.
 */
export class ClaimRepairs {
  readonly #options: ClaimRepairOptions;
  readonly #ports: PortRepair | null;
  #timer: NodeJS.Timeout | null = null;
  #following: Following | null = null;
  readonly #changed = new Map<string, StoredObject>();
  #working: Promise<void> | null = null;

  constructor(options: ClaimRepairOptions) {
    this.#options = options;
    const { storage, ports } = options;
    this.#ports = ports === null ? null : new PortRepair({ storage, range: ports });
  }

  /** Resolves after the first repair. */
  async begin(): Promise<void> {
    const { storage, now } = this.#options;
    await this.#attempt(this.#ports === null ? ['addresses', 'ports'] : ['addresses'], () =>
      repairServiceClaims({ storage, now: now(), newUid: randomUUID, ...(this.#ports === null ? {} : { claimed: [addresses] }) }),
    );
    this.#following ??= follow(storage, services, {
      put: (service) => {
        this.#changed.set(`${service.namespace}/${service.name}`, service);
        this.#working ??= this.#claimChanged();
      },
      remove: (namespace, name) => {
        this.#changed.delete(`${namespace}/${name}`);
      },
    });
    const ports = this.#ports;
    if (ports === null) return;
    const turn = (): Promise<void> => this.#attempt(['ports'], () => ports.turn());
    await turn();
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = setInterval(() => void turn(), intervalMs).unref();
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#following?.stop();
    this.#following = null;
    this.#changed.clear();
    await this.#working;
  }

  async #claimChanged(): Promise<void> {
    const { storage, now } = this.#options;
    for (const [key, service] of this.#changed) {
      this.#changed.delete(key);
      await this.#attempt(['addresses'], async () => {
        return { added: await claimMissing({ storage, now: now(), newUid: randomUUID }, service), removed: 0 };
      });
    }
    this.#working = null;
  }

  async #attempt(what: readonly ('addresses' | 'ports')[], repair: () => Promise<Repaired>): Promise<void> {
    const { log } = this.#options;
    try {
      const { added, removed } = await repair();
      if (added + removed > 0) log.info('repaired claims on addresses and ports', { added, removed });
    } catch (error) {
      for (const each of what) this.#options.failed(each);
      log.warn('cannot check claims on addresses and ports', { error });
    }
  }
}
