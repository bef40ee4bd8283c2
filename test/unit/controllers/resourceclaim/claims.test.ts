import { expect } from 'chai';
import { type Pod, pods } from '../../../../api/types/core/v1.js';
import { type ResourceClaim, resourceClaims, resourceClaimTemplates } from '../../../../api/types/resource/v1.js';
import { resourceClaimController } from '../../../../controllers/resourceclaim/claimController.js';
import { claimStep } from '../../../../controllers/resourceclaim/plan.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const finalizer = 'resource.kubernetes.io/delete-protection';
const pod = (status: Pod['status'] = {}): Pod => ({
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: { nodeName: 'a', resourceClaims: [{ name: 'dev', resourceClaimTemplateName: 't' }] },
  status,
});
const claim = (more: Partial<ResourceClaim> = {}): ResourceClaim => ({
  metadata: { name: 'c', namespace: 'n', finalizers: [finalizer] },
  spec: {},
  ...more,
});
const user = { resource: 'pods', name: 'p', uid: 'u' };
const allocation = { devices: { results: [] } };
const template = {
  metadata: { name: 't', namespace: 'n' },
  spec: { metadata: { labels: { a: 'b' } }, spec: { devices: { requests: [] } } },
};

describe('what becomes of a resource claim', () => {
  const of = (given: ResourceClaim, alive: boolean, owner: Pod | null = null): unknown => claimStep(given, () => alive, owner);
  const going = claim({
    metadata: { name: 'c', namespace: 'n', finalizers: [finalizer, 'mine'], deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  it('follows its users', () => {
    const used = claim({ status: { allocation, reservedFor: [user] } });
    expect(of(used, true)).to.deep.equal({ do: 'nothing' });
    expect(of(used, false)).to.deep.equal({ do: 'status', status: {} });
    const foreign = { ...used, metadata: { name: 'c', namespace: 'n' } };
    expect(of(foreign, false)).to.deep.equal({ do: 'status', status: { allocation } });
    expect(of({ ...used, status: { allocation, reservedFor: [{ ...user, resource: 'widgets' }] } }, false)).to.deep.equal({
      do: 'nothing',
    });
    expect(of({ ...going, status: { allocation } }, false)).to.deep.equal({ do: 'status', status: {} });
    expect(of(going, false)).to.deep.equal({ do: 'let go', finalizers: ['mine'] });
    expect(of({ ...going, status: { allocation, reservedFor: [user] } }, true)).to.deep.equal({ do: 'nothing' });
  });
  it('goes with the pod that it was made for', () => {
    expect(of(claim(), false, pod())).to.deep.equal({ do: 'nothing' });
    expect(of(claim(), false, pod({ phase: 'Succeeded' }))).to.deep.equal({ do: 'delete' });
    expect(of(going, false, pod({ phase: 'Succeeded' }))).to.deep.equal({ do: 'let go', finalizers: ['mine'] });
  });
});

describe('the resource claim controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('makes one claim for a pod, and tells the pod its name', async () => {
    world.api.seed(resourceClaimTemplates, template);
    world.api.seed(pods, pod());
    await world.start(resourceClaimController);
    await world.settled();
    const [made, ...others] = world.api.all(resourceClaims);
    expect(others).to.deep.equal([]);
    expect(made?.metadata).to.deep.include({
      generateName: 'p-dev-',
      labels: { a: 'b' },
      annotations: { 'resource.kubernetes.io/pod-claim-name': 'dev' },
    });
    expect(made?.metadata.ownerReferences).to.deep.equal([{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }]);
    expect(world.api.peek(pods, 'n/p')?.status?.resourceClaimStatuses).to.deep.equal([
      { name: 'dev', resourceClaimName: made?.metadata.name },
    ]);
  });

  it('makes no second claim when the status of the pod could not be written', async () => {
    world.api.seed(resourceClaimTemplates, template);
    let refused = 0;
    world.api.before = ({ verb, type }) => {
      if (verb === 'patch' && type === 'pods' && refused++ < 2) throw new Error('no');
    };
    world.api.seed(pods, pod());
    await world.start(resourceClaimController);
    await world.advance(1_000);
    expect(world.api.all(resourceClaims)).to.have.length(1);
    expect(world.api.peek(pods, 'n/p')?.status?.resourceClaimStatuses).to.have.length(1);
  });

  it('says that the template is missing, and makes the claim when it comes', async () => {
    world.api.seed(pods, pod());
    await world.start(resourceClaimController);
    expect(world.events[0]).to.contain('Warning FailedResourceClaimCreation n/p');
    world.api.seed(resourceClaimTemplates, template);
    await world.settled();
    expect(world.api.all(resourceClaims)).to.have.length(1);
  });

  it('makes another claim for a pod whose claim somebody has deleted, and none for one that needs none', async () => {
    world.api.seed(resourceClaimTemplates, template);
    world.api.seed(pods, pod({ resourceClaimStatuses: [{ name: 'dev', resourceClaimName: 'gone' }] }));
    world.api.seed(pods, { ...pod({ resourceClaimStatuses: [{ name: 'dev' }] }), metadata: { name: 'q', namespace: 'n', uid: 'v' } });
    await world.start(resourceClaimController);
    await world.settled();
    const [made, ...others] = world.api.all(resourceClaims);
    expect(others).to.deep.equal([]);
    expect(world.api.peek(pods, 'n/p')?.status?.resourceClaimStatuses?.[0]?.resourceClaimName).to.equal(made?.metadata.name);
    expect(made?.metadata.ownerReferences?.[0]?.uid).to.equal('u');
  });

  it('reserves claims for a pod that no scheduler has reserved them for', async () => {
    const bound = pod();
    world.api.seed(pods, { ...bound, spec: { ...bound.spec, containers: [], resourceClaims: [{ name: 'dev', resourceClaimName: 'c' }] } });
    world.api.seed(resourceClaims, claim({ status: {} }));
    await world.start(resourceClaimController);
    expect(world.api.peek(resourceClaims, 'n/c')?.status).to.deep.equal({});
    world.api.change(resourceClaims, 'n/c', (before) => ({ ...before, status: { allocation } }));
    await world.settled();
    expect(world.api.peek(resourceClaims, 'n/c')?.status?.reservedFor).to.deep.equal([user]);
  });

  it('names claims by as much of both names as there is room for', async () => {
    world.api.seed(resourceClaimTemplates, template);
    world.api.seed(pods, { ...pod(), metadata: { name: 'p'.repeat(100), namespace: 'n', uid: 'u' } });
    await world.start(resourceClaimController);
    await world.settled();
    expect(world.api.all(resourceClaims)[0]?.metadata.generateName).to.equal(`${'p'.repeat(54)}-d`);
  });

  it('takes pods out that are gone, and not those that the cache does not know', async () => {
    world.api.seed(pods, pod());
    world.api.seed(resourceClaims, claim({ status: { allocation, reservedFor: [user, { ...user, name: 'q', uid: 'v' }] } }));
    await world.start(resourceClaimController);
    expect(world.api.peek(resourceClaims, 'n/c')?.status?.reservedFor).to.deep.equal([user]);
    world.api.evaporate(pods, 'n/p');
    await world.settled();
    expect(world.api.peek(resourceClaims, 'n/c')?.status).to.deep.equal({});
  });
});
