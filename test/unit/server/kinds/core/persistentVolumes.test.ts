import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { changing, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'empty volumes',
    object('PersistentVolume'),
    ['required spec.accessModes', 'required spec.capacity', 'unsupported spec.capacity', 'required spec'],
  ],
  [
    'two sources of a volume',
    object('PersistentVolume', {
      spec: {
        capacity: { storage: '1' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'a b', volumeHandle: 'h' },
        hostPath: { path: '/' },
        persistentVolumeReclaimPolicy: 'Recycle',
      },
    }),
    ['forbidden spec.csi', 'forbidden spec.persistentVolumeReclaimPolicy'],
  ],
  [
    'local volumes anywhere',
    object('PersistentVolume', { spec: { capacity: { storage: '0' }, accessModes: ['X'], local: { path: '/a/..' } } }),
    ['unsupported spec.accessModes', 'invalid spec.capacity[storage]', 'invalid spec.local.path', 'required spec.nodeAffinity'],
  ],
  [
    'mount options of volumes that take none',
    object(
      'PersistentVolume',
      { spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
      { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } },
    ),
    ['forbidden metadata.annotations.volume.beta.kubernetes.io/mount-options'],
  ],
  [
    'secrets of volumes',
    object('PersistentVolume', {
      spec: {
        capacity: { storage: '1' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'd', volumeHandle: 'h', nodeExpandSecretRef: { name: 'A' } },
      },
    }),
    ['invalid spec.csi.nodeExpandSecretRef.name', 'required spec.csi.nodeExpandSecretRef.namespace'],
  ],
  [
    'two sources of a volume, of which one is always looked at',
    object('PersistentVolume', {
      spec: {
        capacity: { storage: '1' },
        accessModes: ['ReadWriteOnce'],
        glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' },
        flexVolume: {},
        cephfs: { monitors: ['m'] },
      },
    }),
    ['invalid spec.glusterfs.endpointsNamespace', 'forbidden spec.cephFS', 'required spec.flexVolume.driver'],
  ],
];

describe('kinds, persistent volumes', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('keeps the source of a volume', async () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
    expect(await changing(sample, 'PersistentVolume', { spec }, { spec: { hostPath: { path: '/b' }, volumeMode: 'Block' } })).to.deep.equal(
      ['forbidden spec.persistentvolumesource', 'invalid volumeMode'],
    );
  });

  it('lets node affinity of volumes change to the stable names of labels only', async () => {
    const affinity = (key: string): JsonObject => ({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
    });
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      local: { path: '/a' },
      nodeAffinity: affinity('failure-domain.beta.kubernetes.io/zone'),
    };
    expect(await changing(sample, 'PersistentVolume', { spec }, { spec: { nodeAffinity: affinity('other') } })).to.deep.equal([
      'invalid nodeAffinity',
    ]);
    await sample.remove('PersistentVolume', 'a');
    expect(
      await changing(sample, 'PersistentVolume', { spec }, { spec: { nodeAffinity: affinity('topology.kubernetes.io/zone') } }),
    ).to.deep.equal([]);
  });

  it('notes when a volume changed its phase', async () => {
    const volume = object('PersistentVolume', {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nfs: { server: 's', path: '/' } },
    });
    const created = await sample.create(volume);
    expect(created['status']).to.have.keys('phase', 'lastPhaseTransitionTime');
    const bound = await sample.update(
      volume,
      (current) => {
        current['status'] = { phase: 'Bound', lastPhaseTransitionTime: '2001-01-01T00:00:00Z' };
      },
      'status',
    );
    expect(bound['status']).to.deep.equal({ phase: 'Bound', lastPhaseTransitionTime: '2001-01-01T00:00:00Z' });
    const released = await sample.update(
      volume,
      (current) => {
        (current['status'] as JsonObject)['phase'] = 'Released';
      },
      'status',
    );
    expect((released['status'] as JsonObject)['lastPhaseTransitionTime']).to.not.equal('2001-01-01T00:00:00Z');
  });

  it('warns of volumes that nothing mounts any more', async () => {
    await sample.create(
      object('PersistentVolume', {
        spec: { capacity: { storage: '1500m' }, accessModes: ['ReadWriteOnce'], rbd: { monitors: ['m'], image: 'i' } },
      }),
    );
    expect(sample.warnings()).to.deep.equal(['spec.rbd: deprecated in v1.28, non-functional in v1.31+']);
  });
});
