import type { Condition } from '../../../../api/types/meta/v1.js';
import { expect } from 'chai';
import { shownSelector } from '../../../../api/selectors.js';
import type { OwnerReference } from '../../../../api/meta/object.js';
import { deployments, type DeploymentSpec, replicaSets } from '../../../../api/types/apps/v1.js';
import { type Pod, pods } from '../../../../api/types/core/v1.js';
import { type PodDisruptionBudget, podDisruptionBudgets } from '../../../../api/types/policy/v1.js';
import { expectation, failedStatus, statusOf, stillDisrupted, type BudgetStatus } from '../../../../controllers/disruption/budget.js';
import { disruptionController } from '../../../../controllers/disruption/disruptionController.js';
import { untilStaleMs } from '../../../../controllers/disruption/staleTargets.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number): string => `${new Date(start + seconds * 1000).toISOString().slice(0, 19)}Z`;
const budget = (spec: PodDisruptionBudget['spec'], status?: BudgetStatus): PodDisruptionBudget => ({
  metadata: { name: 'b', namespace: 'n', generation: 3 },
  spec: { selector: { matchLabels: { app: 'x' } }, ...spec },
  ...(status ? { status } : {}),
});
const pod = (
  name: string,
  { ready = true, ending = false, owner }: { ready?: boolean; ending?: boolean; owner?: OwnerReference } = {},
): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    labels: { app: 'x' },
    ...(ending ? { deletionTimestamp: at(30) } : {}),
    ...(owner ? { ownerReferences: [owner] } : {}),
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const nothing = { pods: {}, overdue: [], againAfterMs: null };

describe('what a budget expects', () => {
  const three = [pod('a'), pod('b'), pod('c')];
  const cases: readonly (readonly [PodDisruptionBudget['spec'], number, number, number])[] = [
    [{ minAvailable: 2 }, 0, 3, 2],
    [{ minAvailable: '50%' }, 3, 3, 2],
    [{ minAvailable: '0%' }, 3, 3, 0],
    [{ maxUnavailable: 1 }, 5, 5, 4],
    [{ maxUnavailable: '40%' }, 3, 3, 1],
    [{ maxUnavailable: 9 }, 5, 5, 0],
    [{}, 5, 0, 0],
  ];
  for (const [spec, scale, expected, desired] of cases) {
    it(`${JSON.stringify(spec)} of ${scale}`, () => expect(expectation(budget(spec), three, scale)).to.deep.equal({ expected, desired }));
  }
});

describe('the status of a budget', () => {
  const status = (
    given: readonly Pod[],
    expected: number,
    desired: number,
    disrupted: Readonly<Record<string, string>> = {},
  ): BudgetStatus =>
    statusOf({
      budget: budget({}),
      pods: given,
      expectation: { expected, desired },
      disrupted: { ...nothing, pods: disrupted },
      now: start,
    });

  it('counts pods that are ready and stay', () => {
    const given = [pod('a'), pod('b'), pod('c', { ready: false }), pod('d', { ending: true }), pod('e')];
    expect(status(given, 5, 1, { e: at(0) })).to.deep.equal({
      observedGeneration: 3,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 5,
      disruptedPods: { e: at(0) },
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          observedGeneration: 3,
          lastTransitionTime: at(0),
        },
      ],
    });
  });

  it('allows nothing below the minimum, or where no pods are expected', () => {
    for (const [given, expected, desired] of [
      [[pod('a')], 2, 1],
      [[], 2, 1],
      [[pod('a')], 0, 0],
    ] as const) {
      expect(status(given, expected, desired)).to.deep.include({ disruptionsAllowed: 0 });
    }
  });

  it('keeps the time of its condition while the answer is the same', () => {
    const before = budget(
      {},
      {
        conditions: [
          { type: 'Other', status: 'True' } as Condition,
          { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: '', lastTransitionTime: at(-60) },
        ],
      },
    );
    const after = statusOf({ budget: before, pods: [], expectation: { expected: 0, desired: 0 }, disrupted: nothing, now: start });
    expect(after.conditions).to.deep.equal([
      { type: 'Other', status: 'True' },
      {
        type: 'DisruptionAllowed',
        status: 'False',
        reason: 'InsufficientPods',
        message: '',
        observedGeneration: 3,
        lastTransitionTime: at(-60),
      },
    ]);
  });

  it('that cannot be computed allows nothing and says why', () => {
    const before = budget({}, { observedGeneration: 2, disruptionsAllowed: 1, currentHealthy: 4, conditions: [] });
    expect(failedStatus(before, 'why', start)).to.deep.equal({
      observedGeneration: 2,
      disruptionsAllowed: 0,
      currentHealthy: 4,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          reason: 'SyncFailed',
          message: 'why',
          observedGeneration: 2,
          lastTransitionTime: at(0),
        },
      ],
    });
  });

  it('forgets evictions that came about, and reports those that did not', () => {
    const granted = budget({}, { disruptedPods: { a: at(-60), b: at(-121), c: at(-10), gone: at(-5) } });
    const found = stillDisrupted(granted, [pod('a'), pod('b'), pod('c', { ending: true }), pod('d')], start);
    expect(found).to.deep.equal({ pods: { a: at(-60) }, overdue: [pod('b')], againAfterMs: 60_001 });
  });

  it('prints selectors as the reference does', () => {
    expect(
      shownSelector({ matchLabels: { b: '2', a: '1' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] }),
    ).to.equal(
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
    );
  });
});

describe('the disruption controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const owner = (kind: string, name: string, uid: string, apiVersion = 'apps/v1'): OwnerReference => ({
    apiVersion,
    kind,
    name,
    uid,
    controller: true,
  });
  const numbers = async (): Promise<unknown> =>
    (await world.writes()).map(({ verb, key, subresource, body }) => {
      const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, conditions } = (body as PodDisruptionBudget).status ?? {};
      return [`${verb} ${key} ${subresource}`, expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, conditions?.[0]?.reason];
    });

  it('counts a Deployment once, whatever the number of its sets, and follows its size', async () => {
    world.api.seed(deployments, {
      metadata: { name: 'w', namespace: 'n', uid: 'u-w' },
      spec: { replicas: 4, template: { metadata: { labels: { app: 'x' } } } },
    });
    for (const name of ['w-1', 'w-2'])
      world.api.seed(replicaSets, {
        metadata: { name, namespace: 'n', uid: `u-${name}`, ownerReferences: [owner('Deployment', 'w', 'u-w')] },
        spec: { replicas: 3 },
      });
    world.api.seed(
      pods,
      pod('a', { owner: owner('ReplicaSet', 'w-1', 'u-w-1') }),
      pod('b', { owner: owner('ReplicaSet', 'w-2', 'u-w-2') }),
    );
    world.api.seed(podDisruptionBudgets, budget({ maxUnavailable: 3 }));
    await world.start(disruptionController);
    expect(await numbers()).to.deep.equal([['update n/b status', 4, 1, 2, 1, 'SufficientPods']]);
    world.api.change(deployments, 'n/w', (one) => ({ ...one, spec: { ...(one.spec as DeploymentSpec), replicas: 6 } }));
    expect(await numbers()).to.deep.equal([['update n/b status', 6, 3, 2, 0, 'InsufficientPods']]);
    world.api.change(pods, 'n/a', (one) => ({ ...one, metadata: { ...one.metadata, annotations: { any: 'thing' } } }));
    expect(await numbers()).to.deep.equal([]);
  });

  it('asks for the scale of kinds that it does not know', async () => {
    world.api.answers.set('/apis/example.com/v1', () => ({
      resources: [
        { name: 'things', kind: 'Thing' },
        { name: 'things/scale', kind: 'Scale' },
      ],
    }));
    world.api.answers.set('/apis/example.com/v1/namespaces/n/things/t/scale', () => ({ metadata: { uid: 'u-t' }, spec: { replicas: 7 } }));
    world.api.seed(pods, pod('a', { owner: owner('Thing', 't', 'u-t', 'example.com/v1') }));
    world.api.seed(podDisruptionBudgets, budget({ minAvailable: '10%' }));
    await world.start(disruptionController);
    expect(await numbers()).to.deep.equal([['update n/b status', 7, 1, 1, 0, 'InsufficientPods']]);
  });

  const failures: readonly (readonly [string, string, object | null])[] = [
    ['no matches for kind "Thing" in version "example.com/v1"', 'example.com/v1', null],
    [
      'example.com/v1, Resource=things does not implement the scale subresource',
      'example.com/v1',
      { resources: [{ name: 'things', kind: 'Thing' }] },
    ],
    [
      'found no controllers for pod "a"',
      'example.com/v1',
      {
        resources: [
          { name: 'things', kind: 'Thing' },
          { name: 'things/scale', kind: 'Scale' },
        ],
      },
    ],
  ];
  for (const [message, apiVersion, served] of failures) {
    it(`fails safely: ${message}`, async () => {
      if (served) world.api.answers.set(`/apis/${apiVersion}`, () => served);
      world.api.seed(pods, pod('a', { owner: owner('Thing', 't', 'u-t', apiVersion) }));
      world.api.seed(podDisruptionBudgets, budget({ maxUnavailable: 1 }));
      await world.start(disruptionController);
      expect(await numbers()).to.deep.equal([['update n/b status', undefined, undefined, undefined, 0, 'SyncFailed']]);
      expect(new Set(world.events)).to.deep.equal(
        new Set([`Warning CalculateExpectedPodCountFailed n/b: Failed to calculate the number of expected pods: ${message}`]),
      );
    });
  }

  it('tells of budgets without pods, of pods without controllers, and of pods with two budgets', async () => {
    world.api.seed(podDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await world.start(disruptionController);
    expect(world.events.splice(0)).to.include('Normal NoPods n/b: No matching pods found');
    world.api.seed(pods, pod('a'));
    await world.settled();
    expect(world.events.splice(0)[0]).to.match(
      /^Warning UnmanagedPods n\/b: Pods selected by this PodDisruptionBudget \(selector: &LabelSelector\{MatchLabels:map\[string\]string\{app: x,\},/,
    );
    const second = budget({ minAvailable: 0 });
    world.api.seed(podDisruptionBudgets, { ...second, metadata: { ...second.metadata, name: 'c' } });
    world.api.change(pods, 'n/a', (one) => ({ ...one, status: { ...one.status, conditions: [] } }));
    await world.settled();
    expect(world.events).to.include(
      'Warning MultiplePodDisruptionBudgets n/a: Pod "n"/"a" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.',
    );
  });

  it('counts a pod again whose eviction was granted and did not come about', async () => {
    world.api.seed(pods, pod('a'));
    world.api.seed(podDisruptionBudgets, budget({ minAvailable: 0 }, { disruptedPods: { a: at(0) } }));
    await world.start(disruptionController);
    expect(await numbers()).to.deep.equal([['update n/b status', 1, 0, 0, 0, 'InsufficientPods']]);
    await world.advance(121_000);
    expect(await numbers()).to.deep.equal([['update n/b status', 1, 0, 1, 1, 'SufficientPods']]);
    expect(world.events).to.include("Warning NotDeleted n/a: Pod was expected by PDB n/n to be deleted but it wasn't");
  });

  it('takes the mark from a pod that was to be disrupted and was not', async () => {
    const marked = pod('a');
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: at(0) };
    world.api.seed(pods, { metadata: { ...marked.metadata, generation: 7 }, status: { ...marked.status, conditions: [condition] } });
    await world.start(disruptionController);
    await world.advance(119_000);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(1_000);
    expect((await world.writes()).map(({ verb, key, subresource, body }) => [verb, key, subresource, (body as Pod).status])).to.deep.equal([
      [
        'patch',
        'n/a',
        'status',
        {
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'False',
              lastTransitionTime: at(120),
              observedGeneration: 7,
              reason: null,
              message: null,
              lastProbeTime: null,
            },
          ],
        },
      ],
    ]);
  });

  it('leaves marks that still hold', () => {
    const marked = (condition: object, base = pod('a')): Pod => ({
      ...base,
      status: { ...base.status, conditions: [{ type: 'DisruptionTarget', status: 'True', lastTransitionTime: at(-600), ...condition }] },
    });
    expect(untilStaleMs(marked({}), start)).to.equal(-480_000);
    for (const one of [
      marked({ status: 'False' }),
      marked({ reason: 'TerminationByKubelet' }),
      marked({}, pod('a', { ending: true })),
      marked({}, { ...pod('a'), status: { phase: 'Failed' } }),
    ]) {
      expect(untilStaleMs(one, start), JSON.stringify(one)).to.equal(null);
    }
  });
});
