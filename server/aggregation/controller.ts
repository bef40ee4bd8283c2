import type { ApiObject, JsonObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import type { Registry, WriteOptions } from '../registry/contract.js';
import type { ServedResource } from '../registry/resources.js';
import type { ApiService, ApiServices } from './apiServices.js';
import { sameAvailability, withAvailability, type Availability } from './availability.js';
import { check, type CheckParts } from './checks.js';

export interface AvailabilityOptions extends CheckParts {
  readonly services: ApiServices;
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly writes: WriteOptions;
  /** RFC 3339 with seconds. */
  readonly now: () => string;
  readonly report: (name: string, error: unknown) => void;
  /** Receives an extension server's resource list; null when unavailable or removed. */
  readonly discovered: (name: string, resources: readonly JsonObject[] | null) => void;
}

const availableMs = 15_000;
const unavailableMs = 1_000;

/** Writes the availability of each API service. Every server checks itself, because it needs the connection and the resource list. */
export class AvailabilityController {
  readonly #options: AvailabilityOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #busy = new Set<string>();
  readonly #dirty = new Set<string>();
  #stopped = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    options.services.onChange((name) => {
      this.#look(name);
    });
    for (const { name } of options.services.all()) this.#look(name);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Runs one check at a time per service; a change meanwhile starts another. */
  #look(name: string): void {
    if (this.#stopped) return;
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    if (this.#busy.has(name)) {
      this.#dirty.add(name);
      return;
    }
    const service = this.#options.services.get(name);
    if (service === null) {
      this.#options.discovered(name, null);
      return;
    }
    // A local one needs no check, as nearly all.
    if (service.target === null && service.availability?.reason === 'Local') return;
    this.#busy.add(name);
    void this.#settle(service).finally(() => {
      this.#busy.delete(name);
      if (this.#dirty.delete(name)) this.#look(name);
    });
  }

  async #settle(service: ApiService): Promise<void> {
    const { name } = service;
    try {
      const { availability, resources } = await check(service, this.#options);
      // The result of an earlier state is discarded.
      if (this.#options.services.get(name) === null) return;
      if (service.target !== null) this.#options.discovered(name, resources);
      if (!sameAvailability(service.availability, availability)) await this.#write(service, availability);
      if (service.target !== null) this.#lookAgain(name, availability.status === 'True' ? availableMs : unavailableMs);
    } catch (error) {
      this.#options.report(name, error);
      this.#lookAgain(name, unavailableMs);
    }
  }

  #lookAgain(name: string, afterMs: number): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#look(name);
    }, afterMs);
    timer.unref();
    this.#timers.set(name, timer);
  }

  async #write({ name }: ApiService, availability: Availability): Promise<void> {
    const { registry, resource, writes, now } = this.#options;
    const apply = (current: ApiObject | null): ApiObject => withAvailability(current ?? { metadata: {} }, availability, now());
    await registry
      .update({ resource, namespace: '', name }, { apply, subresource: 'status', uid: null, mayCreate: null }, writes)
      .catch((error: unknown) => {
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      });
  }
}
