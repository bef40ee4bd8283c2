import { expect } from 'chai';
import { deploymentController } from '../../../../controllers/deployment/deploymentController.js';
import { type Deployment, deployments, type ReplicaSet, replicaSets } from '../../../../api/types/apps/v1.js';
import { pods } from '../../../../api/types/core/v1.js';
import { replicaSetController } from '../../../../controllers/replicaset/replicaSets.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal, type Write } from '../../../fixtures/memoryApi.js';

const deployment = (spec: Partial<NonNullable<Deployment['spec']>> = {}): Deployment => ({
  metadata: { name: 'web', namespace: 'n', uid: 'd', generation: 1 },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
    progressDeadlineSeconds: 60,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ...spec,
  },
});
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true, blockOwnerDeletion: true };
const lines = (writes: readonly Write[]): readonly string[] =>
  writes.map(({ verb, type, key, subresource, refused }) =>
    [verb, type, key.replace(/web-.*/, 'web-…'), subresource, refused].filter(Boolean).join(' '),
  );

describe('controllers/deployment/deploymentController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const status = () => world.api.peek(deployments, 'n/web')?.status;
  const condition = (type: string) => {
    const found = status()?.conditions?.find((each) => each.type === type);
    return found && `${found.status} ${found.reason ?? ''}`;
  };

  it('makes a set, tells of it, and writes its revision', async () => {
    world.api.seed(deployments, deployment());
    await world.start(deploymentController);
    expect(lines(await world.writes())).to.deep.equal(['create replicasets.apps n/web-…', 'update deployments.apps n/web status']);
    const [made] = world.api.all(replicaSets);
    expect([made?.metadata.ownerReferences, made?.spec?.replicas]).to.deep.equal([[owner], 2]);
    expect(world.events).to.deep.equal([`Normal ScalingReplicaSet n/web: Scaled up replica set ${made?.metadata.name ?? ''} from 0 to 2`]);
    expect(condition('Progressing')).to.equal('True NewReplicaSetCreated');
  });

  it('without pods is complete by its new set, and drops old ones', async () => {
    world.api.seed(deployments, deployment({ replicas: 0, revisionHistoryLimit: 0 }));
    await world.start(deploymentController);
    await world.start(replicaSetController);
    await world.advance(1_000);
    const [first] = world.api.all(replicaSets);
    const progress = (): string | undefined => status()?.conditions?.find(({ type }) => type === 'Progressing')?.message;
    expect([progress(), status()?.terminatingReplicas]).to.deep.equal([
      `ReplicaSet "${first?.metadata.name ?? ''}" has successfully progressed.`,
      0,
    ]);
    world.api.change(deployments, 'n/web', (old) => ({
      ...old,
      metadata: { ...old.metadata, generation: 2 },
      spec: { ...old.spec, template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'v2' }] } } } as never,
    }));
    await world.advance(1_000);
    expect(world.api.all(replicaSets).map(({ spec }) => spec?.template?.spec?.containers?.[0]?.image)).to.deep.equal(['v2']);
  });

  it('refuses to select everything', async () => {
    world.api.seed(deployments, deployment({ selector: {} }));
    await world.start(deploymentController);
    expect(lines(await world.writes())).to.deep.equal(['update deployments.apps n/web status']);
    expect([...new Set(world.events)]).to.deep.equal([
      'Warning SelectingAll n/web: This deployment is selecting all pods. A non-empty selector is required.',
    ]);
  });

  it('tells why a set cannot be made, and tries again', async () => {
    world.api.seed(deployments, deployment());
    let refuses = true;
    world.api.before = ({ verb, type }) => {
      if (refuses && verb === 'create' && type === 'replicasets.apps') throw refusal(403, 'Forbidden', 'exceeded quota');
    };
    await world.start(deploymentController);
    expect(condition('Progressing')).to.equal('False ReplicaSetCreateError');
    expect(world.events[0]).to.match(/^Warning ReplicaSetCreateError n\/web: Failed to create new replica set "web-.*": exceeded quota$/);
    refuses = false;
    await world.advance(1_000);
    expect(world.api.all(replicaSets)).to.have.length(1);
  });

  it('tells it once while the reason stays, and not in the status without a deadline', async () => {
    for (const [progressDeadlineSeconds, times] of [
      [60, 1],
      [undefined, 0],
    ] as const) {
      const other = controllerWorld();
      other.api.seed(deployments, deployment({ progressDeadlineSeconds } as never));
      other.api.before = ({ verb, type }) => {
        if (verb === 'create' && type === 'replicasets.apps') throw refusal(403, 'Forbidden', 'exceeded quota');
      };
      await other.start(deploymentController);
      await other.advance(10_000);
      const writes = await other.writes();
      expect(writes.filter(({ verb }) => verb === 'create').length).to.be.greaterThan(1);
      expect(writes.filter(({ subresource }) => subresource === 'status')).to.have.length(times);
      await other.stop();
    }
  });

  it('makes nothing in a namespace that ends, and reports no failure', async () => {
    world.api.seed(deployments, deployment());
    world.api.before = ({ verb, type }) => {
      if (verb === 'create' && type === 'replicasets.apps')
        throw refusal(403, 'Forbidden', 'is being terminated', { causes: [{ reason: 'NamespaceTerminating' }] });
    };
    await world.start(deploymentController);
    await world.advance(10_000);
    expect([lines(await world.writes()).length, world.events, status()]).to.deep.equal([1, [], undefined]);
  });

  it('makes a set without pods without an event, and tells each change of size', async () => {
    const resize = (replicas: number): void =>
      void world.api.change(deployments, 'n/web', (each) => ({ ...each, spec: { ...each.spec, replicas } }) as Deployment);
    world.api.seed(deployments, deployment({ replicas: 0 }));
    await world.start(deploymentController);
    await world.settled();
    const name = world.api.all(replicaSets)[0]?.metadata.name ?? '';
    expect(world.events).to.deep.equal([]);
    for (const replicas of [5, 5, 2]) {
      resize(replicas);
      await world.advance(1_000);
    }
    expect(world.events).to.deep.equal([
      `Normal ScalingReplicaSet n/web: Scaled up replica set ${name} from 0 to 5`,
      `Normal ScalingReplicaSet n/web: Scaled down replica set ${name} from 5 to 2`,
    ]);
  });

  it('waits for a set of its own with the same name to go, and counts no collision', async () => {
    world.api.seed(deployments, deployment());
    let name = '';
    world.api.before = ({ verb, type, body }) => {
      if (verb !== 'create' || type !== 'replicasets.apps' || name) return;
      name = (body as Deployment).metadata.name ?? '';
      world.api.seed(replicaSets, {
        metadata: {
          name,
          namespace: 'n',
          uid: 'going',
          labels: { app: 'a' },
          finalizers: ['x/hold'],
          deletionTimestamp: '2026-01-01T00:00:00Z',
          ownerReferences: [owner],
        },
        spec: { replicas: 0, template: {} },
      });
    };
    await world.start(deploymentController);
    await world.advance(100);
    expect([world.api.all(replicaSets).map(({ metadata }) => metadata.uid), status()?.collisionCount]).to.deep.equal([
      ['going'],
      undefined,
    ]);
    world.api.evaporate(replicaSets, `n/${name}`);
    await world.advance(10_000);
    expect(world.api.all(replicaSets).map(({ metadata }) => metadata.name)).to.deep.equal([name]);
  });

  it('takes another name when another template has the same hash', async () => {
    world.api.seed(deployments, deployment());
    let taken = '';
    world.api.before = ({ verb, type, body }) => {
      const { metadata } = (body ?? {}) as Deployment;
      if (verb !== 'create' || type !== 'replicasets.apps' || taken) return;
      taken = metadata.name ?? '';
      world.api.seed(replicaSets, { metadata: { name: taken, namespace: 'n', uid: 'foreign' }, spec: { replicas: 0, template: {} } });
    };
    await world.start(deploymentController);
    await world.advance(1_000);
    expect(status()?.collisionCount).to.equal(1);
    expect(
      world.api
        .all(replicaSets)
        .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === 'd')
        .map(({ metadata }) => metadata.name),
    )
      .to.have.length(1)
      .and.not.include(taken);
  });

  it('counts no collision with the set that it has just made', async () => {
    world.api.seed(deployments, deployment());
    await world.start(deploymentController);
    const [made] = world.api.all(replicaSets);
    // The cache does not show the set, as after a leader change.
    const other = controllerWorld();
    other.api.seed(deployments, deployment());
    other.api.before = ({ verb, type }) => {
      if (verb === 'create' && type === 'replicasets.apps' && made && other.api.all(replicaSets).length === 0)
        other.api.seed(replicaSets, made);
    };
    await other.start(deploymentController);
    await other.advance(1_000);
    expect([other.api.peek(deployments, 'n/web')?.status?.collisionCount, other.api.all(replicaSets).length]).to.deep.equal([undefined, 1]);
    await other.stop();
  });

  it('recreates only when the old pods are gone', async () => {
    world.api.seed(deployments, deployment({ strategy: { type: 'Recreate' } }));
    await world.start(deploymentController);
    await world.start(replicaSetController);
    for (const pod of world.api.all(pods))
      world.api.change(pods, `n/${pod.metadata.name ?? ''}`, (each) => ({
        ...each,
        metadata: { ...each.metadata, finalizers: ['x/hold'] },
      }));
    world.api.change(deployments, 'n/web', (each) => ({
      ...each,
      spec: { ...each.spec, template: { ...each.spec?.template, spec: { containers: [{ name: 'c', image: 'v2' }] } } },
    }));
    await world.advance(1_000);
    expect([
      world.api.all(replicaSets).length,
      world.api.all(pods).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    ]).to.deep.equal([1, true]);
    for (const pod of world.api.all(pods)) world.api.evaporate(pods, `n/${pod.metadata.name ?? ''}`);
    await world.advance(1_000);
    expect([
      world.api
        .all(replicaSets)
        .map(({ spec }) => spec?.replicas)
        .sort(),
      world.api.all(pods).length,
    ]).to.deep.equal([[0, 2], 2]);
  });

  const oldSet = (name: string, replicas: number, desired?: number): ReplicaSet => ({
    metadata: {
      name,
      namespace: 'n',
      uid: name,
      labels: { app: 'a' },
      ownerReferences: [owner],
      annotations: {
        'deployment.kubernetes.io/revision': name.slice(1),
        ...(desired === undefined
          ? {}
          : { 'deployment.kubernetes.io/desired-replicas': `${desired}`, 'deployment.kubernetes.io/max-replicas': `${desired + 1}` }),
      },
    },
    spec: { replicas, selector: {}, template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: name }] } } },
    status: { replicas },
  });

  it('recreates once the last pod of an old set is gone, though the set counts it no longer', async () => {
    world.api.seed(deployments, deployment({ strategy: { type: 'Recreate' } }));
    world.api.seed(replicaSets, oldSet('v0', 0));
    const ownedBySet = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'v0', uid: 'v0', controller: true }];
    for (const name of ['p', 'q'])
      world.api.seed(pods, { metadata: { name, namespace: 'n', uid: name, labels: { app: 'a' }, ownerReferences: ownedBySet } });
    await world.start(deploymentController);
    await world.advance(1_000);
    expect(world.api.all(replicaSets)).to.have.length(1);
    world.api.evaporate(pods, 'n/p');
    await world.advance(1_000);
    expect(world.api.all(replicaSets)).to.have.length(1);
    world.api.evaporate(pods, 'n/q');
    await world.advance(1_000);
    expect(world.api.all(replicaSets)).to.have.length(2);
  });

  it('after a change of size writes no set that has its size and remembers it', async () => {
    world.api.seed(deployments, deployment({ replicas: 3 }));
    world.api.seed(replicaSets, oldSet('v7', 2, 3), oldSet('v8', 2, 2));
    await world.start(deploymentController);
    await world.settled();
    const updates = (await world.writes()).filter(({ verb, type }) => verb === 'update' && type === 'replicasets.apps');
    expect(updates.map(({ key }) => key)[0]).to.equal('n/v8');
  });

  it('rolls an update out with the other controller to its end', async () => {
    world.api.seed(deployments, deployment());
    await world.start(deploymentController);
    await world.start(replicaSetController);
    /** Running pods become ready. */
    const live = async (): Promise<void> => {
      for (const pod of world.api.all(pods))
        world.api.change(pods, `n/${pod.metadata.name ?? ''}`, (each) => ({
          ...each,
          status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
        }));
      await world.advance(1_000);
      expect(world.api.all(pods).length).to.be.within(2, 3);
    };
    await live();
    expect(condition('Progressing')).to.equal('True NewReplicaSetAvailable');
    world.api.change(deployments, 'n/web', (each) => ({
      ...each,
      spec: { ...each.spec, template: { ...each.spec?.template, spec: { containers: [{ name: 'c', image: 'v2' }] } } },
    }));
    await world.advance(1_000);
    for (let round = 0; round < 3; round++) await live();
    expect(world.api.all(pods).map(({ spec }) => spec?.containers?.[0]?.image)).to.deep.equal(['v2', 'v2']);
    expect([
      condition('Progressing'),
      status()?.updatedReplicas,
      world.api.peek(deployments, 'n/web')?.metadata.annotations?.['deployment.kubernetes.io/revision'],
    ]).to.deep.equal(['True NewReplicaSetAvailable', 2, '2']);
  });

  it('says when its deadline has passed, though nothing happens', async () => {
    world.api.seed(deployments, deployment());
    await world.start(deploymentController);
    await world.start(replicaSetController);
    await world.advance(59_000);
    expect(condition('Progressing')).to.match(/^True/);
    await world.advance(5_000);
    expect(condition('Progressing')).to.equal('False ProgressDeadlineExceeded');
  });
});
