import type { JsonObject, JsonValue } from '../../../../api/object.js';
import type { AskedStep, PodState } from '../../area.js';
import { all, of, type Make } from '../../grammar.js';
import type { Random } from '../../random.js';

/** Shared paths, pods and steps. */

export const namespaced = (group: string, resource: string): string =>
  `${group === 'v1' ? '/api/v1' : `/apis/${group}`}/namespaces/\${ns}/${resource}`;

export const pods = namespaced('v1', 'pods');

export const replicaSets = namespaced('apps/v1', 'replicasets');

export const revisions = namespaced('apps/v1', 'controllerrevisions');

export const claims = namespaced('v1', 'persistentvolumeclaims');

export const configMaps = namespaced('v1', 'configmaps');

export const secrets = namespaced('v1', 'secrets');

export const events = namespaced('v1', 'events');

export const merge = 'application/merge-patch+json';

export const quiet = (...paths: readonly string[]): AskedStep => ({ quiet: paths });

const often: readonly PodState[] = ['ready', 'ready', 'ready', 'unready', 'failed', 'succeeded'];

const seldom: readonly PodState[] = ['mixed', 'refused', 'disrupted', 'firstFailed', 'firstRefused', 'firstSucceeded'];

const states: readonly PodState[] = [...often, ...often, ...seldom];

export const lived = (random: Random): AskedStep => ({ pods: random.pick(states) });

const container = all({ name: of('c'), image: of('i:1', 'i:2') });

export const podSpec: Make<JsonObject> = all({
  containers: (random) => [container(random)],
  terminationGracePeriodSeconds: of(0, 1, 30),
});

export const template = (labels: JsonObject, more: JsonObject = {}): Make<JsonObject> =>
  all({ metadata: of({ labels }), spec: (random: Random) => ({ ...podSpec(random), ...more }) });

export const app = { app: 'a' };

export const amount = of(0, 1, 2, '25%', '50%', '100%');

export const barePod = (random: Random, index: number): AskedStep => ({
  do: `POST ${pods}`,
  body: {
    metadata: { name: `p${index}`, labels: random.pick<JsonObject>([app, app, { app: 'b' }]) },
    spec: {
      containers: [{ name: 'c', image: 'i', ports: random.pick<JsonValue>([[], [{ name: 'http', containerPort: 8080 }]]) }],
      ...(random.chance(0.3) ? { hostname: `h${index}`, subdomain: 's' } : {}),
      // Pods with addresses have nodes; ours does not require it.
      nodeName: random.pick(['n-${r}', 'n-${r}', 'n-${r}', 'absent-${r}']),
      terminationGracePeriodSeconds: 0,
    },
  },
  keep: [],
});
