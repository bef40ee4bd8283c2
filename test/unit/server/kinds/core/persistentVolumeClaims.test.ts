import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { merge, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  ['empty claims', object('PersistentVolumeClaim'), ['required spec.accessModes', 'required spec.resources[storage]']],
  [
    'sources of claims',
    object('PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } }, dataSourceRef: { kind: 'Pod', name: '' } },
    }),
    ['required spec.dataSource.name', 'invalid spec.dataSource', 'required spec.dataSourceRef.name', 'invalid spec.dataSourceRef'],
  ],
];

describe('kinds, persistent volume claims', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('shows what was changed in a claim that is not bound', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = object('PersistentVolumeClaim', { spec });
    await sample.create(claim);
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { volumeName: 'v' } });
        }),
      ),
    ).to.deep.equal([]);
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { volumeName: 'w', resources: { requests: { storage: '512Mi' } } } });
        }),
      ),
    ).to.deep.equal(['forbidden spec']);
    await sample.update(
      claim,
      (current) => {
        merge(current, { status: { phase: 'Bound', capacity: { storage: '512Mi' } } });
      },
      'status',
    );
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { resources: { requests: { storage: '256Mi' } } } });
        }),
      ),
    ).to.deep.equal(['forbidden spec.resources.requests.storage']);
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { resources: { requests: { storage: '768Mi' } } } });
        }),
      ),
    ).to.deep.equal([]);
  });

  it('drops sources of claims in other namespaces', async () => {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSourceRef: { kind: 'X', name: 'b', namespace: 'other' },
    };
    expect((await sample.create(object('PersistentVolumeClaim', { spec })))['spec']).to.not.have.any.keys('dataSource', 'dataSourceRef');
  });

  it('lets a claim take its class from the annotation, and what is allocated be storage alone', async () => {
    const annotation = 'volume.beta.kubernetes.io/storage-class';
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = object('PersistentVolumeClaim', { spec });
    (claim['metadata'] as JsonObject)['annotations'] = { [annotation]: 'fast' };
    await sample.create(claim);
    const classed =
      (annotated: string) =>
      (current: ApiObject): void => {
        merge(current, { spec: { storageClassName: 'fast' }, metadata: { annotations: { [annotation]: annotated } } });
      };
    expect(await causes(sample.update(claim, classed('slow')))).to.deep.equal([`invalid metadata.annotations.${annotation}`]);
    expect(await causes(sample.update(claim, classed('fast')))).to.deep.equal([]);
    const status = {
      allocatedResources: { storage: '1Gi', cpu: '1', 'example.com/x': '1' },
      allocatedResourceStatuses: { storage: 'Odd' },
    };
    expect(await causes(sample.update(claim, (current) => void merge(current, { status }), 'status'))).to.deep.equal([
      'unsupported status.allocatedResourceStatuses',
      'unsupported status.allocatedResources',
    ]);
  });
});
