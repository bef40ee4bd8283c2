import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { causes, createSample, type Sample } from './sample.js';

/** Rules of storage kinds, from `pkg/apis/storage/validation` of the reference. */

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

  it('counts no change of a driver where nothing of it stays', async () => {
    const made = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd.example.com' }, spec: {} };
    await sample.create(made);
    const write = async (spec: JsonObject): Promise<unknown> =>
      (
        await sample.update(made, (object) => {
          object['spec'] = { ...(object['spec'] as JsonObject), ...spec };
        })
      ).metadata.generation;
    expect(await write({ preventPodSchedulingIfMissing: true })).to.equal(undefined);
    expect(await write({ podInfoOnMount: true })).to.equal(1);
  });

  it('lets nobody say that volumes are mounted with a context while SELinuxMountReadWriteOncePod is off', async () => {
    const driver = (seLinuxMount: boolean): JsonObject => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'd.example.com' },
      spec: { seLinuxMount },
    });
    const said = async (object: Promise<ApiObject>): Promise<unknown> => ((await object)['spec'] as JsonObject)['seLinuxMount'];
    const asked = (of: Sample): Promise<ApiObject> =>
      of.update(driver(true), (object) => {
        (object['spec'] as JsonObject)['seLinuxMount'] = true;
      });
    const off = await createSample({ features: { SELinuxMountReadWriteOncePod: false } });
    expect(await said(off.create(driver(true)))).to.equal(false);
    expect(await said(asked(off))).to.equal(false);
    const on = await createSample();
    await on.create(driver(false));
    expect(await said(asked(on))).to.equal(true);
    const offAgain = await createSample({ storage: on.storage, features: { SELinuxMountReadWriteOncePod: false } });
    expect(await said(asked(offAgain)), 'what it has stays').to.equal(true);
  });

  it('warns of labels of nodes that have a successor', async () => {
    const old = 'beta.kubernetes.io/os';
    await sample.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { name: 'c' },
      storageClassName: 's',
      nodeTopology: { matchLabels: { [old]: 'x', other: 'y' }, matchExpressions: [{ key: old, operator: 'Exists' }] },
    });
    await sample.create({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'r' },
      handler: 'h',
      scheduling: { nodeSelector: { [old]: 'x', other: 'y' } },
    });
    const text = 'deprecated since v1.14; use "kubernetes.io/os" instead';
    expect(sample.warnings()).to.deep.equal([
      `nodeTopology.matchExpressions[0].key: ${old} is ${text}`,
      `nodeTopology.matchLabels.${old}: ${text}`,
      `scheduling.nodeSelector: ${text}`,
    ]);
  });
});
