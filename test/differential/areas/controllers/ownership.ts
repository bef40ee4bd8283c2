import type { AskedStep, Sequence } from '../../area.js';
import type { Random } from '../../random.js';
import { configMaps, merge, podSpec, quiet } from './steps.js';

/** Scenarios of owners and of ending namespaces. */

/** A tree of owners, some absent, and its root's deletion. */
export function owners(random: Random): Sequence {
  const names = ['a', 'b', 'c', 'd'] as const;
  const made = names.map((name, index): AskedStep => {
    const parents = names.slice(0, index).filter(() => random.chance(0.5));
    const references = parents.map((parent) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: parent,
      uid: `\${${parent}}`,
      ...(random.chance(0.5) ? { blockOwnerDeletion: true } : {}),
    }));
    const stray = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '11111111-2222-3333-4444-555555555555' };
    const ownerReferences = random.chance(0.15) ? [...references, stray] : references;
    const finalizers = random.chance(0.15) ? ['example.com/a'] : [];
    return {
      do: `POST ${configMaps}`,
      body: { metadata: { name, ownerReferences, finalizers } },
      save: { [name]: '/metadata/uid' },
      keep: [],
    };
  });
  const end = (): AskedStep[] => [
    {
      do: `DELETE ${configMaps}/${random.pick(names)}?propagationPolicy=${random.pick(['Background', 'Foreground', 'Orphan'])}`,
      keep: [],
    },
    quiet(configMaps),
  ];
  return { steps: [...made, quiet(configMaps), ...random.upTo(2, end).flat()] };
}

export function ending(random: Random): Sequence {
  const path = '/api/v1/namespaces/t-${r}';
  const content = (): AskedStep => {
    const name = random.pick(['a', 'b']);
    const finalizers = random.chance(0.4) ? ['example.com/a'] : [];
    return random.pick<AskedStep>([
      { do: `POST ${path}/configmaps`, body: { metadata: { name, finalizers } }, keep: [] },
      { do: `POST ${path}/secrets`, body: { metadata: { name, finalizers } }, keep: [] },
      { do: `POST ${path}/pods`, body: { metadata: { name, finalizers }, spec: podSpec(random) }, keep: [] },
      { do: `POST ${path}/services`, body: { metadata: { name, finalizers }, spec: { clusterIP: 'None' } }, keep: [] },
    ]);
  };
  const seen = quiet(
    '/api/v1/namespaces?fieldSelector=metadata.name=t-${r}',
    `${path}/configmaps`,
    `${path}/secrets`,
    `${path}/pods`,
    `${path}/events`,
  );
  const free: AskedStep = { do: `PATCH ${path}/configmaps/a`, type: merge, body: { metadata: { finalizers: null } }, keep: [] };
  return {
    steps: [
      { do: 'POST /api/v1/namespaces', body: { metadata: { name: 't-${r}' } }, keep: [] },
      ...random.upTo(3, content),
      { do: `DELETE ${path}`, keep: [] },
      // A namespace is emptied five seconds after its deletion.
      { wait: 6_000 },
      seen,
      ...(random.chance(0.5) ? [free, seen] : []),
    ],
  };
}
