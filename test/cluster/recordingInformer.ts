import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import type { WatchEvent } from '../fixtures/apiClient.js';

export type Seen = readonly [type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, resourceVersion: string];

/** An informer of the official client with a record of its calls. */
export class RecordingInformer {
  readonly seen: Seen[] = [];
  readonly errors: string[] = [];
  /** Number of lists; more than one means that it lost its version. */
  lists = 0;
  #changed: (() => void)[] = [];
  readonly #informer: ReturnType<typeof makeInformer<V1ConfigMap>>;

  constructor(kubeconfig: string, namespace: string) {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = config.makeApiClient(CoreV1Api);
    this.#informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () => {
      this.lists++;
      return api.listNamespacedConfigMap({ namespace });
    });
    for (const [event, type] of [
      ['add', 'ADDED'],
      ['update', 'MODIFIED'],
      ['delete', 'DELETED'],
    ] as const) {
      this.#informer.on(event, ({ metadata }) => {
        this.seen.push([type, metadata?.name ?? '', metadata?.resourceVersion ?? '']);
        for (const resolve of this.#changed.splice(0)) resolve();
      });
    }
    // Follows the client's documentation: a broken watch is restarted and resumes.
    this.#informer.on('error', (error: unknown) => {
      this.errors.push(String(error));
      setTimeout(() => void this.#informer.start(), 50);
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }
  stop(): Promise<void> {
    return this.#informer.stop();
  }

  async until(done: (seen: readonly Seen[]) => boolean): Promise<void> {
    while (!done(this.seen)) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }
}

export const asSeen = ({ type, object }: WatchEvent): Seen => [type as Seen[0], object.metadata.name, object.metadata.resourceVersion];
