import { expect } from 'chai';
import { pods } from '../../../../api/types/core/v1.js';
import { type PodGroup, podGroups } from '../../../../api/types/scheduling/v1alpha2.js';
import { podGroupProtectionController } from '../../../../controllers/podgroupprotection/podGroupProtection.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

describe('the pod group protection controller', () => {
  it('keeps a group until its last pod has ended', async () => {
    const world = controllerWorld();
    world.api.answers.set('/apis/scheduling.k8s.io/v1alpha2', () => ({ resources: [{ name: 'podgroups' }] }));
    world.api.seed(podGroups, { metadata: { name: 'g', namespace: 'n' }, spec: {} } as PodGroup);
    world.api.seed(pods, { metadata: { name: 'p', namespace: 'n' }, spec: { schedulingGroup: { podGroupName: 'g' } } });
    await world.start(podGroupProtectionController);
    await world.settled();
    expect(world.api.peek(podGroups, 'n/g')?.metadata.finalizers).to.deep.equal(['scheduling.k8s.io/podgroup-protection']);
    world.api.change(podGroups, 'n/g', (group) => ({
      ...group,
      metadata: { ...group.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    await world.settled();
    expect(world.api.peek(podGroups, 'n/g')).to.not.equal(undefined);
    world.api.change(pods, 'n/p', (pod) => ({ ...pod, status: { phase: 'Succeeded' } }));
    await world.settled();
    expect(world.api.peek(podGroups, 'n/g')).to.equal(undefined);
    await world.stop();
  });
});
