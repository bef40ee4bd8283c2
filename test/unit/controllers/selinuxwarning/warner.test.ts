import { expect } from 'chai';
import { persistentVolumeClaims, persistentVolumes, type Pod, pods } from '../../../../api/types/core/v1.js';
import { csiDrivers } from '../../../../api/types/storage/v1.js';
import { conflicts, labelsOf } from '../../../../controllers/selinuxwarning/labels.js';
import { selinuxWarner } from '../../../../controllers/selinuxwarning/warner.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const pod = (name: string, level: string, policy?: string): Pod => ({
  metadata: { name, namespace: 'n' },
  spec: {
    securityContext: { seLinuxOptions: { level }, ...(policy ? { seLinuxChangePolicy: policy } : {}) },
    containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
  },
});

describe('labels of shared volumes', () => {
  it('are those of the containers that mount them', () => {
    const two = {
      ...pod('p', 's0:c1'),
      spec: {
        ...pod('p', 's0:c1').spec,
        containers: [
          ...(pod('p', '').spec?.containers ?? []),
          { name: 'd', securityContext: { seLinuxOptions: { level: 's0:c2' } }, volumeMounts: [{ name: 'v', mountPath: '/w' }] },
        ],
      },
    };
    expect(labelsOf(pod('p', 's0:c1'), 'v')).to.deep.equal([':::s0:c1']);
    expect(labelsOf(two, 'v')).to.have.length(2);
    expect(labelsOf(two, 'other')).to.deep.equal([]);
  });
  it('conflict where they differ, unless files are labelled one by one', () => {
    const of = (name: string, label: string, policy = 'MountOption'): { pod: Pod; label: string; policy: string } => ({
      pod: pod(name, label),
      label,
      policy,
    });
    const found = (...users: readonly ReturnType<typeof of>[]): string[] => conflicts(users).map(({ property }) => property);
    expect(found(of('a', 'x'), of('b', 'x'))).to.deep.equal([]);
    expect(found(of('a', 'x'), of('b', 'y'))).to.deep.equal(['SELinuxLabel']);
    expect(found(of('a', 'x', 'Recursive'), of('b', 'y', 'Recursive'))).to.deep.equal([]);
    expect(found(of('a', 'x', 'Recursive'), of('b', 'x'))).to.deep.equal(['SELinuxChangePolicy']);
  });
});

describe('the SELinux warner', () => {
  it('tells both pods, while both are there', async () => {
    const world = controllerWorld();
    world.api.seed(csiDrivers, { metadata: { name: 'd' }, spec: { seLinuxMount: true } });
    world.api.seed(persistentVolumes, { metadata: { name: 'v' }, spec: { csi: { driver: 'd', volumeHandle: 'h' } } });
    world.api.seed(persistentVolumeClaims, { metadata: { name: 'c', namespace: 'n' }, spec: { volumeName: 'v' } });
    world.api.seed(pods, pod('p', 's0:c1'), pod('q', 's0:c2'));
    await world.start(selinuxWarner);
    expect(world.events.map((event) => event.split(' ').slice(0, 3).join(' '))).to.deep.equal([
      'Normal SELinuxLabelConflict n/p:',
      'Normal SELinuxLabelConflict n/q:',
    ]);
    const gauges = (): number => [...world.counts.keys()].filter((key) => key.startsWith('selinux_warning_controller')).length;
    expect(gauges()).to.equal(1);
    world.api.evaporate(pods, 'n/q');
    await world.settled();
    expect(gauges()).to.equal(0);
    await world.stop();
  });
});
