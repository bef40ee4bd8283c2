import { isObject } from '../../api/json/json.js';
import type { Connection } from '../golden/connection.js';
import { itemsAt } from './quiet.js';
import type { PodState } from './area.js';

const json = { 'content-type': 'application/merge-patch+json', accept: 'application/json' };
const since = '2026-01-01T00:00:00Z';

/** Changes pods as their node's kubelet would. */
export async function playKubelet(connection: Connection, namespace: string, state: PodState): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const pods = (await itemsAt(connection, path)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const [index, pod] of pods.entries()) {
    const at = `${path}/${nameOf(pod)}`;
    if (isObject(pod['metadata']) && pod['metadata']['deletionTimestamp'] !== undefined)
      await connection.request({ method: 'DELETE', path: `${at}?gracePeriodSeconds=0`, headers: json });
    else {
      const next = hasEnded(pod) ? null : states[state](index);
      if (next === null) continue;
      await connection.request({
        method: 'PATCH',
        path: `${at}/status`,
        headers: json,
        body: JSON.stringify({ status: statusOf(next, containersOf(pod), index) }),
      });
    }
  }
}

const nameOf = ({ metadata }: Readonly<Record<string, unknown>>): string => (isObject(metadata) ? String(metadata['name']) : '');
const hasEnded = ({ status }: Readonly<Record<string, unknown>>): boolean =>
  isObject(status) && (status['phase'] === 'Failed' || status['phase'] === 'Succeeded');

interface Life {
  readonly phase: 'Running' | 'Failed' | 'Succeeded';
  readonly isReady?: boolean;
  readonly exitCode?: number;
  readonly isDisrupted?: boolean;
}

const failed: Life = { phase: 'Failed', exitCode: 1 };
const refused: Life = { phase: 'Failed', exitCode: 42 };
const succeeded: Life = { phase: 'Succeeded', exitCode: 0 };
const ready: Life = { phase: 'Running', isReady: true };
const first =
  (life: Life) =>
  (index: number): Life | null =>
    index === 0 ? life : null;

/** The new state of a pod, by its index in the namespace; null for no change. */
const states: Readonly<Record<PodState, (index: number) => Life | null>> = {
  ready: () => ready,
  unready: () => ({ phase: 'Running' }),
  failed: () => failed,
  refused: () => refused,
  disrupted: () => ({ ...failed, isDisrupted: true }),
  succeeded: () => succeeded,
  mixed: (index) => (index % 2 === 0 ? ready : failed),
  firstFailed: first(failed),
  firstRefused: first(refused),
  firstSucceeded: first(succeeded),
  gone: () => null,
};

const containersOf = ({ spec }: Readonly<Record<string, unknown>>): string[] => {
  const containers = isObject(spec) && Array.isArray(spec['containers']) ? spec['containers'] : [];
  return containers.filter(isObject).map(({ name }) => String(name));
};

function statusOf({ phase, isReady, exitCode, isDisrupted }: Life, containers: readonly string[], index: number): object {
  const podIP = `10.1.0.${index + 1}`;
  const status = isReady === true ? 'True' : 'False';
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status, lastTransitionTime: since }));
  const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: since };
  const state =
    exitCode === undefined
      ? { running: { startedAt: since } }
      : { terminated: { exitCode, reason: 'X', startedAt: since, finishedAt: since } };
  return {
    phase,
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: since,
    conditions: isDisrupted === true ? [...conditions, disruption] : conditions,
    containerStatuses: containers.map((name) => ({ name, image: 'i', imageID: '', ready: isReady === true, restartCount: 0, state })),
  };
}
