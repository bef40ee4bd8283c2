import { expect } from 'chai';
import type { KubeObject, OwnerReference } from '../../../../api/meta/object.js';
import { deployments, replicaSets } from '../../../../api/types/apps/v1.js';
import { configMaps, pods } from '../../../../api/types/core/v1.js';
import { resource } from '../../../../api/meta/resource.js';
import { Graph, nodeOf, type Node } from '../../../../controllers/garbagecollector/graph.js';
import { judge, type Judgement, type OwnerState } from '../../../../controllers/garbagecollector/judgement.js';
import { entryOf } from '../../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import type { Write } from '../../../fixtures/memoryApi.js';

const reference = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `name of ${uid}`,
  uid,
  ...more,
});
const map = (uid: string, owners: readonly OwnerReference[] = [], metadata: KubeObject['metadata'] = {}): KubeObject => ({
  metadata: { name: `name of ${uid}`, namespace: 'n', uid, ...(owners.length > 0 ? { ownerReferences: owners } : {}), ...metadata },
});
const going = (...finalizers: string[]): KubeObject['metadata'] => ({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers });

describe('controllers/garbagecollector/judgement', () => {
  const states =
    (of: Record<string, OwnerState>) =>
    ({ uid }: OwnerReference): OwnerState =>
      of[uid] ?? 'solid';
  const dependent = (deletingDependents: boolean): Node => ({ ...nodeOf(configMaps, map('d')), deletingDependents });
  const both = [reference('a'), reference('b')];
  const cases: readonly (readonly [string, KubeObject, Record<string, OwnerState>, readonly Node[], Judgement])[] = [
    ['nobody owns it', map('x'), {}, [], { do: 'nothing' }],
    ['all owners are there', map('x', both), {}, [], { do: 'nothing' }],
    ['one of two is gone', map('x', both), { a: 'absent' }, [], { do: 'keep', owners: [both[1] as OwnerReference] }],
    ['one of two waits for it', map('x', both), { a: 'waitingForDependents' }, [], { do: 'keep', owners: [both[1] as OwnerReference] }],
    ['all are gone', map('x', both), { a: 'absent', b: 'absent' }, [], { do: 'delete', policy: 'Background', unblock: false }],
    [
      'it asked to orphan its own',
      map('x', [reference('a')], { finalizers: ['orphan'] }),
      { a: 'absent' },
      [],
      { do: 'delete', policy: 'Orphan', unblock: false },
    ],
    [
      'it asked for the foreground',
      map('x', [reference('a')], { finalizers: ['foregroundDeletion'] }),
      { a: 'absent' },
      [],
      { do: 'delete', policy: 'Foreground', unblock: false },
    ],
    [
      'its owner waits, and it owns nothing',
      map('x', [reference('a')]),
      { a: 'waitingForDependents' },
      [],
      { do: 'delete', policy: 'Background', unblock: false },
    ],
    [
      'its owner waits, and it owns others',
      map('x', [reference('a')]),
      { a: 'waitingForDependents' },
      [dependent(false)],
      { do: 'delete', policy: 'Foreground', unblock: false },
    ],
    [
      'a circle of waiting',
      map('x', [reference('a')]),
      { a: 'waitingForDependents' },
      [dependent(true)],
      { do: 'delete', policy: 'Foreground', unblock: true },
    ],
  ];
  for (const [about, object, of, dependents, wanted] of cases)
    it(about, () => expect(judge(object, states(of), dependents)).to.deep.equal(wanted));
});

describe('controllers/garbagecollector/graph', () => {
  const node = (...given: Parameters<typeof map>): Node => nodeOf(configMaps, map(...given));

  it('suspects a dependent whose owner it has not seen, and none whose owner it has', () => {
    const graph = new Graph();
    expect(graph.observe(node('d', [reference('o')])).attemptToDelete).to.deep.equal(['d']);
    graph.observe(node('o'));
    expect(graph.observe(node('e', [reference('o')])).attemptToDelete).to.deep.equal([]);
    expect(graph.observe(node('f', [reference('o', { name: 'another' })])).attemptToDelete).to.deep.equal(['f']);
  });

  it('suspects the dependents of what is gone', () => {
    const graph = new Graph();
    for (const each of [node('o'), node('d', [reference('o')]), node('e', [reference('o')]), node('x')]) graph.observe(each);
    expect(graph.forget('o').attemptToDelete).to.deep.equal(['d', 'e']);
    expect(graph.forget('o').attemptToDelete).to.deep.equal([]);
  });

  it('begins a foreground deletion with all dependents, and ends it when the last blocker goes', () => {
    const graph = new Graph();
    const blocking = reference('o', { blockOwnerDeletion: true });
    for (const each of [node('o'), node('d', [blocking]), node('e', [reference('o')])]) graph.observe(each);
    expect(graph.observe(node('o', [], going('foregroundDeletion'))).attemptToDelete).to.deep.equal(['d', 'e', 'o']);
    expect(graph.blockersOf('o').map(({ uid }) => uid)).to.deep.equal(['d']);
    expect(graph.observe(node('d', [reference('o')])).attemptToDelete).to.deep.equal(['o']);
    expect(graph.blockersOf('o')).to.deep.equal([]);
    expect(graph.forget('e').attemptToDelete).to.deep.equal(['o']);
  });

  it('frees dependents once of an owner that orphans', () => {
    const graph = new Graph();
    expect(graph.observe(node('o', [], going('orphan'))).attemptToOrphan).to.deep.equal(['o']);
    expect(graph.observe(node('o', [], going('orphan', 'x'))).attemptToOrphan).to.deep.equal([]);
  });

  it('tells of an owner in another namespace', () => {
    const graph = new Graph();
    graph.observe(node('o', [], { namespace: 'other' }));
    expect(
      graph.observe(node('d', [reference('o')])).foreignOwners.map(({ dependent, owner }) => [dependent.uid, owner.uid]),
    ).to.deep.equal([['d', 'o']]);
  });

  it('forgets a type without suspecting anybody', () => {
    const graph = new Graph();
    for (const each of [node('o'), node('d', [reference('o')])]) graph.observe(each);
    graph.forgetType(() => true);
    expect([graph.size, graph.dependentsOf('o')]).to.deep.equal([0, []]);
  });
});

describe('controllers/garbagecollector/garbageCollector', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const start = () => world.start(entryOf('garbage-collector-controller').make);
  const lines = (writes: readonly Write[]): readonly string[] =>
    writes.map(({ verb, type, key, refused, options, body }) =>
      [
        verb,
        type,
        key,
        options?.propagationPolicy,
        body && JSON.stringify((body as KubeObject).metadata.ownerReferences ?? (body as KubeObject).metadata.finalizers ?? null),
        refused,
      ]
        .filter(Boolean)
        .join(' '),
    );
  const owned = (name: string, ...owners: OwnerReference[]): KubeObject => ({
    metadata: { name, namespace: 'n', uid: `u-${name}`, ownerReferences: owners },
  });
  const byDeployment = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name,
    uid: `u-${name}`,
    ...more,
  });
  const bySet = (name: string): OwnerReference => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name,
    uid: `u-${name}`,
    blockOwnerDeletion: true,
  });

  it('deletes what has lost its owner, link by link', async () => {
    world.api.seed(deployments, owned('web'));
    world.api.seed(replicaSets, owned('rs', byDeployment('web')));
    world.api.seed(pods, owned('p', bySet('rs')));
    await start();
    expect(await world.writes()).to.deep.equal([]);
    world.api.evaporate(deployments, 'n/web');
    await world.settled();
    expect(lines(await world.writes())).to.deep.equal(['delete replicasets.apps n/rs Background', 'delete pods n/p Background']);
  });

  it('believes the server: an owner that the watch does not show yet is no lost owner', async () => {
    world.api.seed(pods, owned('p', bySet('rs')));
    world.api.before = ({ verb, type }) => {
      if (verb === 'get' && type === 'replicasets.apps' && !world.api.peek(replicaSets, 'n/rs')) world.api.seed(replicaSets, owned('rs'));
    };
    await world.api.list(replicaSets);
    await start();
    expect(await world.writes()).to.deep.equal([]);
  });

  it('deletes no object that has changed since it was judged', async () => {
    world.api.seed(deployments);
    await world.api.list(deployments);
    world.api.seed(pods, owned('p', byDeployment('gone')));
    let changes = 1;
    world.api.before = ({ verb, type }) => {
      if (verb === 'delete' && type === 'pods' && changes-- > 0)
        world.api.change(pods, 'n/p', ({ metadata: { ownerReferences: _, ...metadata }, ...pod }) => ({ ...pod, metadata }));
    };
    await start();
    await world.advance(1_000);
    expect(lines(await world.writes())).to.deep.equal(['delete pods n/p Background Conflict']);
    expect(world.api.peek(pods, 'n/p')).not.to.equal(undefined);
  });

  it('takes the reference to a lost owner from what has another', async () => {
    world.api.seed(deployments, owned('a'));
    world.api.seed(configMaps, owned('m', byDeployment('a'), byDeployment('gone')));
    await start();
    expect(lines(await world.writes())).to.deep.equal([`patch configmaps n/m ${JSON.stringify([byDeployment('a')])}`]);
  });

  it('deletes in the foreground from the leaves, and the owner last', async () => {
    const blocking = byDeployment('web', { blockOwnerDeletion: true });
    world.api.seed(deployments, owned('web'));
    world.api.seed(replicaSets, owned('rs', blocking));
    world.api.seed(pods, owned('p', bySet('rs')));
    await start();
    await world.api.delete(deployments, { namespace: 'n', name: 'web' }, { propagationPolicy: 'Foreground' });
    await world.settled();
    await world.advance(1_000);
    const writes = lines(await world.writes());
    const at = (text: string): number => writes.findIndex((line) => line.startsWith(text));
    expect([
      at('delete replicasets.apps n/rs Foreground') >= 0,
      at('delete pods n/p') > at('delete replicasets.apps n/rs'),
      at('patch deployments.apps n/web') > at('patch replicasets.apps n/rs'),
    ]).to.deep.equal([true, true, true]);
    expect([world.api.all(deployments), world.api.all(replicaSets), world.api.all(pods)]).to.deep.equal([[], [], []]);
  });

  it('orphans dependents before the owner goes', async () => {
    world.api.seed(deployments, owned('web'));
    world.api.seed(replicaSets, owned('rs', byDeployment('web')));
    await start();
    await world.api.delete(deployments, { namespace: 'n', name: 'web' }, { propagationPolicy: 'Orphan' });
    expect(lines(await world.writes())).to.deep.equal([
      'delete deployments.apps n/web Orphan',
      'patch replicasets.apps n/rs null',
      'patch deployments.apps n/web []',
    ]);
    expect([world.api.all(deployments), world.api.peek(replicaSets, 'n/rs')?.metadata.ownerReferences]).to.deep.equal([[], undefined]);
  });

  it('ends a circle of objects that wait for each other', async () => {
    const circle = (name: string, owner: string): KubeObject =>
      owned(name, { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: `u-${owner}`, blockOwnerDeletion: true });
    world.api.seed(configMaps, circle('a', 'b'), circle('b', 'a'));
    await start();
    await world.api.delete(configMaps, { namespace: 'n', name: 'a' }, { propagationPolicy: 'Foreground' });
    await world.advance(10_000);
    expect(world.api.all(configMaps)).to.deep.equal([]);
  });

  it('leaves a dependent alone whose owner is of a kind that nobody serves', async () => {
    world.api.seed(configMaps, owned('m', { apiVersion: 'x/v1', kind: 'Unheard', name: 'u', uid: 'u' }));
    await start();
    await world.advance(60_000);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.errors[0]).to.include('Unheard');
  });

  it('tells of an owner in another namespace, and deletes its dependent', async () => {
    world.api.seed(configMaps, { metadata: { name: 'o', namespace: 'other', uid: 'u-o' } });
    await start();
    world.api.seed(configMaps, owned('m', { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u-o' }));
    expect(lines(await world.writes())).to.deep.equal(['delete configmaps n/m Background']);
    expect(world.events).to.deep.equal([
      'Warning OwnerRefInvalidNamespace n/m: ownerRef [v1/ConfigMap, namespace: n, name: o, uid: u-o] does not exist in namespace "n"',
    ]);
  });

  it('follows types that come later', async () => {
    const things = resource({ apiVersion: 'example.com/v1', resource: 'things', kind: 'Thing' });
    await start();
    world.api.seed(things, owned('t'));
    world.api.seed(configMaps, owned('m', { apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: 'u-t' }));
    await world.advance(90_000);
    expect(world.api.peek(configMaps, 'n/m')).not.to.equal(undefined);
    world.api.evaporate(things, 'n/t');
    await world.advance(1_000);
    expect(world.api.peek(configMaps, 'n/m')).to.equal(undefined);
  });
});
