import { expect } from 'chai';
import fc from 'fast-check';
import { plan, type Plan } from '../../../../controllers/deployment/plan.js';
import { currentAnnotations, newSet, nextRevision, sameTemplate, split } from '../../../../controllers/deployment/revisions.js';
import { rollingStep, scale, superfluous } from '../../../../controllers/deployment/scaling.js';
import { maxSurge, maxUnavailable } from '../../../../controllers/deployment/limits.js';
import type { Deployment, ReplicaSet } from '../../../../api/types/apps/v1.js';
import type { IntOrString } from '../../../../api/types/machinery.js';

const now = Date.parse('2026-01-01T00:00:00Z');
type Spec = NonNullable<Deployment['spec']>;
const template = (version: string) => ({ metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: version }] } });
const rolling = (maxUnavailable: IntOrString, maxSurge: IntOrString): Partial<Spec> => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
});
const deployment = (replicas: number, spec: Partial<Spec> = {}, status: Deployment['status'] = {}): Deployment => ({
  metadata: { name: 'web', namespace: 'n', uid: 'd', generation: 2 },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'a' } },
    template: template('v2'),
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    ...rolling('25%', '25%'),
    ...spec,
  },
  status,
});

interface SetFacts {
  readonly size: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly revision?: number;
  readonly created?: number;
  readonly replicas?: number;
}
/** Its name begins with the version of its template. */
const set = (name: string, { size, available = size, desired, max, revision, created = 0, replicas = size }: SetFacts): ReplicaSet => ({
  metadata: {
    name,
    namespace: 'n',
    uid: name,
    generation: 1,
    creationTimestamp: new Date(now + created * 1000).toISOString(),
    annotations: {
      ...(desired === undefined ? {} : { 'deployment.kubernetes.io/desired-replicas': String(desired) }),
      ...(max === undefined ? {} : { 'deployment.kubernetes.io/max-replicas': String(max) }),
      ...(revision === undefined ? {} : { 'deployment.kubernetes.io/revision': String(revision) }),
    },
  },
  spec: {
    replicas: size,
    template: { ...template(name.split('-')[0] ?? ''), metadata: { labels: { app: 'a', 'pod-template-hash': name } } },
  },
  status: { replicas, readyReplicas: available, availableReplicas: available, terminatingReplicas: 0, observedGeneration: 1 },
});
const sizes = (resizes: readonly { readonly set: ReplicaSet; readonly size: number }[]): Record<string, number> =>
  Object.fromEntries(resizes.map(({ set: of, size }) => [of.metadata.name ?? '', size]));
const steps = ({ actions }: Plan): readonly string[] =>
  actions.map((action) => {
    switch (action.do) {
      case 'create':
        return `create ${action.set.spec?.replicas ?? 0}`;
      case 'resize':
        return `resize ${action.set.metadata.name ?? ''} ${action.replicas}`;
      case 'status':
      case 'rollback':
        return action.do;
      default:
        return `${action.do} ${action.set.metadata.name ?? ''}`;
    }
  });

describe('controllers/deployment/limits', () => {
  const cases: readonly (readonly [number, IntOrString, IntOrString, number, number])[] = [
    // Replicas, maxUnavailable, maxSurge, and their values: rounded down and up.
    [10, '25%', '25%', 2, 3],
    [4, '25%', '25%', 1, 1],
    [1, '25%', '25%', 0, 1],
    [3, 0, 1, 0, 1],
    [3, '0%', '0%', 1, 0],
    [2, 5, 0, 2, 0],
    [0, 1, 1, 0, 1],
    [10, '100%', 0, 10, 0],
  ];
  for (const [replicas, unavailable, surge, below, above] of cases) {
    it(`${replicas} with maxUnavailable ${unavailable} and maxSurge ${surge}`, () => {
      const given = deployment(replicas, rolling(unavailable, surge));
      expect([maxUnavailable(given), maxSurge(given)]).to.deep.equal([below, above]);
    });
  }
});

describe('controllers/deployment/scaling', () => {
  const step = (given: Deployment, current: ReplicaSet, ...old: ReplicaSet[]) => sizes(rollingStep(given, { current, old }));
  it('grows the current set up to the surge', () =>
    expect(step(deployment(10), set('v2', { size: 0 }), set('v1', { size: 10 }))).to.deep.equal({ v2: 3 }));
  it('shrinks old sets by what is available beyond the minimum', () =>
    expect(step(deployment(10), set('v2', { size: 3 }), set('v1', { size: 10 }))).to.deep.equal({ v1: 5 }));
  it('waits while too little is available', () =>
    expect(step(deployment(10), set('v2', { size: 5, available: 0 }), set('v1', { size: 8 }))).to.deep.equal({}));
  it('lets go first what does not work, the oldest first', () =>
    expect(
      step(
        deployment(10),
        set('v2', { size: 3, available: 3 }),
        set('v1', { size: 6, available: 2, created: 2 }),
        set('v0', { size: 4, available: 4, created: 1 }),
      ),
    ).to.deep.equal({ v1: 2, v0: 3 }));
  it('makes a set smaller that is too large', () => expect(step(deployment(3), set('v2', { size: 5 }))).to.deep.equal({ v2: 3 }));

  const scaled = (given: Deployment, current: ReplicaSet | null, ...old: ReplicaSet[]) => sizes(scale(given, { current, old }));
  it('scales the only set that is in use', () => expect(scaled(deployment(7), null, set('v1', { size: 5 }))).to.deep.equal({ v1: 7 }));
  it('scales in proportion in the middle of a rollout', () =>
    expect(
      scaled(deployment(20), set('v2', { size: 5, desired: 10, max: 13, created: 2 }), set('v1', { size: 8, desired: 10, max: 13 })),
    ).to.deep.equal({ v2: 10, v1: 15 }));
  it('shrinks in proportion', () =>
    expect(
      scaled(deployment(5), set('v2', { size: 5, desired: 10, max: 13, created: 2 }), set('v1', { size: 8, desired: 10, max: 13 })),
    ).to.deep.equal({ v2: 3, v1: 4 }));
  it('ends old sets when the current one is complete', () =>
    expect(scaled(deployment(3), set('v2', { size: 3, desired: 3 }), set('v1', { size: 1 }))).to.deep.equal({ v1: 0 }));

  it('in proportion comes to the wanted number and its surge, and nothing below 0', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 0, max: 100 }),
        (before, replicas) => {
          const total = before.reduce((sum, size) => sum + size, 0);
          const all = before.map((size, index) => set(`v${index}`, { size, available: 0, desired: total, max: total, created: index }));
          const after = scale(deployment(replicas), { current: null, old: all }).map(({ size }) => size);
          expect(after.every((size) => size >= 0)).to.equal(true);
          expect(after.reduce((sum, size) => sum + size, 0)).to.equal(replicas === 0 ? 0 : replicas + maxSurge(deployment(replicas)));
        },
      ),
    ));

  it('forgets the oldest empty sets beyond the limit', () => {
    const old = [
      set('a', { size: 0, revision: 3 }),
      set('b', { size: 0, revision: 1 }),
      set('c', { size: 1, revision: 2 }),
      set('d', { size: 0, revision: 4 }),
    ];
    const names = (limit: number | undefined) =>
      superfluous(deployment(1, limit === undefined ? {} : { revisionHistoryLimit: limit }), old, ({ metadata }) =>
        BigInt(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0),
      ).map(({ metadata }) => metadata.name);
    expect([names(2), names(0), names(9)]).to.deep.equal([['b'], ['b', 'a', 'd'], []]);
  });
});

describe('controllers/deployment/revisions', () => {
  it('tells templates apart but for the hash', () => {
    const hashed = { ...template('v2'), metadata: { labels: { app: 'a', 'pod-template-hash': 'x' } } };
    expect([sameTemplate(template('v2'), hashed), sameTemplate(template('v1'), hashed)]).to.deep.equal([true, false]);
    expect(
      split(deployment(1), [set('v2-young', { size: 0, created: 9 }), set('v2-old', { size: 0 }), set('v1', { size: 1 })]).current?.metadata
        .name,
    ).to.equal('v2-old');
  });

  it('makes a set with the hash in its name, labels and selector', () => {
    const made = newSet(deployment(4), 2, 3n);
    const hash = made.metadata.labels?.['pod-template-hash'] ?? '';
    expect([
      made.metadata.name,
      made.spec?.selector?.matchLabels,
      made.spec?.template?.metadata?.labels,
      made.spec?.replicas,
    ]).to.deep.equal([`web-${hash}`, { app: 'a', 'pod-template-hash': hash }, { app: 'a', 'pod-template-hash': hash }, 2]);
    expect(made.metadata.annotations).to.deep.equal({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/desired-replicas': '4',
      'deployment.kubernetes.io/max-replicas': '5',
    });
    expect(newSet(deployment(4, {}, { collisionCount: 1 }), 2, 3n).metadata.name).not.to.equal(made.metadata.name);
  });

  it('counts on from revisions of 64 bits, and takes what is none for 0', () => {
    const revised = (text: string): ReplicaSet => {
      const made = set('v', { size: 0 });
      return { ...made, metadata: { ...made.metadata, annotations: { 'deployment.kubernetes.io/revision': text } } };
    };
    const cases: readonly (readonly [string, bigint])[] = [
      ['3546343826724305833', 3546343826724305834n],
      ['9007199254740993', 9007199254740994n],
      ['9223372036854775808', 1n],
      ['1e3', 1n],
      ['-4', 1n],
      ['7', 8n],
    ];
    for (const [text, wanted] of cases) expect(nextRevision([revised('2'.slice(0, 0)), revised(text)]), text).to.equal(wanted);
  });

  it('numbers revisions, remembers former numbers, and does not take over what is not for sets', () => {
    const given = {
      ...deployment(1),
      metadata: { ...deployment(1).metadata, annotations: { mine: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
    };
    const back = currentAnnotations(given, set('v2', { size: 0, revision: 1 }), 3n);
    expect([
      back['deployment.kubernetes.io/revision'],
      back['deployment.kubernetes.io/revision-history'],
      back['mine'],
      back['kubectl.kubernetes.io/last-applied-configuration'],
    ]).to.deep.equal(['3', '1', 'x', undefined]);
  });
});

describe('controllers/deployment/plan', () => {
  const at = (given: Deployment, sets: readonly ReplicaSet[], time = now) => plan({ deployment: given, sets, pods: new Map(), now: time });
  const conditionsOf = (found: Plan) =>
    found.actions
      .flatMap((action) => (action.do === 'status' ? (action.deployment.status?.conditions ?? []) : []))
      .map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`);
  const complete: Deployment['status'] = {
    observedGeneration: 2,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', lastUpdateTime: '2026-01-01T00:00:00Z' }],
  };

  it('begins with a set of full size', () => {
    const found = at(deployment(3), []);
    expect([steps(found), conditionsOf(found)]).to.deep.equal([
      ['create 3', 'status'],
      ['Progressing True NewReplicaSetCreated', 'Available False MinimumReplicasUnavailable'],
    ]);
  });
  it('begins an update with no more than the surge allows', () =>
    expect(steps(at(deployment(3), [set('v1', { size: 3 })]))[0]).to.equal('create 1'));
  it('recreates: first all go, then all come', () => {
    const recreate: Partial<Spec> = { strategy: { type: 'Recreate' } };
    expect(steps(at(deployment(3, recreate), [set('v1', { size: 3 })]))[0]).to.equal('resize v1 0');
    expect(steps(at(deployment(3, recreate), [set('v1', { size: 0, replicas: 1 })])).filter((step) => step !== 'status')).to.deep.equal([]);
    expect(steps(at(deployment(3, recreate), [set('v1', { size: 0 })]))[0]).to.equal('create 3');
  });
  it('does not begin an update while paused, but scales', () => {
    expect(steps(at(deployment(3, { paused: true }), [set('v1', { size: 3 })]))).to.deep.equal(['status']);
    expect(steps(at(deployment(5, { paused: true }), [set('v1', { size: 3 })]))).to.deep.equal(['resize v1 5', 'status']);
    expect(conditionsOf(at(deployment(3, { paused: true }), [set('v1', { size: 3 })]))).to.include('Progressing Unknown DeploymentPaused');
  });
  it('says when it is complete, and forgets superfluous sets then', () => {
    expect(conditionsOf(at(deployment(3), [set('v2', { size: 3, revision: 1, desired: 3 })]))).to.include.members([
      'Progressing True NewReplicaSetAvailable',
      'Available True MinimumReplicasAvailable',
    ]);
    expect(
      steps(
        at(deployment(3, { revisionHistoryLimit: 0 }, complete), [
          set('v2', { size: 3, revision: 2, desired: 3 }),
          set('v1', { size: 0, revision: 1 }),
        ]),
      ),
    ).to.include('delete v1');
  });
  it('gives a rollout that stands still until its deadline', () => {
    const given = deployment(
      3,
      {},
      {
        ...complete,
        availableReplicas: 0,
        readyReplicas: 0,
        conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastUpdateTime: '2026-01-01T00:00:00Z' }],
      },
    );
    const sets = [set('v2', { size: 3, available: 0, revision: 1, desired: 3 })];
    expect(at(given, sets, now + 100_000).againAfterMs).to.equal(501_000);
    expect(conditionsOf(at(given, sets, now + 600_001))).to.include('Progressing False ProgressDeadlineExceeded');
  });
  const only = (found: Plan): readonly string[] => steps(found).filter((step) => step !== 'status');
  const recorded = ({ actions }: Plan): Record<string, string | undefined> =>
    Object.fromEntries(
      actions.flatMap((action) =>
        action.do === 'resize' ? [[action.set.metadata.name ?? '', action.annotations['deployment.kubernetes.io/desired-replicas']]] : [],
      ),
    );
  it('after a change of size in a rollout records the new number in all sets with pods, and does nothing else', () => {
    const sets = [
      set('v2', { size: 5, desired: 10, max: 13, revision: 2, created: 2 }),
      set('v1', { size: 8, desired: 10, max: 13, revision: 1 }),
      set('v0', { size: 0, desired: 10, revision: 0 }),
    ];
    const found = at(deployment(20), sets);
    expect([only(found), recorded(found)]).to.deep.equal([['resize v1 15', 'resize v2 10'], { v1: '20', v2: '20' }]);
  });
  it('records the new number in a set that has the size already', () => {
    const found = at(deployment(5), [set('v2', { size: 5, desired: 3, revision: 2 }), set('v1', { size: 0, desired: 3, revision: 1 })]);
    expect([only(found), recorded(found)]).to.deep.equal([['resize v2 5'], { v2: '5' }]);
  });
  it('counts what is unavailable by the new sizes', () => {
    const found = at(deployment(5), [set('v2', { size: 3, desired: 3, revision: 2 })]);
    const [status] = found.actions.flatMap((action) => (action.do === 'status' ? [action.deployment.status] : []));
    expect([only(found), status?.unavailableReplicas]).to.deep.equal([['resize v2 5'], 2]);
  });

  const since = (reason: string, status: string) => ({
    conditions: [{ type: 'Progressing', status, reason, lastUpdateTime: '2026-01-01T00:00:00Z' }],
  });
  it('resumes after a pause, and says so while nothing else has happened', () => {
    const counts = { replicas: 3, updatedReplicas: 3, readyReplicas: 0, availableReplicas: 0 };
    const sets = [set('v2', { size: 3, available: 0, desired: 3, revision: 1 })];
    const found = (given: Partial<Spec>, reason: string, status: string) =>
      conditionsOf(at(deployment(3, given, { ...counts, ...since(reason, status) }), sets)).filter((text) =>
        text.startsWith('Progressing'),
      );
    expect(found({}, 'DeploymentPaused', 'Unknown')).to.deep.equal(['Progressing Unknown DeploymentResumed']);
    expect(found({ paused: true }, 'DeploymentPaused', 'Unknown')).to.deep.equal(['Progressing Unknown DeploymentPaused']);
    expect(found({ paused: true }, 'ProgressDeadlineExceeded', 'False')).to.deep.equal(['Progressing False ProgressDeadlineExceeded']);
    expect(found({ paused: true, progressDeadlineSeconds: 2_147_483_647 }, 'ReplicaSetUpdated', 'True')).to.deep.equal([
      'Progressing True ReplicaSetUpdated',
    ]);
  });
  it('forgets superfluous sets while paused as well', () =>
    expect(
      only(
        at(deployment(3, { paused: true, revisionHistoryLimit: 0 }), [
          set('v2', { size: 3, desired: 3, revision: 2 }),
          set('v1', { size: 0, revision: 1 }),
        ]),
      ),
    ).to.deep.equal(['delete v1']));
  it('says that it found its set', () => {
    const sets = [set('v2', { size: 3, available: 0, desired: 3, revision: 1 })];
    const counts = { replicas: 3, updatedReplicas: 3, readyReplicas: 0, availableReplicas: 0 };
    expect(conditionsOf(at(deployment(3, {}, counts), sets))).to.include('Progressing True FoundNewReplicaSet');
    expect(conditionsOf(at(deployment(3, { progressDeadlineSeconds: 2_147_483_647 }, counts), sets)).join()).not.to.include('Progressing');
  });
  it('hands the seconds that pods must be ready on to its set', () => {
    const sets = [set('v2', { size: 3, desired: 3, revision: 1 })];
    expect(only(at(deployment(3, { minReadySeconds: 5 }), sets))).to.deep.equal(['annotate v2']);
    expect(only(at(deployment(3, { minReadySeconds: 0 }), sets))).to.deep.equal([]);
  });
  it('forgets no set before the status says that all is done, nor beside other steps', () => {
    const given = { revisionHistoryLimit: 0 };
    const sets = [set('v2', { size: 3, revision: 2, desired: 3 }), set('v1', { size: 0, revision: 1 })];
    expect(only(at(deployment(3, given, complete), sets))).to.deep.equal(['delete v1']);
    expect(only(at(deployment(3, given, { ...complete, availableReplicas: 2 }), sets))).to.deep.equal([]);
    expect(only(at(deployment(3, { ...given, minReadySeconds: 1 }, complete), sets))).to.deep.equal(['annotate v2']);
  });
  it('writes no status twice, though a server leaves out numbers that are zero', () => {
    const sets = [set('v2', { size: 3, available: 0, revision: 1, desired: 3 })];
    const given = deployment(3);
    const [first] = at(given, sets).actions.flatMap((action) => (action.do === 'status' ? [action.deployment] : []));
    const stored = Object.fromEntries(
      Object.entries(first?.status ?? {}).filter(([name, value]) => value !== 0 || name === 'terminatingReplicas'),
    );
    expect(steps(at({ ...given, metadata: first?.metadata ?? {}, status: stored }, sets))).to.deep.equal([]);
    expect(steps(at({ ...given, metadata: first?.metadata ?? {}, status: { ...stored, observedGeneration: 1 } }, sets))).to.deep.equal([
      'status',
    ]);
    expect(
      steps(at({ ...given, metadata: first?.metadata ?? {}, status: { ...stored, terminatingReplicas: undefined } as never }, sets)),
    ).to.deep.equal(['status']);
  });

  describe('with Recreate', () => {
    const recreate: Partial<Spec> = { strategy: { type: 'Recreate' } };
    const pod = (name: string, phase: string) => ({ metadata: { name, namespace: 'n' }, spec: {}, status: { phase } });
    const withPods = (of: Record<string, readonly ReturnType<typeof pod>[]>, ...sets: ReplicaSet[]) =>
      only(plan({ deployment: deployment(3, recreate), sets, pods: new Map(Object.entries(of)) as never, now }));
    it('gives the current set its size', () =>
      expect([withPods({}, set('v2', { size: 1, revision: 1 })), withPods({}, set('v2', { size: 3, revision: 1 }))]).to.deep.equal([
        ['resize v2 3'],
        [],
      ]));
    it('waits for pods of other sets that still run, and for no others', () => {
      const v2 = set('v2', { size: 1, revision: 2 });
      const v1 = set('v1', { size: 0, revision: 1 });
      expect(withPods({ v2: [pod('a', 'Running')], v1: [pod('b', 'Running')] }, v2, v1)).to.deep.equal([]);
      expect(withPods({ v2: [pod('a', 'Running')], v1: [pod('b', 'Failed'), pod('c', 'Succeeded')] }, v2, v1)).to.deep.equal([
        'resize v2 3',
      ]);
      expect(withPods({ v1: [pod('c', 'Succeeded'), pod('b', 'Running')] }, v1)).to.deep.equal([]);
    });
  });

  it('only counts while it is being deleted', () =>
    expect(
      steps(at({ ...deployment(3), metadata: { ...deployment(3).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, [])),
    ).to.deep.equal(['status']));

  /** Simulates the replica set controller: sizes apply at once, and random pods become available. */
  interface World {
    given: Deployment;
    sets: ReplicaSet[];
  }
  function carryOut(world: World, { actions }: Plan): void {
    for (const action of actions) {
      if (action.do === 'status' || action.do === 'rollback') world.given = action.deployment;
      else if (action.do === 'delete') world.sets = world.sets.filter(({ metadata }) => metadata.uid !== action.set.metadata.uid);
      else if (action.do === 'create')
        world.sets.push({
          ...action.set,
          metadata: {
            ...action.set.metadata,
            uid: `uid ${world.sets.length}`,
            generation: 1,
            creationTimestamp: new Date(now + world.sets.length * 1000).toISOString(),
          },
          status: { replicas: 0, availableReplicas: 0, readyReplicas: 0, observedGeneration: 1 },
        });
      else {
        world.sets = world.sets.map((each) => {
          if (each.metadata.uid !== action.set.metadata.uid) return each;
          const changed = { ...each, metadata: { ...each.metadata, annotations: action.annotations } };
          return action.do === 'annotate' ? changed : { ...changed, spec: { ...changed.spec, replicas: action.replicas } };
        });
      }
    }
  }
  /** Removes pods beyond the size, unavailable ones first. */
  function follow(of: ReplicaSet, becomeAvailable: number): ReplicaSet {
    const size = of.spec?.replicas ?? 0;
    const availableReplicas = Math.min(size, (of.status?.availableReplicas ?? 0) + becomeAvailable);
    return { ...of, status: { ...of.status, replicas: size, readyReplicas: availableReplicas, availableReplicas } };
  }
  const total = (sets: readonly ReplicaSet[], count: (of: ReplicaSet) => number): number => sets.reduce((sum, of) => sum + count(of), 0);

  it('rolls out without ever being above the surge or below availability, and comes to an end', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom<IntOrString>(0, 1, 2, '25%', '50%', '100%'),
        fc.constantFrom<IntOrString>(0, 1, 3, '25%', '100%'),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 40, maxLength: 40 }),
        (replicas, unavailable, surge, chances) => {
          const given = deployment(replicas, rolling(unavailable, surge));
          const world: World = {
            given,
            sets: [set('v1', { size: replicas, desired: replicas, max: replicas + maxSurge(given), revision: 1 })],
          };
          const roundsMax = 400;
          let round = 0;
          for (; round < roundsMax && world.given.status?.updatedReplicas !== replicas; round++) {
            carryOut(world, at(world.given, world.sets, now + round));
            expect(total(world.sets, (of) => of.spec?.replicas ?? 0)).to.be.at.most(replicas + maxSurge(given));
            world.sets = world.sets.map((of) => follow(of, chances[round % chances.length] ?? 1));
            expect(total(world.sets, (of) => of.status?.availableReplicas ?? 0)).to.be.at.least(replicas - maxUnavailable(given));
            if (chances.every((chance) => chance === 0)) return;
          }
          expect(round).to.be.below(roundsMax);
        },
      ),
      { numRuns: 150 },
    ));
});
