import { expect } from 'chai';
import {
  type ControllerRevision,
  controllerRevisions,
  type StatefulSet,
  statefulSets,
  type StatefulSetSpec,
} from '../../../../api/types/apps/v1.js';
import { persistentVolumeClaims, type Pod, pods } from '../../../../api/types/core/v1.js';
import { statefulSetController } from '../../../../controllers/statefulset/statefulSetController.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

describe('the stateful set controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  const set = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
    metadata: { name: 'web', namespace: 'n', generation: 1 },
    spec: {
      replicas: 2,
      serviceName: 'svc',
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  });
  const ready = (key: string): void => {
    world.api.change(pods, key, (pod) => ({
      ...pod,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z' }] },
    }));
  };
  const status = (): unknown => world.api.peek(statefulSets, 'n/web')?.status;
  /** Status writes are omitted: their number depends on the order of cache updates. */
  const summary = async (): Promise<readonly string[]> =>
    (await world.writes())
      .filter(({ subresource, refused }) => subresource !== 'status' && !refused)
      .map(({ verb, type, key }) => `${verb} ${type.split('.')[0] ?? ''} ${key}`);
  const image = (name: string): string | undefined => world.api.peek(pods, `n/${name}`)?.spec?.containers?.[0]?.image;

  it('makes pods in order, updates them from above, and goes back', async () => {
    world.api.seed(statefulSets, set({ revisionHistoryLimit: 0 }));
    await world.start(statefulSetController);
    expect((await summary()).map((line) => line.replace(/n\/web-[a-z0-9]{6,}$/, 'n/web-HASH'))).to.deep.equal([
      'create controllerrevisions n/web-HASH',
      'create pods n/web-0',
    ]);
    ready('n/web-0');
    expect(await summary()).to.deep.equal(['create pods n/web-1']);
    ready('n/web-1');
    await world.settled();
    const [first] = world.api.all(controllerRevisions);
    expect(status()).to.deep.include({
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: first?.metadata.name,
      collisionCount: 0,
    });

    world.api.change(statefulSets, 'n/web', (of) => ({
      ...of,
      spec: { ...of.spec, template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'img:2' }] } } },
    }));
    expect((await summary()).slice(1)).to.deep.equal(['delete pods n/web-1', 'create pods n/web-1']);
    expect([image('web-0'), image('web-1')]).to.deep.equal(['img:1', 'img:2']);
    ready('n/web-1');
    await world.settled();
    ready('n/web-0');
    await world.settled();
    expect([image('web-0'), image('web-1')]).to.deep.equal(['img:2', 'img:2']);
    expect(world.api.all(controllerRevisions).map(({ revision }) => revision)).to.deep.equal([2]);
    expect(world.events.slice(0, 2)).to.deep.equal([
      'Normal SuccessfulCreate n/web: Create Pod web-0 in StatefulSet web successful',
      'Normal SuccessfulCreate n/web: Create Pod web-1 in StatefulSet web successful',
    ]);
    expect(world.events).to.include('Normal SuccessfulDelete n/web: Delete Pod web-1 in StatefulSet web successful');
  });

  it('makes claims before pods, and keeps them', async () => {
    world.api.seed(statefulSets, set({ replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' } }] }));
    await world.start(statefulSetController);
    expect((await summary()).slice(1)).to.deep.equal(['create persistentvolumeclaims n/data-web-0', 'create pods n/web-0']);
    expect(world.events[0]).to.equal('Normal SuccessfulCreate n/web: Create Claim data-web-0 Pod web-0 in StatefulSet web success');
    world.api.change(statefulSets, 'n/web', (of) => ({ ...of, spec: { ...(of.spec as StatefulSetSpec), replicas: 0 } }));
    expect(await summary()).to.deep.equal(['delete pods n/web-0']);
    expect(world.api.all(persistentVolumeClaims)).to.have.length(1);
  });

  it('warns when someone else controls a claim of which the set says what is to become', async () => {
    world.api.seed(
      statefulSets,
      set({
        replicas: 1,
        volumeClaimTemplates: [{ metadata: { name: 'data' } }],
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      }),
    );
    await world.start(statefulSetController);
    ready('n/web-0');
    await world.settled();
    expect(world.api.peek(persistentVolumeClaims, 'n/data-web-0')?.metadata.ownerReferences).to.have.length(1);
    expect(world.events.join()).not.to.contain('ConflictingController');
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u', controller: true };
    world.api.change(persistentVolumeClaims, 'n/data-web-0', (claim) => ({
      ...claim,
      metadata: { ...claim.metadata, ownerReferences: [...(claim.metadata.ownerReferences ?? []), other] },
    }));
    await world.settled();
    expect(world.events.filter((event) => event.includes('ConflictingController'))).to.deep.equal([
      'Warning ConflictingController n/web: PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim',
    ]);
    expect(world.api.peek(persistentVolumeClaims, 'n/data-web-0')?.metadata.ownerReferences).to.deep.equal([other]);
  });

  it('stands behind a pod of someone else without an event, and goes on when it is gone', async () => {
    world.api.seed(statefulSets, set());
    world.api.seed(pods, {
      metadata: {
        name: 'web-0',
        namespace: 'n',
        labels: { app: 'other' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u', controller: true }],
      },
    } as Pod);
    await world.start(statefulSetController);
    await world.advance(100);
    expect([world.events, status()]).to.deep.equal([
      [],
      {
        observedGeneration: 1,
        replicas: 0,
        readyReplicas: 0,
        availableReplicas: 0,
        currentReplicas: 0,
        updatedReplicas: 0,
        currentRevision: world.api.all(controllerRevisions)[0]?.metadata.name,
        updateRevision: world.api.all(controllerRevisions)[0]?.metadata.name,
        collisionCount: 0,
      },
    ]);
    await world.writes();
    world.api.evaporate(pods, 'n/web-0');
    expect(await summary()).to.deep.equal(['create pods n/web-0']);
  });

  it('takes another name for a revision whose name others have', async () => {
    world.api.seed(statefulSets, set());
    await world.start(statefulSetController);
    const name = world.api.all(controllerRevisions)[0]?.metadata.name ?? '';
    await world.stop();
    world = controllerWorld();
    const taken: ControllerRevision = { metadata: { name, namespace: 'n' }, data: { other: true }, revision: 1 };
    world.api.seed(controllerRevisions, taken);
    world.api.seed(statefulSets, set());
    await world.start(statefulSetController);
    expect(world.api.all(controllerRevisions)).to.have.length(2);
    expect(status()).to.deep.include({ collisionCount: 1 });
  });

  it('adopts pods and revisions that nobody owns', async () => {
    world.api.seed(statefulSets, set({ replicas: 1 }));
    await world.start(statefulSetController);
    await world.settled();
    const [revision] = world.api.all(controllerRevisions);
    const pod = world.api.peek(pods, 'n/web-0');
    await world.stop();
    world = controllerWorld();
    const orphaned = <T extends { metadata: object }>(object: T): T => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [] },
    });
    if (revision) world.api.seed(controllerRevisions, orphaned(revision));
    if (pod) world.api.seed(pods, orphaned(pod));
    world.api.seed(statefulSets, set({ replicas: 1 }));
    await world.start(statefulSetController);
    expect(await summary()).to.have.members(['patch pods n/web-0', `patch controllerrevisions n/${revision?.metadata.name ?? ''}`]);
  });
});
