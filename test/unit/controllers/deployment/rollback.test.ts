import { expect } from 'chai';
import { deploymentController } from '../../../../controllers/deployment/deploymentController.js';
import { rollbackOf } from '../../../../controllers/deployment/rollback.js';
import { type Deployment, deployments, type ReplicaSet, replicaSets } from '../../../../api/types/apps/v1.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const revision = 'deployment.kubernetes.io/revision';
const asked = 'deprecated.deployment.rollback.to';
const cause = 'kubernetes.io/change-cause';
const template = (image: string, labels = {}) => ({
  metadata: { labels: { app: 'a', ...labels } },
  spec: { containers: [{ name: 'c', image }] },
});
const deployment = (to: string, image = 'v3'): Deployment => ({
  metadata: { name: 'web', namespace: 'n', uid: 'd', generation: 3, annotations: { [asked]: to, [cause]: image, kept: 'no' } },
  spec: { replicas: 1, selector: { matchLabels: { app: 'a' } }, template: template(image) },
});
const set = (image: string, number: string): ReplicaSet => ({
  metadata: {
    name: `web-${image}`,
    namespace: 'n',
    uid: image,
    labels: { app: 'a' },
    annotations: { [revision]: number, [cause]: image },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true, blockOwnerDeletion: true }],
  },
  spec: { replicas: 1, selector: { matchLabels: { app: 'a' } }, template: template(image, { 'pod-template-hash': image }) },
  status: { replicas: 1 },
});
const sets = [set('v1', '1'), set('v2', '2'), set('v3', '3')];

describe('controllers/deployment/rollback', () => {
  for (const [to, wanted] of [
    ['1', 'v1'],
    ['+2', 'v2'],
    ['0', 'v2'],
  ] as const)
    it(`to ${to} takes the template and the annotations of ${wanted}`, () => {
      const rollback = rollbackOf(deployment(to), sets);
      expect([rollback?.deployment.spec?.template, rollback?.deployment.metadata.annotations]).to.deep.equal([
        template(wanted),
        { [cause]: wanted },
      ]);
      expect(rollback?.event).to.deep.equal({
        type: 'Normal',
        reason: 'DeploymentRollback',
        message: `Rolled back deployment "web" to revision ${wanted.slice(1)}`,
      });
    });

  for (const [what, to, among, reason, message] of [
    ['an unknown revision', '7', sets, 'RevisionNotFound', 'Unable to find the revision to rollback to.'],
    ['the last but one of one', '0', sets.slice(2), 'RevisionNotFound', 'Unable to find last revision.'],
    ['what runs', '3', sets, 'TemplateUnchanged', 'The rollback revision contains the same template as current deployment "web"'],
  ] as const)
    it(`to ${what} only ends the request`, () => {
      const rollback = rollbackOf(deployment(to), among);
      expect(rollback?.event).to.deep.equal({ type: 'Warning', reason: `DeploymentRollback${reason}`, message });
      expect([rollback?.deployment.spec, rollback?.deployment.metadata.annotations]).to.deep.equal([
        deployment(to).spec,
        { [cause]: 'v3', kept: 'no' },
      ]);
    });

  it('to 0 goes to the last revision but one, in whatever order the sets come', () => {
    const [v1, v2, v3] = sets as [ReplicaSet, ReplicaSet, ReplicaSet];
    for (const order of [
      [v1, v3, v2],
      [v2, v1, v3],
      [v3, v1, v2],
      [v2, v3, v1],
    ])
      expect(rollbackOf(deployment('0'), order)?.deployment.metadata.annotations?.[cause]).to.equal('v2');
  });

  it('keeps the annotations of the Deployment that its sets have for themselves', () => {
    const given = deployment('1');
    const numbered = { ...given, metadata: { ...given.metadata, annotations: { ...given.metadata.annotations, [revision]: '3' } } };
    expect(rollbackOf(numbered, sets)?.deployment.metadata.annotations).to.deep.equal({ [revision]: '3', [cause]: 'v1' });
  });

  it('takes what is no number for no request', () => {
    for (const to of ['', 'v1', '1_0', '0x1']) expect(rollbackOf(deployment(to), sets), to).to.equal(null);
  });

  it('warns of a revision that is not there, and forgets the request', async () => {
    const world = controllerWorld();
    try {
      for (const each of sets) world.api.seed(replicaSets, each);
      world.api.seed(deployments, deployment('7'));
      await world.start(deploymentController);
      await world.settled();
      expect(world.events.filter((event) => event.includes('Rollback'))).to.deep.equal([
        'Warning DeploymentRollbackRevisionNotFound n/web: Unable to find the revision to rollback to.',
      ]);
      expect(world.api.peek(deployments, 'n/web')?.metadata.annotations).not.to.have.property(asked);
    } finally {
      await world.stop();
    }
  });

  it('comes before all else, and the rollout to the former template follows', async () => {
    const world = controllerWorld();
    try {
      for (const each of sets) world.api.seed(replicaSets, each);
      world.api.seed(deployments, deployment('1'));
      await world.start(deploymentController);
      const [first] = (await world.writes()).filter(({ type }) => type === 'deployments.apps');
      expect([first?.verb, first?.subresource ?? '']).to.deep.equal(['update', '']);
      const { metadata, spec } = world.api.peek(deployments, 'n/web') ?? {};
      expect([spec?.template, metadata?.annotations?.[asked], metadata?.annotations?.[revision]]).to.deep.equal([
        template('v1'),
        undefined,
        '4',
      ]);
      expect(world.api.peek(replicaSets, 'n/web-v1')?.metadata.annotations?.[revision]).to.equal('4');
      expect(world.events[0]).to.equal('Normal DeploymentRollback n/web: Rolled back deployment "web" to revision 1');
    } finally {
      await world.stop();
    }
  });
});
