import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { controllerProgram, controllerOf, loadKubeconfig, type ControllerProgram } from '../../controllers/client/index.js';
import { type Deployment, deployments, replicaSets } from '../../api/types/apps/v1.js';
import { namespaces, type Pod, pods } from '../../api/types/core/v1.js';
import { isActive, isReady } from '../../controllers/workloads/podState.js';
import type { Cluster } from '../../deploy/cluster.js';
import type { ManagedProgram } from '../../deploy/managedProgram.js';

const pollMs = 20;

/** The state of a Deployment at one moment. */
export interface Moment {
  readonly active: number;
  readonly available: number;
  /** The sum of its ReplicaSets' sizes. */
  readonly ordered: number;
}

/** A Deployment whose pods and ReplicaSets are watched; the watch resumes when a server is killed, without gaps or repeats. */
export class Rollout {
  readonly #name: string;
  readonly moments: Moment[] = [];
  readonly #program: ControllerProgram;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(cluster: Cluster, name: string) {
    this.#name = name;
    this.#program = controllerProgram(loadKubeconfig(cluster.kubeconfig), {
      name: 'test',
      signal: this.#stopping.signal,
      qps: -1,
      log: () => undefined,
    });
  }

  get #key(): { namespace: string; name: string } {
    return { namespace: this.#name, name: 'web' };
  }

  /** Creates it and waits until it is complete. */
  async create(replicas: number, image: string): Promise<void> {
    const { api, informers } = this.#program.environment;
    await api.create(namespaces, { metadata: { name: this.#name } });
    const spec = {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { labels: { app: 'web' }, annotations: { 'fake-node/ready-after-seconds': '1' } },
        spec: { containers: [{ name: 'c', image }] },
      },
    };
    await api.create(deployments, { metadata: this.#key, spec } as Deployment);
    const look = (): void => {
      this.moments.push(this.#now());
    };
    informers.of(pods).addHandlers({ added: look, changed: look, removed: look });
    informers.of(replicaSets).addHandlers({ added: look, changed: look, removed: look });
    this.#running = this.#program.run();
    await this.until(({ available }) => available === replicas);
  }

  /** Begins a rollout to another image, and clears moments. */
  async change(image: string): Promise<void> {
    this.moments.length = 0;
    await this.retry(() =>
      this.#program.environment.api.patch(deployments, this.#key, {
        type: 'application/json-patch+json',
        body: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }],
      }),
    );
  }

  #pods(): readonly Pod[] {
    return this.#program.environment.informers.of(pods).cache.inNamespace(this.#name);
  }
  podsOf(image: string): readonly Pod[] {
    return this.#pods().filter((pod) => isActive(pod) && pod.spec?.containers?.[0]?.image === image);
  }

  #now(): Moment {
    const active = this.#pods().filter((pod) => isActive(pod) && controllerOf(pod) !== null);
    const sets = this.#program.environment.informers.of(replicaSets).cache.inNamespace(this.#name);
    return {
      active: active.length,
      available: active.filter(isReady).length,
      ordered: sets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0),
    };
  }

  async until(done: (moment: Moment) => boolean): Promise<void> {
    while (!done(this.#now())) await delay(pollMs);
  }

  async finished(image: string): Promise<void> {
    for (;;) {
      const { metadata, spec, status } = await this.retry(() => this.#program.environment.api.get(deployments, this.#key));
      const { observedGeneration, updatedReplicas, replicas, availableReplicas } = status ?? {};
      if (
        observedGeneration === metadata.generation &&
        [updatedReplicas, replicas, availableReplicas].every((count) => count === spec?.replicas) &&
        this.podsOf(image).length === spec?.replicas
      )
        return;
      await delay(pollMs);
    }
  }

  /** Retries a request, whose server may be dying. */
  async retry<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await request();
      } catch {
        await delay(pollMs);
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}

/** The active manager according to its log; waits for one. */
export async function activeManager(cluster: Cluster): Promise<ManagedProgram> {
  for (;;) {
    const leads = cluster.managers.filter(
      ({ running, spec }) => running && fs.readFileSync(spec.log, 'utf8').includes('this manager leads'),
    );
    if (leads[0]) return leads[0];
    await delay(pollMs);
  }
}
