import { expect } from 'chai';
import type { ControllerRevision, StatefulSet, StatefulSetSpec, StatefulSetStatus } from '../../../../api/types/apps/v1.js';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '../../../../api/types/core/v1.js';
import { holds, holdsExactly, patchOf } from '../../../../controllers/revisions/history.js';
import { newPod } from '../../../../controllers/statefulset/identity.js';
import { plan, type Action, type Observed } from '../../../../controllers/statefulset/plan.js';
import { withOwners } from '../../../../controllers/statefulset/retention.js';
import { holdsInSubstance } from '../../../../controllers/statefulset/semantic.js';
import { newRevision, revisionsToDelete, updateRevision } from '../../../../controllers/statefulset/revisions.js';

const start = Date.UTC(2026, 0, 1);
const template = (image: string): PodTemplateSpec => ({ metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image }] } });
const revision = (name: string, image: string, number: number): ControllerRevision => ({
  metadata: { name, uid: `u-${name}` },
  data: patchOf(template(image)),
  revision: number,
});
const [old, fresh] = [revision('web-old', 'img:1', 1), revision('web-new', 'img:2', 2)];

const set = (spec: Partial<StatefulSetSpec> = {}, status: Partial<StatefulSetStatus> = {}): StatefulSet => ({
  metadata: { name: 'web', namespace: 'n', uid: 'u-web', generation: 1 },
  spec: {
    replicas: 3,
    serviceName: 'svc',
    selector: { matchLabels: { app: 'x' } },
    template: template('img:2'),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
  status: status as StatefulSetStatus,
});
const claims: Partial<StatefulSetSpec> = { volumeClaimTemplates: [{ metadata: { name: 'data', labels: { vl: 'v' } } }] };

/** `0` ready at the new revision; suffixes: o old, p pending, n not ready, f failed, s succeeded, t terminating, j just became ready. */
function pods(of: StatefulSet, words: string): Pod[] {
  return words
    .split(' ')
    .filter((word) => word)
    .map((word) => {
      const ordinal = Number.parseInt(word, 10);
      const has = (letter: string): boolean => word.includes(letter);
      const made = newPod(of, template(has('o') ? 'img:1' : 'img:2'), has('o') ? 'web-old' : 'web-new', ordinal);
      const phase = has('p') ? 'Pending' : has('f') ? 'Failed' : has('s') ? 'Succeeded' : 'Running';
      const ready = phase === 'Running' && !has('n');
      return {
        ...made,
        metadata: { ...made.metadata, uid: `u-${ordinal}`, ...(has('t') ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}) },
        status: {
          phase,
          conditions: [
            {
              type: 'Ready',
              status: ready ? 'True' : 'False',
              lastTransitionTime: has('j') ? '2026-01-01T00:00:00Z' : '2025-01-01T00:00:00Z',
            },
          ],
        },
      };
    });
}

function observed(of: StatefulSet, words: string, known: readonly PersistentVolumeClaim[] = []): Observed {
  return {
    set: of,
    pods: pods(of, words),
    claimOf: (name) => known.find(({ metadata }) => metadata.name === name),
    current: old,
    update: fresh,
    collisions: 0,
    now: start,
  };
}
const word = (action: Action): string =>
  `${action.do} ${action.pod.metadata.name?.slice(4) ?? ''}${action.do === 'create' ? ` ${action.pod.metadata.labels?.['controller-revision-hash']?.slice(4) ?? ''}` : ''}`;
const steps = (of: StatefulSet, words: string): string =>
  plan(observed(of, words))
    .stages.map((stage) => stage.map(word).join(', '))
    .join(' | ');

describe('the plan of a StatefulSet', () => {
  const parallel: Partial<StatefulSetSpec> = { podManagementPolicy: 'Parallel' };
  const rolling = (rollingUpdate: object): Partial<StatefulSetSpec> => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  const cases: readonly (readonly [string, StatefulSet, string, string])[] = [
    ['in order: makes the first', set(), '', 'create 0 new'],
    ['in order: waits for one that is pending', set(), '0p', ''],
    ['in order: waits for one that is not ready', set(), '0 1n', ''],
    ['in order: waits for one that is not ready for long enough', set({ minReadySeconds: 10 }), '0j', ''],
    ['in order: goes on once one is ready', set(), '0 1', 'create 2 new'],
    ['in order: fills a gap before anything else', set(), '0 2o', 'create 1 new'],
    ['in order: deletes a failed one', set(), '0f 1 2', 'delete 0'],
    ['in order: deletes one that succeeded', set(), '0 1s 2', 'delete 1'],
    ['in order: waits for a failed one that is going', set(), '0ft 1 2', ''],
    ['in order: begins at the start ordinal', set({ ordinals: { start: 5 } }), '5 0', 'create 6 new'],
    ['in order: removes the highest alone', set({ replicas: 1 }), '0 1 2', 'delete 2'],
    ['in order: waits for its end', set({ replicas: 1 }), '0 1 2t', ''],
    ['in order: does not remove while another is not well', set({ replicas: 1 }), '0n 1 2', ''],
    ['in order: removes one that is not well when it is the first', set({ replicas: 1 }), '0 1 2n', 'delete 2'],
    ['in order: waits when a lower one that goes is not well', set({ replicas: 1 }), '0 1n 2n', ''],
    ['in order: what is below the start goes last', set({ replicas: 1, ordinals: { start: 1 } }), '0 1', 'delete 0'],
    ['in order: scales before it updates', set({ replicas: 2 }), '0o 1o 2o', 'delete 2'],
    ['in order: updates the highest first', set(), '0o 1o 2o', 'delete 2'],
    ['in order: and then the next', set(), '0o 1o 2', 'delete 1'],
    ['in order: waits for the one that goes', set(), '0o 1o 2ot', ''],
    ['in order: waits for one that is not well even of the old template', set(), '0on 1o 2o', ''],
    ['in order: updates down to the partition', set(rolling({ partition: 2 })), '0o 1o 2', ''],
    ['in order: what is below the partition comes back as it was', set(rolling({ partition: 2 })), '1o 2', 'create 0 old'],
    ['in order: what is above comes back new', set(rolling({ partition: 1 })), '0o 2o', 'create 1 new'],
    ['OnDelete: updates nothing', set({ updateStrategy: { type: 'OnDelete' } }), '0o 1o 2o', ''],
    ['OnDelete: what someone deleted comes back new', set({ updateStrategy: { type: 'OnDelete' } }), '0o 2o', 'create 1 new'],
    ['parallel: makes all at once', set(parallel), '', 'create 0 new, create 1 new, create 2 new'],
    ['parallel: removes all at once', set({ ...parallel, replicas: 1 }), '0 1n 2', 'delete 2, delete 1'],
    ['parallel: still updates one by one', set(parallel), '0o 1o 2o', 'delete 2'],
    ['parallel: replaces a broken old one', set(parallel), '0o 1o 2on', 'delete 2'],
    ['parallel: waits for a new one that is not well', set(parallel), '0o 1o 2n', ''],
    [
      'several at once: as many as may be unavailable',
      set({ ...parallel, ...rolling({ maxUnavailable: 2 }) }),
      '0o 1o 2o',
      'delete 2, delete 1',
    ],
    ['several at once: less those that are unavailable', set({ ...parallel, ...rolling({ maxUnavailable: 2 }) }), '0o 1o 2n', 'delete 1'],
    ['several at once: none beyond', set({ ...parallel, ...rolling({ maxUnavailable: 2 }) }), '0o 1n 2t', ''],
    [
      'several at once: what is broken and old costs nothing',
      set({ ...parallel, ...rolling({ maxUnavailable: 1 }) }),
      '0o 1on 2o',
      'delete 1',
    ],
    ['several at once: at least one of a small share', set({ ...parallel, ...rolling({ maxUnavailable: '10%' }) }), '0o 1o 2o', 'delete 2'],
    [
      'several at once: not below the partition',
      set({ ...parallel, ...rolling({ maxUnavailable: 3, partition: 2 }) }),
      '0o 1o 2o',
      'delete 2',
    ],
    ['nothing to do', set(), '0 1 2', ''],
  ];
  for (const [what, of, words, wanted] of cases) it(`${what}: ${words}`, () => expect(steps(of, words)).to.equal(wanted));

  it('does nothing for a set that goes away', () => {
    const going = set();
    expect(steps({ ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, '0f')).to.equal('');
  });

  it('makes a pod with its name, labels, domain and claim', () => {
    const of = set(claims);
    const [action] = plan(observed(of, '')).stages.flat();
    expect(action).to.deep.equal({
      do: 'create',
      ending: [],
      claims: [{ metadata: { name: 'data-web-0', namespace: 'n', labels: { vl: 'v', app: 'x' } } }],
      pod: {
        metadata: {
          generateName: 'web-',
          name: 'web-0',
          namespace: 'n',
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u-web', controller: true, blockOwnerDeletion: true },
          ],
          labels: {
            app: 'x',
            'statefulset.kubernetes.io/pod-name': 'web-0',
            'apps.kubernetes.io/pod-index': '0',
            'controller-revision-hash': 'web-new',
          },
        },
        spec: {
          containers: [{ name: 'c', image: 'img:2' }],
          hostname: 'web-0',
          subdomain: 'svc',
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
        },
      },
    });
  });

  it('makes claims that a pending pod lacks, and waits for those that still have to go', () => {
    const of = set({ ...claims, replicas: 1 });
    expect(plan(observed(of, '0p')).stages.flat().map(word)).to.deep.equal(['claim 0']);
    const ending = { metadata: { name: 'data-web-0', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(plan(observed(of, '', [ending])).stages.flat()[0]).to.deep.include({ do: 'create', claims: [], ending: ['data-web-0'] });
  });

  it('waits with a pod whose claim goes with its predecessor', () => {
    const of = set({ ...claims, replicas: 1, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } });
    const stale = {
      metadata: { name: 'data-web-0', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'u-former' }] },
    };
    expect(plan(observed(of, '', [stale])).stages).to.deep.equal([]);
  });

  it('corrects labels and volumes that someone changed', () => {
    const of = set({ ...claims, replicas: 1 });
    const [right] = pods(of, '0');
    if (!right) throw new Error('no pod');
    const wrong: Pod = {
      ...right,
      metadata: { ...right.metadata, labels: { app: 'x', 'controller-revision-hash': 'web-new' } },
      spec: { ...right.spec, volumes: [{ name: 'other' }] },
    };
    const { stages } = plan({ ...observed(of, '', [{ metadata: { name: 'data-web-0' } }]), pods: [wrong] });
    expect(stages).to.deep.equal([
      [
        {
          do: 'correct',
          claims: [],
          pod: {
            ...right,
            spec: { ...right.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }, { name: 'other' }] },
          },
        },
      ],
    ]);
  });

  it('gives claims their owners before it removes pods', () => {
    const of = set({
      ...claims,
      replicas: 1,
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
    });
    const known = [0, 1].map((ordinal) => ({ metadata: { name: `data-web-${ordinal}` } }));
    expect(plan(observed(of, '0 1', known)).stages.map((stage) => stage.map(word))).to.deep.equal([['own 1'], ['delete 1']]);
  });

  const counters: readonly (readonly [string, StatefulSet, string, object])[] = [
    [
      'counts',
      set({}, { conditions: [{ type: 'Mine', status: 'True' }] }),
      '0 1n 2t',
      {
        replicas: 3,
        readyReplicas: 2,
        availableReplicas: 2,
        currentReplicas: 0,
        updatedReplicas: 2,
        currentRevision: 'web-old',
        updateRevision: 'web-new',
        collisionCount: 0,
        observedGeneration: 1,
        conditions: [{ type: 'Mine', status: 'True' }],
      },
    ],
    [
      'ready but not available',
      set({ minReadySeconds: 10 }),
      '0j',
      {
        replicas: 1,
        readyReplicas: 1,
        availableReplicas: 0,
        currentReplicas: 0,
        updatedReplicas: 1,
        currentRevision: 'web-old',
        updateRevision: 'web-new',
        collisionCount: 0,
        observedGeneration: 1,
      },
    ],
    [
      'one about to be updated',
      set(),
      '0o 1o 2o',
      {
        replicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        currentReplicas: 2,
        updatedReplicas: 0,
        currentRevision: 'web-old',
        updateRevision: 'web-new',
        collisionCount: 0,
        observedGeneration: 1,
      },
    ],
    [
      'updated throughout',
      set(),
      '0 1 2',
      {
        replicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        currentReplicas: 3,
        updatedReplicas: 3,
        currentRevision: 'web-new',
        updateRevision: 'web-new',
        collisionCount: 0,
        observedGeneration: 1,
      },
    ],
    [
      'OnDelete never moves on',
      set({ updateStrategy: { type: 'OnDelete' } }),
      '0 1 2',
      {
        replicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        currentReplicas: 0,
        updatedReplicas: 3,
        currentRevision: 'web-old',
        updateRevision: 'web-new',
        collisionCount: 0,
        observedGeneration: 1,
      },
    ],
  ];
  for (const [what, of, words, wanted] of counters)
    it(`status: ${what}`, () => expect(plan(observed(of, words)).status).to.deep.equal(wanted));

  it('looks again when a pod becomes available by the passing of time', () =>
    expect(plan(observed(set({ minReadySeconds: 10 }), '0j')).againAfterMs).to.equal(10_000));
});

describe('the owners of claims', () => {
  const own = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u-web', controller: true, blockOwnerDeletion: true };
  const ofPod = (ordinal: number): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    name: `web-${ordinal}`,
    uid: `u-${ordinal}`,
    controller: true,
    blockOwnerDeletion: true,
  });
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u-c' };
  const owned = (references: readonly object[]): PersistentVolumeClaim => ({
    metadata: { name: 'data-web-1', ownerReferences: references as never },
  });
  const retention = (whenDeleted: string, whenScaled: string, replicas: number): StatefulSet =>
    set({ ...claims, replicas, persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });

  const cases: readonly (readonly [string, string, number, readonly object[], readonly object[] | null])[] = [
    ['Retain', 'Retain', 2, [], null],
    ['Retain', 'Retain', 1, [own], []],
    ['Delete', 'Retain', 2, [], [own]],
    ['Delete', 'Retain', 1, [own], null],
    ['Retain', 'Delete', 2, [], null],
    ['Retain', 'Delete', 1, [], [ofPod(1)]],
    ['Retain', 'Delete', 2, [ofPod(1)], []],
    ['Delete', 'Delete', 2, [], [own]],
    ['Delete', 'Delete', 1, [own], [ofPod(1)]],
    ['Delete', 'Delete', 2, [ofPod(1)], [own]],
    ['Delete', 'Retain', 2, [{ ...own, uid: 'u-former' }], [own]],
    ['Delete', 'Retain', 2, [other], [other, own]],
    ['Delete', 'Retain', 2, [{ ...other, controller: true }], null],
    ['Delete', 'Retain', 2, [{ ...other, controller: true }, own], [{ ...other, controller: true }]],
  ];
  for (const [whenDeleted, whenScaled, replicas, before, wanted] of cases) {
    it(`deleted ${whenDeleted}, scaled ${whenScaled}, ${replicas} replicas, owners ${JSON.stringify(before.map((one) => (one as { kind: string }).kind))}`, () => {
      const of = retention(whenDeleted, whenScaled, replicas);
      const [pod] = pods(of, '1');
      if (!pod) throw new Error('no pod');
      expect(withOwners(owned(before), of, pod)?.metadata.ownerReferences ?? null).to.deep.equal(wanted);
    });
  }
});

describe('the revisions of a StatefulSet', () => {
  it('keep, renumber or create', () => {
    expect(updateRevision(set(), [old, fresh], holds)).to.deep.equal({ do: 'keep', revision: fresh });
    expect(updateRevision(set({ template: template('img:1') }), [fresh, old], holds)).to.deep.equal({
      do: 'renumber',
      revision: old,
      number: 3n,
    });
    expect(updateRevision(set({ template: template('img:3') }), [fresh, old], holds)).to.deep.equal({ do: 'create', number: 3n });
  });

  it('are another one for a template that is written differently only where that counts', () => {
    const { data } = fresh;
    const stored = { ...fresh, data: { ...(data as object), metadata: null } };
    expect(updateRevision(set(), [stored], holds).do).to.equal('keep');
    expect(updateRevision(set(), [stored], holdsExactly).do).to.equal('create');
    expect(updateRevision(set(), [fresh], holdsExactly).do).to.equal('keep');
  });

  describe('that an earlier release has kept', () => {
    const kept = (spec: object): ControllerRevision => ({
      ...fresh,
      data: patchOf({ metadata: { labels: { app: 'x' } }, spec } as PodTemplateSpec),
    });
    const probe = {
      httpGet: { path: '/', port: 80, scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    };
    const today = set({
      template: {
        metadata: { labels: { app: 'x' } },
        spec: {
          containers: [
            {
              name: 'c',
              image: 'img:2',
              imagePullPolicy: 'IfNotPresent',
              resources: {},
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              readinessProbe: probe,
            },
          ],
          dnsPolicy: 'ClusterFirst',
          restartPolicy: 'Always',
          schedulerName: 'default-scheduler',
          securityContext: {},
          terminationGracePeriodSeconds: 30,
        },
      } as PodTemplateSpec,
    });
    const container = { name: 'c', image: 'img:2', readinessProbe: { httpGet: { port: 80 } } };
    const step = (revisions: readonly ControllerRevision[], isOf: typeof holds): string => updateRevision(today, revisions, isOf).do;

    it('are the same where all that is missing has been filled in since', () => {
      const before = kept({ containers: [container] });
      const { data } = structuredClone(before);
      expect([step([before], holdsInSubstance), step([before], holds), step([before], holdsExactly)]).to.deep.equal([
        'keep',
        'create',
        'create',
      ]);
      expect(before.data, 'the revision itself stays as it is').to.deep.equal(data);
    });

    it('are others where what is there, or what is missing, is something else', () => {
      for (const spec of [
        { containers: [container], terminationGracePeriodSeconds: 5 },
        { containers: [{ ...container, image: 'img:1' }] },
        { containers: [{ name: 'c', image: 'img:2' }] },
        { containers: [container], nodeName: 'a' },
        {},
      ])
        expect(step([kept(spec)], holdsInSubstance), JSON.stringify(spec)).to.equal('create');
    });

    it('are gone back to, too', () => {
      const before = { ...kept({ containers: [container] }), revision: 1 };
      expect(updateRevision(today, [before, { ...old, revision: 2 }], holdsInSubstance)).to.deep.include({ do: 'renumber', number: 3n });
    });
  });

  it('are named after what they hold and how often the name was taken', () => {
    const made = newRevision(set(), 4n, 0);
    expect(made.metadata.name).to.match(/^web-[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(made.metadata.labels).to.deep.equal({ app: 'x', 'controller.kubernetes.io/hash': made.metadata.name?.slice(4) });
    expect(newRevision(set(), 4n, 1).metadata.name).not.to.equal(made.metadata.name);
  });

  it('are deleted when no pod runs them, oldest first, beyond the limit', () => {
    const all = [1, 2, 3, 4, 5].map((number) => revision(`web-${number}`, `img:${number}`, number));
    const running = pods(set(), '0').map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { 'controller-revision-hash': 'web-1' } },
    }));
    expect(
      revisionsToDelete(set({ revisionHistoryLimit: 1 }), all, running, all.slice(4)).map(({ metadata }) => metadata.name),
    ).to.deep.equal(['web-2', 'web-3']);
  });
});
