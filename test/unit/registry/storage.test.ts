import { expect } from 'chai';
import type { JsonObject } from '../../../server/api/object.js';
import { causes, createSample, type Sample } from './sample.js';

/** Rules of storage kinds, read in `pkg/apis/storage/validation` of the reference. */

const node = (driver: JsonObject): JsonObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: 'n' },
  spec: { drivers: [{ name: 'd', nodeID: 'i', topologyKeys: null, ...driver }] },
});
const twoBytes = '\u00e9';
const driver = 'spec.drivers[0]';

const cases: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  ['takes an identifier of a node of 256 bytes', node({ nodeID: twoBytes.repeat(128) }), []],
  ['refuses an identifier of a node of 258 bytes', node({ nodeID: twoBytes.repeat(129) }), [`invalid ${driver}.nodeID`]],
  ['counts bytes of names of drivers', node({ name: twoBytes.repeat(32) }), [`long ${driver}.name`, `invalid ${driver}.name`]],
];

describe('registry/storage', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, object, expected] of cases)
    it(what, async () => {
      expect(await causes(sample.create(object))).to.deep.equal(expected);
    });
});
