import { expect } from 'chai';
import { type ReplicaSet, replicaSets } from '../../../../api/types/apps/v1.js';
import { type Pod, pods, replicationControllers } from '../../../../api/types/core/v1.js';
import { replicaSetController, replicationControllerController } from '../../../../controllers/replicaset/replicaSets.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal, type Write } from '../../../fixtures/memoryApi.js';

const set = (replicas: number, spec: Partial<NonNullable<ReplicaSet['spec']>> = {}, name = 'web'): ReplicaSet => ({
  metadata: { name, namespace: 'n', uid: `u-${name}`, generation: 1 },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c' }] } },
    ...spec,
  },
});
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u-web', controller: true, blockOwnerDeletion: true };
const pod = (name: string, more: Partial<Pod['metadata']> = {}, status: Pod['status'] = { phase: 'Running' }): Pod => ({
  metadata: { name, namespace: 'n', uid: `u-${name}`, labels: { app: 'a' }, ...more },
  spec: { containers: [] },
  status: status ?? {},
});
const lines = (writes: readonly Write[]): readonly string[] =>
  writes.map(({ verb, type, key, subresource, refused }) => [verb, type, key, subresource, refused].filter(Boolean).join(' '));

describe('controllers/replicaset/replicaController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const start = () => world.start(replicaSetController);
  const status = () => world.api.peek(replicaSets, 'n/web')?.status;

  it('creates what is missing, as the template says, and tells how many there are', async () => {
    world.api.seed(replicaSets, set(2));
    await start();
    const writes = await world.writes();
    expect(writes[0]).to.deep.equal({
      verb: 'create',
      type: 'pods',
      key: 'n/web-',
      body: {
        metadata: { generateName: 'web-', namespace: 'n', labels: { app: 'a' }, ownerReferences: [owner] },
        spec: { containers: [{ name: 'c' }] },
      },
    });
    expect(lines(writes).filter((line) => line.startsWith('create'))).to.have.length(2);
    expect(status()).to.deep.include({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
    expect(world.events).to.deep.equal([
      'Normal SuccessfulCreate n/web: Created pod: web-00001',
      'Normal SuccessfulCreate n/web: Created pod: web-00002',
    ]);
  });

  it('creates no pod twice while the watch lags behind its own writes', async () => {
    world.api.seed(replicaSets, set(3));
    let creations = 0;
    world.api.before = ({ verb, type }) => {
      if (verb !== 'create' || type !== 'pods') return;
      creations++;
      // The set changes meanwhile.
      world.api.change(replicaSets, 'n/web', (object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { round: String(creations) } },
      }));
    };
    await start();
    expect([creations, world.api.all(pods).length]).to.deep.equal([3, 3]);
  });

  it('adopts what matches and has no owner, and releases what does not match any more', async () => {
    world.api.seed(replicaSets, set(1));
    world.api.seed(
      pods,
      pod('orphan'),
      pod('strayed', { labels: { app: 'b' }, ownerReferences: [owner] }),
      pod('foreign', { ownerReferences: [{ ...owner, uid: 'other' }] }),
    );
    await start();
    expect(world.api.peek(pods, 'n/orphan')?.metadata.ownerReferences).to.deep.equal([owner]);
    expect(world.api.peek(pods, 'n/strayed')?.metadata.ownerReferences ?? []).to.deep.equal([]);
    expect(world.api.peek(pods, 'n/foreign')?.metadata.ownerReferences?.[0]?.uid).to.equal('other');
    expect(world.api.all(pods)).to.have.length(3);
  });

  it('adds itself to owners that do not control, and becomes the controller where it is one of them', async () => {
    const other = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'other', controller: false };
    const { blockOwnerDeletion: _, ...listed } = owner;
    world.api.seed(replicaSets, set(2));
    world.api.seed(
      pods,
      pod('kept', { ownerReferences: [other] }),
      pod('listed', { ownerReferences: [{ ...listed, controller: false }, other] }),
    );
    await start();
    expect(world.api.peek(pods, 'n/kept')?.metadata.ownerReferences).to.deep.equal([other, owner]);
    expect(world.api.peek(pods, 'n/listed')?.metadata.ownerReferences).to.deep.equal([owner, other]);
  });

  it('adopts nothing once its deletion is known to the server alone', async () => {
    world.api.seed(replicaSets, set(1));
    world.api.seed(pods, pod('orphan'));
    world.api.before = ({ verb, type }) => {
      if (verb === 'get' && type === 'replicasets.apps') throw refusal(404, 'NotFound');
    };
    await start();
    expect(world.api.peek(pods, 'n/orphan')?.metadata.ownerReferences).to.equal(undefined);
  });

  it('replaces pods that have ended, and deletes what is too much', async () => {
    world.api.seed(replicaSets, set(1));
    world.api.seed(
      pods,
      pod('done', { ownerReferences: [owner] }, { phase: 'Succeeded' }),
      pod('failed', { ownerReferences: [owner] }, { phase: 'Failed' }),
    );
    await start();
    expect(lines(await world.writes()).filter((line) => line.startsWith('create'))).to.have.length(1);
    world.api.change(replicaSets, 'n/web', (object) => ({ ...object, spec: { ...object.spec, replicas: 0 } }));
    expect(lines(await world.writes())[0]).to.match(/^delete pods n\/web-/);
    expect(status()).to.deep.include({ replicas: 0, observedGeneration: 2 });
  });

  it('stops after the first refusal, says so in an event and a condition, and tries again', async () => {
    world.api.seed(replicaSets, set(10));
    let refusals = 1;
    world.api.before = ({ verb }) => {
      if (verb === 'create' && refusals > 0) throw refusal(403, 'Forbidden', 'exceeded quota');
    };
    await start();
    // One attempt of ten; its status update triggers the next.
    expect(lines(await world.writes())).to.deep.equal([
      'create pods n/web- Forbidden',
      'update replicasets.apps n/web status',
      'create pods n/web- Forbidden',
    ]);
    expect(status()?.conditions?.map(({ type, reason, message }) => [type, reason, message])).to.deep.equal([
      ['ReplicaFailure', 'FailedCreate', 'exceeded quota'],
    ]);
    expect(world.events[0]).to.equal('Warning FailedCreate n/web: Error creating: exceeded quota');
    refusals = 0;
    await world.advance(1_000);
    expect(status()).to.deep.include({ replicas: 10 });
    expect(status()?.conditions ?? []).to.deep.equal([]);
  });

  it('tells when pods become available, though nothing else happens', async () => {
    world.api.seed(replicaSets, set(1, { minReadySeconds: 10 }));
    world.api.seed(
      pods,
      pod(
        'p',
        { ownerReferences: [owner] },
        { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      ),
    );
    await start();
    expect([status()?.readyReplicas, status()?.availableReplicas]).to.deep.equal([1, 0]);
    await world.advance(9_999);
    expect(status()?.availableReplicas).to.equal(0);
    await world.advance(1);
    expect(status()?.availableReplicas).to.equal(1);
  });

  it('does nothing to the pods of a set that is being deleted, and writes nothing that is there', async () => {
    world.api.seed(replicaSets, {
      ...set(2),
      metadata: { ...set(2).metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] },
    });
    world.api.seed(pods, pod('orphan'));
    await start();
    expect(lines(await world.writes())).to.deep.equal(['update replicasets.apps n/web status']);
    world.api.change(replicaSets, 'n/web', (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }));
    expect(await world.writes()).to.deep.equal([]);
  });

  it('tells of pods that are still ending, which a replication controller does not', async () => {
    const ending = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30, finalizers: ['x/y'] };
    world.api.seed(replicaSets, set(0));
    world.api.seed(replicationControllers, {
      metadata: { name: 'rc', namespace: 'n', uid: 'u-rc', generation: 1 },
      spec: { replicas: 0, selector: { app: 'rc' } },
    });
    world.api.seed(
      pods,
      pod('p', { ...ending, ownerReferences: [owner] }),
      pod('q', {
        ...ending,
        labels: { app: 'rc' },
        ownerReferences: [{ ...owner, apiVersion: 'v1', kind: 'ReplicationController', name: 'rc', uid: 'u-rc' }],
      }),
    );
    await start();
    await world.start(replicationControllerController);
    expect(status()).to.deep.include({ replicas: 0, terminatingReplicas: 1 });
    expect(world.api.peek(replicationControllers, 'n/rc')?.status).not.to.have.property('terminatingReplicas');
  });
});
