import { strategicPatch } from '../client/api.js';
import { QueueController } from '../client/controller.js';
import { isConflict, isNotFound } from '../client/errors.js';
import { isTerminating, keyOf, keyTextOf, uidOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';

export type Eviction =
  /** Milliseconds that the pod may stay since its time began; Infinity for ever. */
  | { readonly staysMs: number }
  /** End of the permitted time, in milliseconds since 1970; Infinity for ever. */
  | { readonly until: number };

/** Callbacks for a pod whose time is over, or cancelled. */
export interface PodEvents {
  readonly reason: string;
  readonly marked: (key: string) => string;
  readonly cancelled: (key: string) => string;
  /** Whether events name the uid of the pod. */
  readonly withUid: boolean;
}

export interface DeadlineOptions {
  readonly queue: string;
  readonly workers: number;
  readonly judge: (pod: Pod) => Eviction | null;
  readonly event: PodEvents;
  readonly condition: { readonly reason: string; readonly message: string };
  readonly deleted: (lateSeconds: number, pod: Pod) => void;
}

/** Deletes pods when their time is over. It begins with the first reason to evict, and is cancelled when none is left or the pod may stay for ever. */
export class PodDeadlines {
  readonly #environment: ManagerEnvironment;
  readonly #options: DeadlineOptions;
  readonly controller: QueueController;
  readonly #since = new Map<string, { readonly uid: string; readonly at: number }>();

  constructor(environment: ManagerEnvironment, options: DeadlineOptions) {
    this.#environment = environment;
    this.#options = options;
    const { queue, workers } = options;
    this.controller = new QueueController(environment, { name: queue, workers, sync: (key) => this.#sync(key) });
  }

  consider(pod: Pod): void {
    this.controller.queue.add(keyTextOf(pod));
  }

  async #sync(key: string): Promise<void | { readonly againAfterMs: number }> {
    const { clock, informers } = this.#environment;
    const pod = informers.of(pods).cache.get(key);
    const known = this.#since.get(key);
    if (!pod || isTerminating(pod)) {
      this.#since.delete(key);
      return;
    }
    const since = known?.uid === uidOf(pod) ? known.at : null;
    const eviction = this.#options.judge(pod);
    if (eviction === null || lasting(eviction) === Infinity) {
      this.#since.delete(key);
      if (since !== null) this.#tell(pod, this.#options.event.cancelled(key));
      return;
    }
    const now = clock.elapsed();
    const dueAt = 'until' in eviction ? now + eviction.until - clock.now() : (since ?? now) + eviction.staysMs;
    if (dueAt > now) {
      this.#since.set(key, { uid: uidOf(pod), at: since ?? now });
      return { againAfterMs: dueAt - now };
    }
    const isDeleted = await this.#evict(pod, key);
    this.#since.delete(key);
    if (isDeleted) this.#options.deleted((clock.elapsed() - dueAt) / 1000, pod);
  }

  #tell({ metadata: { name, namespace, uid } }: Pod, message: string): void {
    const { reason, withUid } = this.#options.event;
    const metadata = { name, namespace, ...(withUid ? { uid } : {}) };
    this.#environment.events.normal({ apiVersion: 'v1', kind: 'Pod', metadata }, reason, message);
  }

  /** Returns false where the pod is gone already. */
  async #evict(pod: Pod, key: string): Promise<boolean> {
    const { api, clock } = this.#environment;
    this.#tell(pod, this.#options.event.marked(key));
    const { generation } = pod.metadata;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      ...this.#options.condition,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime: timeText(clock.now()),
    };
    const patch = strategicPatch({ metadata: { uid: uidOf(pod) }, status: { conditions: [condition] } });
    // A conflict means that another pod has the name now, which must stay.
    try {
      await api.patch(pods, keyOf(pod), patch, { subresource: 'status' });
      await api.delete(pods, keyOf(pod), { preconditions: { uid: uidOf(pod) } });
      return true;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return false;
      throw error;
    }
  }
}

const lasting = (eviction: Eviction): number => ('until' in eviction ? eviction.until : eviction.staysMs);
