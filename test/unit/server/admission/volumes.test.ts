import { expect } from 'chai';
import { createSample } from '../registry/sample.js';

describe('StorageObjectInUseProtection', () => {
  const attributes = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name: 'a' },
    driverName: 'd',
    parameters: { a: 'b' },
  };

  it('is who keeps classes of attributes from being removed, and nobody does it in its place', async () => {
    const guarded = await createSample({ admission: new Set(['StorageObjectInUseProtection']) });
    expect((await guarded.create(attributes)).metadata.finalizers).to.deep.equal(['kubernetes.io/vac-protection']);
    const free = await createSample({ admission: new Set() });
    expect((await free.create(attributes)).metadata).to.not.have.property('finalizers');
  });
});
