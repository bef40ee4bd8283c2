import type { JsonObject } from '../../../../api/object.js';
import type { AskedStep, Sequence } from '../../area.js';
import type { Random } from '../../random.js';
import { configMaps, events, merge, namespaced, quiet, secrets } from './steps.js';

/** Scenarios of service accounts and aggregated roles. */

/** The defaults of a namespace and its accounts, and their restoration. */
export function accounts(random: Random): Sequence {
  const path = namespaced('v1', 'serviceaccounts');
  const token = (name: string): AskedStep => ({
    do: `POST ${secrets}`,
    body: {
      metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    },
    keep: [],
  });
  const seen = quiet(path, secrets, configMaps, events);
  const act = (): readonly AskedStep[] => [
    random.pick<AskedStep>([
      { do: `DELETE ${path}/default`, keep: [] },
      { do: `DELETE ${path}/a`, keep: [] },
      { do: `POST ${path}`, body: { metadata: { name: 'a' } }, keep: [] },
      token(random.pick(['a', 'default', 'absent'])),
      { do: `DELETE ${configMaps}/kube-root-ca.crt`, keep: [] },
      { do: `PATCH ${configMaps}/kube-root-ca.crt`, type: merge, body: { data: { 'ca.crt': 'x', more: 'y' } }, keep: [] },
      { do: `PATCH ${secrets}/token`, type: merge, body: { data: { token: null } }, keep: [] },
      { do: `PATCH ${path}/a`, type: merge, body: { secrets: [{ name: 'token' }] }, keep: [] },
    ]),
    seen,
  ];
  return { steps: [{ do: `POST ${path}`, body: { metadata: { name: 'a' } }, keep: [] }, seen, ...random.upTo(4, act).flat()] };
}

/** Aggregated roles. */
export function aggregated(random: Random): Sequence {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const rule = (): JsonObject => ({
    apiGroups: [''],
    resources: [random.pick(['pods', 'secrets'])],
    verbs: [random.pick(['get', 'list'])],
  });
  const part = (name: string): AskedStep => ({
    do: `POST ${path}`,
    body: { metadata: { name: `${name}-\${r}`, labels: { sum: random.pick(['${r}', '${r}', 'none']) } }, rules: random.upTo(2, rule) },
    keep: [],
  });
  const seen = quiet(`${path}?fieldSelector=metadata.name=s-\${r}`);
  const act = (): readonly AskedStep[] => [
    random.pick<AskedStep>([
      { do: `PATCH ${path}/a-\${r}`, type: merge, body: { metadata: { labels: { sum: random.pick(['${r}', null]) } } }, keep: [] },
      { do: `PATCH ${path}/s-\${r}`, type: merge, body: { rules: [rule()] }, keep: [] },
      { do: `DELETE ${path}/a-\${r}`, keep: [] },
      part('c'),
    ]),
    seen,
  ];
  return {
    steps: [
      part('b'),
      part('a'),
      {
        do: `POST ${path}`,
        body: { metadata: { name: 's-${r}' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sum: '${r}' } }] }, rules: [] },
        keep: [],
      },
      seen,
      ...random.upTo(3, act).flat(),
    ],
  };
}
