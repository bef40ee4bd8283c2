import { expect } from 'chai';
import { daemonPod, nodeOf, tolerationsOf } from '../../../../controllers/daemonset/daemonPod.js';
import { nextAttempt, waitMs, type Attempt } from '../../../../controllers/daemonset/failedPods.js';
import { historyOf, newRevision, revisionsToDelete } from '../../../../controllers/daemonset/history.js';
import { fitOf } from '../../../../controllers/daemonset/nodeFit.js';
import { plan, type Observed } from '../../../../controllers/daemonset/plan.js';
import { rollout } from '../../../../controllers/daemonset/rollout.js';
import { statusOf } from '../../../../controllers/daemonset/status.js';
import type { ControllerRevision, DaemonSet, DaemonSetSpec, DaemonSetStatus } from '../../../../api/types/apps/v1.js';
import type { Node, Pod, PodSpec, Taint, Toleration } from '../../../../api/types/core/v1.js';
import { nextNumber, numbered, numberOf, oldestFirst, patchOf } from '../../../../controllers/revisions/history.js';

const start = Date.UTC(2026, 0, 1);
const set = (spec: PodSpec = {}, rest: Partial<DaemonSetSpec> = {}, status?: Partial<DaemonSetStatus>): DaemonSet => ({
  metadata: { name: 'd', namespace: 'n', uid: 'u-d', generation: 2, annotations: { 'deprecated.daemonset.template.generation': '2' } },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c' }], ...spec } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    ...rest,
  },
  ...(status ? { status: status as DaemonSetStatus } : {}),
});
const node = (
  name: string,
  { labels = {}, taints = [] }: { labels?: Readonly<Record<string, string>>; taints?: readonly Taint[] } = {},
): Node => ({ metadata: { name, labels }, spec: { taints } });
const surge = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };

/** `n1` ready and new on node n1; suffixes after a colon: o old, n not ready, f failed, s succeeded, t terminating, b bound, j just became ready. */
function pods(of: DaemonSet, words: string): Pod[] {
  return words
    .split(' ')
    .filter((word) => word)
    .map((word, index) => {
      const [where = '', letters = ''] = word.split(':');
      const has = (letter: string): boolean => letters.includes(letter);
      const made = daemonPod(of, where, has('o') ? 'old' : 'new');
      const labels = { ...made.metadata.labels, ...(has('o') ? { 'pod-template-generation': '1' } : {}) };
      const phase = has('f') ? 'Failed' : has('s') ? 'Succeeded' : 'Running';
      return {
        metadata: {
          ...made.metadata,
          labels,
          name: `${where}${letters}`,
          uid: `u-${index}`,
          creationTimestamp: `2025-01-01T00:00:0${index}Z`,
          ...(has('t') ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
        },
        spec: { ...made.spec, ...(has('b') ? { nodeName: where } : {}) },
        status: {
          phase,
          conditions: [
            {
              type: 'Ready',
              status: phase === 'Running' && !has('n') ? 'True' : 'False',
              lastTransitionTime: has('j') ? '2026-01-01T00:00:00Z' : '2025-01-01T00:00:00Z',
            },
          ],
        },
      };
    });
}
const observed = (of: DaemonSet, nodes: readonly Node[], words: string, attempts: ReadonlyMap<string, Attempt> = new Map()): Observed => ({
  set: of,
  nodes,
  pods: pods(of, words),
  hash: 'new',
  attempts,
  now: start,
  elapsed: start,
});
const names = (removed: readonly Pod[]): string => removed.map(({ metadata }) => `-${metadata.name ?? ''}`).join(' ');
const moves = ({ create, remove }: { create: readonly string[]; remove: readonly Pod[] }): string =>
  [create.map((name) => `+${name}`).join(' '), names(remove)].filter((text) => text).join(' ');

const three = [node('n1'), node('n2'), node('n3')];
const noSchedule = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
const noExecute = [{ key: 'k', value: 'v', effect: 'NoExecute' }];

describe('where a DaemonSet runs', () => {
  const affinity = (...terms: object[]): PodSpec => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms as never } } },
  });
  const expression = (operator: string, ...values: string[]): object => ({ matchExpressions: [{ key: 'zone', operator, values }] });
  const za = node('n1', { labels: { zone: 'za', size: '5' } });
  const larger = (than: string): object => ({ matchExpressions: [{ key: 'size', operator: 'Gt', values: [than] }] });
  const sized = (size: string): Node => node('n1', { labels: { size } });
  const valued = (value: string): Taint[] => [{ key: 'k', value, effect: 'NoSchedule' }];
  const tolerates = (...tolerations: Toleration[]): PodSpec => ({ tolerations });
  const all = { runs: true, stays: true };
  const none = { runs: false, stays: false };
  const stays = { runs: false, stays: true };

  const cases: readonly (readonly [string, PodSpec, Node, object])[] = [
    ['any node', {}, za, all],
    ['the node it names', { nodeName: 'n1' }, za, all],
    ['no other', { nodeName: 'n2' }, za, none],
    ['a node that its selector matches', { nodeSelector: { zone: 'za' } }, za, all],
    ['no other', { nodeSelector: { zone: 'zb' } }, za, none],
    ['In', affinity(expression('In', 'za', 'zb')), za, all],
    ['not In', affinity(expression('In', 'zb')), za, none],
    ['NotIn', affinity(expression('NotIn', 'zb')), za, all],
    ['Exists', affinity(expression('Exists')), za, all],
    ['DoesNotExist', affinity(expression('DoesNotExist')), za, none],
    ['Gt', affinity({ matchExpressions: [{ key: 'size', operator: 'Gt', values: ['4'] }] }), za, all],
    ['Lt', affinity({ matchExpressions: [{ key: 'size', operator: 'Lt', values: ['5'] }] }), za, none],
    ['Gt, beyond what a double tells apart', affinity(larger('9007199254740992')), sized('9007199254740993'), all],
    ['Gt, of what is no number of 64 bits', affinity(larger('1')), sized('9223372036854775808'), none],
    ['Gt, of a number with zeros in front', affinity(larger('-1')), sized('00'), all],
    ['Lt, of what is no number', affinity({ matchExpressions: [{ key: 'size', operator: 'Lt', values: ['5'] }] }), sized('small'), none],
    ['one of several terms', affinity(expression('In', 'zb'), expression('In', 'za')), za, all],
    ['a term that asks for nothing', affinity({}), za, none],
    ['no term', affinity(), za, none],
    ['a field', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }), za, all],
    ['another field', affinity({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] }), za, none],
    ['an untolerated NoSchedule', {}, node('n', { taints: noSchedule }), stays],
    ['an untolerated NoExecute', {}, node('n', { taints: noExecute }), none],
    ['PreferNoSchedule', {}, node('n', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }), all],
    [
      'tolerated by value',
      tolerates({ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }),
      node('n', { taints: noSchedule }),
      all,
    ],
    ['another value', tolerates({ key: 'k', value: 'w' }), node('n', { taints: noSchedule }), stays],
    ['tolerated by existence', tolerates({ key: 'k', operator: 'Exists' }), node('n', { taints: noExecute }), all],
    ['everything tolerated', tolerates({ operator: 'Exists' }), node('n', { taints: noExecute }), all],
    ['another effect', tolerates({ key: 'k', operator: 'Exists', effect: 'NoExecute' }), node('n', { taints: noSchedule }), stays],
    ['a taint that is less', tolerates({ key: 'k', operator: 'Lt', value: '5' }), node('n', { taints: valued('-4') }), all],
    ['a taint that is not less', tolerates({ key: 'k', operator: 'Lt', value: '5' }), node('n', { taints: valued('5') }), stays],
    ['a taint that is more', tolerates({ key: 'k', operator: 'Gt', value: '5' }), node('n', { taints: valued('6') }), all],
    ['a taint with zeros in front', tolerates({ key: 'k', operator: 'Gt', value: '5' }), node('n', { taints: valued('06') }), stays],
    ['a taint that is no number', tolerates({ key: 'k', operator: 'Gt', value: '5' }), node('n', { taints: valued('many') }), stays],
    ['cordoned', {}, node('n', { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }), all],
    ['not ready', {}, node('n', { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] }), all],
    ['without network', {}, node('n', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }), stays],
    [
      'without network, on that of the host',
      { hostNetwork: true },
      node('n', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }),
      all,
    ],
  ];
  for (const [what, spec, on, wanted] of cases)
    it(`${what}: ${JSON.stringify(spec)}`, () => expect(fitOf(set(spec), on)).to.deep.equal(wanted));
});

describe('the pod of a DaemonSet', () => {
  it('is bound to its node by affinity alone, in place of what the template asks for', () => {
    const preferred = [{ weight: 1, preference: {} }];
    const made = daemonPod(
      set({
        affinity: {
          podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: preferred,
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] },
          },
        },
      }),
      'n1',
      'h',
    );
    expect(made.metadata).to.deep.equal({
      generateName: 'd-',
      namespace: 'n',
      labels: { app: 'x', 'pod-template-generation': '2', 'controller-revision-hash': 'h' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u-d', controller: true, blockOwnerDeletion: true }],
    });
    expect(made.spec?.affinity).to.deep.equal({
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
        },
      },
    });
    expect(nodeOf(made)).to.equal('n1');
    expect(nodeOf({ metadata: {}, spec: {} })).to.equal(null);
  });

  it('bears what daemons bear, without saying it twice', () => {
    const own: Toleration = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
    const words = (spec: PodSpec): unknown =>
      tolerationsOf(spec).map(({ key, effect, tolerationSeconds }) => [key?.replace('node.kubernetes.io/', ''), effect, tolerationSeconds]);
    const common = [
      ['unreachable', 'NoExecute', undefined],
      ['disk-pressure', 'NoSchedule', undefined],
      ['memory-pressure', 'NoSchedule', undefined],
      ['pid-pressure', 'NoSchedule', undefined],
      ['unschedulable', 'NoSchedule', undefined],
    ];
    expect(words({ tolerations: [own, { key: 'k' }] })).to.deep.equal([
      ['not-ready', 'NoExecute', undefined],
      ['k', undefined, undefined],
      ...common,
    ]);
    expect(words({ hostNetwork: true })).to.deep.equal([
      ['not-ready', 'NoExecute', undefined],
      ...common,
      ['network-unavailable', 'NoSchedule', undefined],
    ]);
  });
});

describe('the plan of a DaemonSet', () => {
  const tainted = [node('n1', { taints: noSchedule }), node('n2', { taints: noExecute })];
  const cases: readonly (readonly [string, DaemonSet, readonly Node[], string, string])[] = [
    ['a pod for each node', set(), three, '', '+n1 +n2 +n3'],
    ['only where there is none', set(), three, 'n1 n3:n', '+n2'],
    ['none where one goes', set(), three, 'n1 n2:t n3', ''],
    ['a new one beside what has ended and goes', set(), three, 'n1 n2:ft n3', '+n2'],
    ['none on nodes it does not want', set({ nodeSelector: { a: 'b' } }), three, 'n1 n2:t', '-n1'],
    ['stays where a taint keeps new ones away, and goes where one drives out', set(), tainted, 'n1:b n2:b', '-n2b'],
    ['deletes failed ones', set(), three, 'n1:f n2 n3', '-n1f'],
    ['deletes those that succeeded', set(), three, 'n1:s n2 n3', '-n1s'],
    ['keeps the oldest of several', set(), three, 'n1:n n1 n2 n3', '-n1'],
    ['keeps a bound one rather', set(), three, 'n1:n n1:b n2 n3', '-n1n'],
    ['removes what waits for a node that is gone', set(), three, 'n1 n2 n3 n9', '-n9'],
    ['surge: keeps both while the new is not available', set({}, surge), three, 'n1:o n1:n n2 n3', ''],
    ['surge: removes the old once the new is available', set({}, surge), three, 'n1:o n1 n2 n3', '-n1o'],
    ['surge: removes an old that is not ready at once', set({}, surge), three, 'n1:on n1:n n2 n3', '-n1on'],
    ['surge: removes a second of a kind', set({}, surge), three, 'n1:o n1:ob n2 n3', '-n1o'],
    ['surge: makes a new one while the old goes', set({}, surge), three, 'n1:ot n2 n3', '+n1'],
  ];
  for (const [what, of, nodes, words, wanted] of cases)
    it(`${what}: ${words}`, () => expect(moves(plan(observed(of, nodes, words)))).to.equal(wanted));

  it('tells of pods that have ended', () => {
    const { events, tried } = plan(observed(set(), three, 'n1:f n2:s n3'));
    expect([events, tried]).to.deep.equal([
      [
        { type: 'warning', reason: 'FailedDaemonPod', message: 'Found failed daemon pod n/n1f on node n1, will try to kill it' },
        { type: 'normal', reason: 'SucceededDaemonPod', message: 'Found succeeded daemon pod n/n2s on node n2, will try to delete it' },
      ],
      ['n1'],
    ]);
  });

  it('waits ever longer with failed ones', () => {
    const waiting = plan(observed(set(), three, 'n1:f n2 n3', new Map([['n1', { at: start - 500, backoffMs: 1_000 }]])));
    expect([moves(waiting), waiting.againAfterMs, waiting.tried]).to.deep.equal(['', 500, []]);
    let attempt = nextAttempt(undefined, start);
    const waits = [waitMs(attempt, start)];
    for (let time = 0; time < 12; time++) {
      attempt = nextAttempt(attempt, start);
      waits.push(waitMs(attempt, start));
    }
    expect(waits).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900].map((seconds) => seconds * 1_000));
    expect(nextAttempt(attempt, start + 1_800_001)).to.deep.equal({ at: start + 1_800_001, backoffMs: 1_000 });
    expect(waitMs(attempt, start + 1_800_001)).to.equal(0);
  });
});

describe('the rolling update of a DaemonSet', () => {
  const replace = (maxUnavailable: number | string): DaemonSet =>
    set({}, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge: 0 } } });
  const cases: readonly (readonly [string, DaemonSet, string, string])[] = [
    ['one at a time', replace(1), 'n1:o n2:o n3:o', '-n1o'],
    ['waits for the one that goes', replace(1), 'n1:ot n2:o n3:o', ''],
    ['waits for the new one', replace(1), 'n1:n n2:o n3:o', ''],
    ['goes on', replace(1), 'n1 n2:o n3:o', '-n2o'],
    ['several', replace(2), 'n1:o n2:o n3:o', '-n1o -n2o'],
    ['a share, rounded up', replace('40%'), 'n1:o n2:o n3:o', '-n1o -n2o'],
    ['broken ones at once, and no others beside them', replace(1), 'n1:o n2:on n3:on', '-n2on -n3on'],
    ['a node without a pod counts', replace(1), 'n1:o n2:o', ''],
    ['never nothing', replace(0), 'n1:o n2:o n3:o', '-n1o'],
    ['done', replace(1), 'n1 n2 n3', ''],
    ['surge: a new one beside an old one', set({}, surge), 'n1:o n2:o n3:o', '+n1'],
    ['surge: waits for it', set({}, surge), 'n1:o n1:n n2:o n3:o', ''],
    ['surge: removes the old one then, and goes on', set({}, surge), 'n1:o n1 n2:o n3:o', '+n2 -n1o'],
    ['surge: where the old one is broken at once', set({}, surge), 'n1:on n2:on n3:o', '+n1 +n2 +n3'],
    ['surge: not ready for long enough', set({}, { ...surge, minReadySeconds: 10 }), 'n1:o n1:j n2:o n3:o', ''],
  ];
  for (const [what, of, words, wanted] of cases)
    it(`${what}: ${words}`, () => expect(moves(rollout(observed(of, three, words)))).to.equal(wanted));

  it('leaves an old pod where the set runs no more until enough others are available', () => {
    const of = set({ nodeSelector: { a: 'b' } }, surge);
    const nodes = [node('n1', { labels: { a: 'b' } }), node('n2')];
    expect(moves(rollout(observed(of, nodes, 'n1:n n2:o')))).to.equal('');
    expect(moves(rollout(observed(of, nodes, 'n1 n2:o')))).to.equal('-n2o');
  });

  it('knows pods by their generation as well', () => {
    const [pod] = pods(set(), 'n1');
    const adopted = pod ? [{ ...pod, metadata: { ...pod.metadata, labels: { app: 'x', 'pod-template-generation': '2' } } }] : [];
    expect(moves(rollout({ ...observed(replace(1), [node('n1')], ''), pods: adopted }))).to.equal('');
  });
});

describe('the status of a DaemonSet', () => {
  it('counts the oldest pod of each wanted node, and pods where none are wanted', () => {
    const of = set({ nodeSelector: { a: 'b' } }, { minReadySeconds: 10 }, { collisionCount: 2, observedGeneration: 1 });
    const nodes = [...['n1', 'n2', 'n3', 'n4'].map((name) => node(name, { labels: { a: 'b' } })), node('n5')];
    expect(statusOf(observed(of, nodes, 'n1 n2:j n3:on n5 n1:o'), true)).to.deep.equal({
      currentNumberScheduled: 3,
      numberMisscheduled: 1,
      desiredNumberScheduled: 4,
      numberReady: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
      numberUnavailable: 3,
      observedGeneration: 2,
      collisionCount: 2,
    });
    expect(statusOf(observed(of, nodes, ''), false)).to.deep.include({ observedGeneration: 1, desiredNumberScheduled: 4 });
  });
});

describe('the history of a DaemonSet', () => {
  const revision = (name: string, image: string, number: number): ControllerRevision => ({
    metadata: { name, labels: { 'controller-revision-hash': name } },
    data: patchOf({ metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image }] } }),
    revision: number,
  });
  const of = set({ containers: [{ name: 'c', image: 'img:1' }] });
  const [a, b, twin] = [revision('a', 'img:1', 1), revision('b', 'img:2', 2), revision('t', 'img:1', 3)];

  it('finds the revision of the template, its twins, and the number that it should have', () => {
    expect(historyOf(of, [b, a])).to.deep.equal({ current: a, twins: [], old: [b], number: 3n });
    expect(historyOf(of, [twin, b, a])).to.deep.equal({ current: twin, twins: [a], old: [b], number: 3n });
    expect(historyOf(of, [b])).to.deep.equal({ current: null, twins: [], old: [b], number: 3n });
  });

  it('names a new one by its hash', () => {
    const made = newRevision(of, 4n);
    expect(made).to.deep.include({ revision: 4, data: patchOf(of.spec?.template) });
    expect(made.metadata.name).to.equal(`d-${made.metadata.labels?.['controller-revision-hash'] ?? ''}`);
    expect(newRevision({ ...of, status: { collisionCount: 1 } as DaemonSetStatus }, 4n).metadata.name).not.to.equal(made.metadata.name);
  });

  it('forgets the oldest that no pod runs', () => {
    const old = [1, 2, 3, 4].map((number) => revision(`r${number}`, `img:${number}`, number));
    const running: Pod[] = [{ metadata: { labels: { 'controller-revision-hash': 'r1' } } }];
    expect(revisionsToDelete(set({}, { revisionHistoryLimit: 2 }), old, running).map(({ metadata }) => metadata.name)).to.deep.equal([
      'r2',
      'r3',
    ]);
    expect(revisionsToDelete(set({}, { revisionHistoryLimit: 0 }), old, running).map(({ metadata }) => metadata.name)).to.deep.equal([
      'r2',
      'r3',
      'r4',
    ]);
    expect(revisionsToDelete(set(), old, running)).to.deep.equal([]);
  });
});

describe('what revisions hold', () => {
  it('has its members in order, as others compare the bytes', () =>
    expect(
      JSON.stringify(
        patchOf({ spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] }, metadata: { labels: { b: '1', a: '2' } } }),
      ),
    ).to.equal(
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"2","b":"1"}},"spec":{"containers":[{"image":"i","name":"c"}],"restartPolicy":"Always"}}}}',
    ));
  it('is numbered one by one, however large the numbers are', () => {
    const revision = (number: bigint): ControllerRevision => numbered({ metadata: {}, revision: 0 }, number);
    for (const number of [0n, 41n, BigInt(Number.MAX_SAFE_INTEGER), 2n ** 53n, 3546343826724305833n, 2n ** 62n]) {
      expect(nextNumber([revision(number), revision(7n)])).to.equal(number > 7n ? number + 1n : 8n);
      expect(oldestFirst([revision(number + 1n), revision(number)]).map(numberOf)).to.deep.equal([number, number + 1n]);
    }
    expect(revision(41n).revision, 'a number where that says it').to.equal(41);
  });
});
