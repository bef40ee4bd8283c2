import type { Informer } from '../../../controllers/client/index.js';
import type { Pod } from '../../../api/types/core/v1.js';
import { Latencies } from '../../fixtures/latencies.js';

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';

/** The time from the request for a pod until a watcher sees it run, for pods that the bench creates itself, and the number of running pods. */
export class PodStarts {
  readonly latencies = new Latencies();
  readonly #requested = new Map<string, number>();
  #running = 0;
  #count = 0;

  constructor(informer: Informer<Pod>) {
    informer.addHandlers({
      added: (pod) => this.#see(pod, false),
      changed: (before, after) => this.#see(after, isRunning(before)),
      removed: (pod) => {
        if (isRunning(pod)) this.#running -= 1;
      },
    });
  }

  get running(): number {
    return this.#running;
  }

  /** Pods whose start was seen. */
  get count(): number {
    return this.#count;
  }

  /** Must be called when the pod is requested. */
  expect(name: string): void {
    this.#requested.set(name, performance.now());
  }

  #see(pod: Pod, ranBefore: boolean): void {
    if (!isRunning(pod)) {
      if (ranBefore) this.#running -= 1;
      return;
    }
    if (!ranBefore) this.#running += 1;
    const name = pod.metadata.name ?? '';
    const from = this.#requested.get(name);
    if (from === undefined) return;
    this.#requested.delete(name);
    this.latencies.add(performance.now() - from);
    this.#count += 1;
  }
}
