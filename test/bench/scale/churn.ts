import { setTimeout as delay } from 'node:timers/promises';
import {
  ConnectionError,
  isAlreadyExists,
  isNotFound,
  isServerTimeout,
  mergePatch,
  unless,
  type ControllerEnvironment,
} from '../../../controllers/client/index.js';
import { deployments } from '../../../api/types/apps/v1.js';
import { configMaps, namespaces, pods } from '../../../api/types/core/v1.js';
import type { Cluster } from '../../../deploy/cluster.js';
import { inBatches } from '../batches.js';
import type { PodStarts } from './podStarts.js';

/** Loads during the time in which the cluster is held: each resolves with what it took. */

/** Seconds for which a pod of the churn lives. */
const lifeSeconds = 10;
const pollMs = 100;
const emptied = 'emptied';
export const rolled = 'rolled';

/** Repeats a request that fails because its server is killed or elects a leader. */
async function persistently<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ConnectionError || isServerTimeout(error))) throw error;
      await delay(pollMs);
    }
  }
}

/** Makes `perSecond` pods for so many seconds, and deletes each after its life. Resolves once all are deleted. */
export async function makeAndDelete(
  { api }: ControllerEnvironment,
  starts: PodStarts,
  rate: { perSecond: number; seconds: number },
): Promise<void> {
  const total = rate.perSecond * rate.seconds;
  const lives: Promise<void>[] = [];
  const begun = performance.now();
  for (let index = 0; index < total; index += 1) {
    await delay(Math.max(0, begun + (index * 1_000) / rate.perSecond - performance.now()));
    lives.push(live(index));
  }
  await Promise.all(lives);

  async function live(index: number): Promise<void> {
    const name = `churn-${index}`;
    starts.expect(name);
    const pod = { metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    await persistently(() => unless(isAlreadyExists, api.create(pods, pod)));
    await delay(lifeSeconds * 1_000);
    await persistently(() => unless(isNotFound, api.delete(pods, { namespace: 'default', name }, { gracePeriodSeconds: 1 })));
  }
}

/** Replaces all pods of the Deployment behind the Service. Resolves with the seconds until all new ones are available. */
export async function roll({ api }: ControllerEnvironment, namespace: string): Promise<number> {
  const begun = performance.now();
  const body = { spec: { template: { metadata: { annotations: { rolled: 'once' } } } } };
  const { metadata, spec } = await persistently(() => api.patch(deployments, { namespace, name: rolled }, mergePatch(body)));
  const wanted = spec?.replicas ?? 0;
  for (;;) {
    const { status } = await persistently(() => api.get(deployments, { namespace, name: rolled }, { resourceVersion: '0' }));
    const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status ?? {};
    if (observedGeneration >= (metadata.generation ?? 0) && [updatedReplicas, availableReplicas, replicas].every((each) => each === wanted))
      return (performance.now() - begun) / 1_000;
    await delay(pollMs);
  }
}

export async function fill({ api }: ControllerEnvironment, objects: number): Promise<void> {
  await api.create(namespaces, { metadata: { name: emptied } });
  await inBatches(objects, (index) => api.create(configMaps, { metadata: { name: `m${index}`, namespace: emptied }, data: { k: 'v' } }));
}

/** Deletes the namespace. Resolves with the seconds until it is gone. */
export async function empty({ api }: ControllerEnvironment): Promise<number> {
  const begun = performance.now();
  await persistently(() => api.delete(namespaces, { namespace: '', name: emptied }));
  while (await persistently(() => unless(isNotFound, api.get(namespaces, { namespace: '', name: emptied })))) await delay(pollMs);
  return (performance.now() - begun) / 1_000;
}

/** Kills the leader of the replicas, and starts it again after a while. Resolves with the seconds until it is ready again. */
export async function killLeader({ api }: ControllerEnvironment, cluster: Cluster): Promise<number> {
  const { leaderId } = await api.read<{ readonly leaderId: string }>('/raft/v1/status');
  const leader = cluster.members.find(({ id }) => id === leaderId);
  if (leader === undefined) throw new Error('the replicas have no leader');
  await leader.process.kill('SIGKILL');
  await delay(lifeSeconds * 1_000);
  const begun = performance.now();
  await leader.restart();
  await leader.waitReady();
  return (performance.now() - begun) / 1_000;
}
