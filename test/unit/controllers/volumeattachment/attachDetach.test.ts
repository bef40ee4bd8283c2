import { expect } from 'chai';
import { type Node, nodes, persistentVolumeClaims, persistentVolumes, type Pod, pods } from '../../../../api/types/core/v1.js';
import { csiDrivers, volumeAttachments } from '../../../../api/types/storage/v1.js';
import { attachDetachController } from '../../../../controllers/volumeattachment/attachDetach.js';
import { attachmentName } from '../../../../controllers/volumeattachment/plan.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const text = 'kubernetes.io/csi/d^h';
const node = (name: string, more: Partial<Node> = {}): Node => ({
  metadata: { name, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
  ...more,
});
const pod = (name: string, nodeName: string): Pod => ({
  metadata: { name, namespace: 'n' },
  spec: { nodeName, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
});

describe('the attach-detach controller', () => {
  let world: ControllerWorld;
  beforeEach(async () => {
    world = controllerWorld();
    world.api.seed(nodes, node('a'), node('b'), { metadata: { name: 'foreign' } });
    world.api.seed(persistentVolumes, {
      metadata: { name: 'v' },
      spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' }, claimRef: { namespace: 'n', name: 'c' } },
    });
    world.api.seed(persistentVolumeClaims, {
      metadata: { name: 'c', namespace: 'n' },
      spec: { volumeName: 'v' },
      status: { phase: 'Bound' },
    });
    await world.start(attachDetachController);
  });
  afterEach(() => world.stop());
  const present = (): string[] =>
    world.api.all(volumeAttachments).map(({ spec }) => `${spec.nodeName} ${spec.attacher} ${spec.source.persistentVolumeName ?? ''}`);
  const attached = (on: string): unknown =>
    world.api.change(volumeAttachments, attachmentName({ volumeHandle: 'h', driver: 'd' }, on), (before) => ({
      ...before,
      status: { attached: true },
    }));
  const inUse = (name: string, more: object = {}): unknown =>
    world.api.change(nodes, name, (before) => ({
      ...before,
      ...more,
      status: { ...before.status, ...('status' in more ? (more.status as object) : {}), volumesInUse: [text] },
    }));

  it('has a volume attached where its pod is, and tells the node', async () => {
    world.api.seed(pods, pod('p', 'a'), pod('q', 'foreign'));
    await world.settled();
    expect(present()).to.deep.equal(['a d v']);
    attached('a');
    await world.settled();
    expect(world.api.peek(nodes, 'a')?.status?.volumesAttached).to.deep.equal([{ name: text, devicePath: '' }]);
    expect(world.events).to.deep.equal(['Normal SuccessfulAttachVolume n/p: AttachVolume.Attach succeeded for volume "v"']);
  });

  it('leaves drivers alone that need no attachment', async () => {
    world.api.seed(csiDrivers, { metadata: { name: 'd' }, spec: { attachRequired: false } });
    await world.settled();
    world.api.seed(pods, pod('p', 'a'));
    await world.settled();
    expect(present()).to.deep.equal([]);
  });

  it('takes a volume off when its pod has gone and the node has let it go', async () => {
    world.api.seed(pods, pod('p', 'a'));
    await world.settled();
    attached('a');
    inUse('a', { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    world.api.evaporate(pods, 'n/p');
    await world.advance(20 * 60_000);
    expect(present()).to.have.length(1);
    world.api.change(nodes, 'a', (before) => ({ ...before, status: { ...before.status, volumesInUse: [] } }));
    await world.settled();
    expect(present()).to.deep.equal([]);
    await world.settled();
    expect(world.api.peek(nodes, 'a')?.status?.volumesAttached).to.deep.equal([]);
  });

  it('takes it by force from a node that is not well, after a time', async () => {
    world.api.seed(pods, pod('p', 'a'));
    await world.settled();
    attached('a');
    inUse('a', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
    world.api.evaporate(pods, 'n/p');
    await world.advance(5 * 60_000);
    expect(present()).to.have.length(1);
    await world.advance(2 * 60_000);
    expect(present()).to.deep.equal([]);
    expect(world.counts.get('attach_detach_controller_attachdetach_controller_forced_detaches {"reason":"timeout"}')).to.equal(1);
  });

  it('takes it at once from a node that is out of service', async () => {
    world.api.seed(pods, pod('p', 'a'));
    await world.settled();
    inUse('a');
    world.api.evaporate(pods, 'n/p');
    await world.settled();
    expect(present()).to.have.length(1);
    world.api.change(nodes, 'a', (before) => ({
      ...before,
      spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
    }));
    await world.settled();
    expect(present()).to.deep.equal([]);
  });

  it('does not attach to two nodes what is for one', async () => {
    world.api.seed(pods, pod('p', 'a'));
    await world.settled();
    world.api.seed(pods, pod('q', 'b'));
    await world.settled();
    expect(present()).to.deep.equal(['a d v']);
    expect(world.events[0]).to.contain('Warning FailedAttachVolume n/q: Multi-Attach error for volume "v"');
    world.api.evaporate(pods, 'n/p');
    await world.advance(30_000);
    expect(present()).to.deep.equal(['b d v']);
  });
});
