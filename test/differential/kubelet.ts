import { isObject } from '../../api/json/json.js';
import type { Connection } from '../golden/connection.js';
import { itemsAt } from './quiet.js';
import type { PodState } from './area.js';

const json = { 'content-type': 'application/merge-patch+json', accept: 'application/json' };
const since = '2026-01-01T00:00:00Z';

/** Brings pods into a state, as the kubelet of a node that has them would. */
export async function playKubelet(connection: Connection, namespace: string, state: PodState): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const pods = (await itemsAt(connection, path)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const [index, pod] of pods.entries()) {
    const at = `${path}/${nameOf(pod)}`;
    if (isObject(pod['metadata']) && pod['metadata']['deletionTimestamp'] !== undefined)
      await connection.request({ method: 'DELETE', path: `${at}?gracePeriodSeconds=0`, headers: json });
    else if (state !== 'gone' && !hasEnded(pod))
      await connection.request({
        method: 'PATCH',
        path: `${at}/status`,
        headers: json,
        body: JSON.stringify({ status: statusOf(state, index) }),
      });
  }
}

const nameOf = ({ metadata }: Readonly<Record<string, unknown>>): string => (isObject(metadata) ? String(metadata['name']) : '');
const hasEnded = ({ status }: Readonly<Record<string, unknown>>): boolean =>
  isObject(status) && (status['phase'] === 'Failed' || status['phase'] === 'Succeeded');

function statusOf(state: Exclude<PodState, 'gone'>, index: number): object {
  const isReady = state === 'ready' ? 'True' : 'False';
  const podIP = `10.1.0.${index + 1}`;
  return {
    phase: { ready: 'Running', unready: 'Running', failed: 'Failed', succeeded: 'Succeeded' }[state],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: since,
    conditions: ['Ready', 'ContainersReady'].map((type) => ({ type, status: isReady, lastTransitionTime: since })),
  };
}
