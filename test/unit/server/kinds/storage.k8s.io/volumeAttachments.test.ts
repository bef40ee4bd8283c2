import { expect } from 'chai';
import { object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'volumes inside attachments',
    object('storage.k8s.io/v1/VolumeAttachment', {
      spec: {
        attacher: 'd',
        nodeName: 'n',
        source: { inlineVolumeSpec: { capacity: { storage: '1' }, hostPath: { path: '' }, volumeMode: 'Block' } },
      },
    }),
    [
      'forbidden spec.source.inlineVolumeSpec.capacity',
      'required spec.source.inlineVolumeSpec.csi',
      'required spec.source.inlineVolumeSpec.accessModes',
      'required spec.source.inlineVolumeSpec.hostPath.path',
      'forbidden spec.source.inlineVolumeSpec.volumeMode',
    ],
  ],
];

describe('kinds, volume attachments', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });
});
