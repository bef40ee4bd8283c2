import { randomUUID } from 'node:crypto';
import { addresses } from '../kinds/core/service/claims.js';
import type { PortRange } from '../kinds/core/service/ranges.js';
import { PortRepair, repairServiceClaims, type Repaired } from '../kinds/core/service/repair.js';
import type { Logger } from '../../program/log/logger.js';
import type { Storage } from '../storage/contract.js';

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
 * Repairs claims on addresses and node ports to match the services: at the start, and every three minutes where other programs claim ports as well, which may
 * end between a claim and its service. A server that cannot repair claims still serves; the next repair tries again.
 */
export class ClaimRepairs {
  readonly #ports: PortRepair | null;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: ClaimRepairOptions) {
    const { storage, ports } = options;
    this.#ports = ports === null ? null : new PortRepair({ storage, range: ports });
  }

  /** Resolves after the first repair. */
  async begin(): Promise<void> {
    const { storage, now } = this.options;
    await this.#attempt(this.#ports === null ? ['addresses', 'ports'] : ['addresses'], () =>
      repairServiceClaims({ storage, now: now(), newUid: randomUUID, ...(this.#ports === null ? {} : { claimed: [addresses] }) }),
    );
    const ports = this.#ports;
    if (ports === null) return;
    const turn = (): Promise<void> => this.#attempt(['ports'], () => ports.turn());
    await turn();
    this.stop();
    this.#timer = setInterval(() => void turn(), intervalMs).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #attempt(what: readonly ('addresses' | 'ports')[], repair: () => Promise<Repaired>): Promise<void> {
    const { log } = this.options;
    try {
      const { added, removed } = await repair();
      if (added + removed > 0) log.info('repaired claims on addresses and ports', { added, removed });
    } catch (error) {
      for (const each of what) this.options.failed(each);
      log.warn('cannot check claims on addresses and ports', { error });
    }
  }
}
