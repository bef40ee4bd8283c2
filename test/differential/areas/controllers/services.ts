import type { JsonObject, JsonValue } from '../../../../api/object.js';
import type { AskedStep, Sequence } from '../../area.js';
import { of, some } from '../../grammar.js';
import type { Random } from '../../random.js';
import { app, barePod, events, lived, merge, namespaced, pods, quiet } from './steps.js';

/** Scenarios of endpoints and endpoint slices. */

export function endpoints(random: Random): Sequence {
  const services = namespaced('v1', 'services');
  const port = some({ name: of('http'), targetPort: of('http', 8080, 9090), appProtocol: of('h2c') }, { port: of(80) });
  const spec = some(
    {
      clusterIP: of('None'),
      publishNotReadyAddresses: of(true),
      internalTrafficPolicy: of('Local'),
      trafficDistribution: of('PreferClose'),
    },
    { ports: (choices: Random): JsonValue => [port(choices)], selector: of(app, app, { app: 'none' }) },
    0.3,
  );
  const seen = quiet(services, namespaced('v1', 'endpoints'), namespaced('discovery.k8s.io/v1', 'endpointslices'), pods, events);
  const change = (): readonly AskedStep[] => [
    random.pick<AskedStep>([
      lived(random),
      { pods: 'gone' },
      { do: `PATCH ${services}/s`, type: merge, body: { spec: { selector: { app: random.pick(['a', 'b']) } } }, keep: [] },
      { do: `PATCH ${services}/s`, type: merge, body: { metadata: { labels: { x: random.pick(['1', '2']) } } }, keep: [] },
      { do: `PATCH ${pods}/p0`, type: merge, body: { metadata: { labels: { app: 'b' } } }, keep: [] },
      { do: `DELETE ${services}/s`, keep: [] },
    ]),
    seen,
  ];
  const service: AskedStep = { do: `POST ${services}`, body: { metadata: { name: 's' }, spec: spec(random) }, keep: [] };
  const all = random.times(1 + random.below(3), (index) => barePod(random, index));
  const node: AskedStep = { do: 'POST /api/v1/nodes', body: { metadata: { name: 'n-${r}' } }, keep: [] };
  return { steps: [node, service, ...all, lived(random), seen, ...random.upTo(3, change).flat()] };
}

export function mirrored(random: Random): Sequence {
  const path = namespaced('v1', 'endpoints');
  const seen = quiet(path, namespaced('discovery.k8s.io/v1', 'endpointslices'));
  const subsets = (): JsonValue =>
    random.times(random.below(3), (index) => ({
      addresses: [{ ip: `10.2.${index}.1` }, ...(random.chance(0.5) ? [{ ip: `10.2.${index}.2`, hostname: 'h' }] : [])],
      ...(random.chance(0.4) ? { notReadyAddresses: [{ ip: `10.3.${index}.1` }] } : {}),
      ports: [{ port: 80 + index, name: `p${index}` }],
    }));
  const annotations = random.pick<JsonObject>([{}, { a: 'b' }, { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }]);
  const labels = random.pick<JsonObject>([{}, { a: 'b' }, { 'endpointslice.kubernetes.io/skip-mirror': 'true' }]);
  return {
    steps: [
      { do: `POST ${namespaced('v1', 'services')}`, body: { metadata: { name: 'e' }, spec: { ports: [{ port: 80 }] } }, keep: [] },
      { do: `POST ${path}`, body: { metadata: { name: 'e', annotations, labels }, subsets: subsets() }, keep: [] },
      seen,
      ...random
        .upTo(2, (): AskedStep[] => [
          { do: `PUT ${path}/e`, body: { metadata: { name: 'e', annotations, labels }, subsets: subsets() }, keep: [] },
          seen,
        ])
        .flat(),
    ],
  };
}
