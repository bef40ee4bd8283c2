import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { createSample, type Sample } from '../../registry/sample.js';

const slice = (addressType: string, addresses: string[], labels: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's', labels },
  addressType,
  endpoints: [{ addresses }],
  ports: [],
});
const unusual = '2001:DB8::0:1';
const spelling = `endpoints[0].addresses[0]: IPv6 address "${unusual}" should be in RFC 5952 canonical format ("2001:db8::1")`;
const managed = (controller: string): Record<string, string> => ({ 'endpointslice.kubernetes.io/managed-by': controller });

/** Warnings for a create, and for a following update. */
const warned: readonly (readonly [what: string, object: JsonObject, created: readonly string[], updated: readonly string[]])[] = [
  ['names of hosts once', slice('FQDN', ['a.example.com']), ['spec.addressType: FQDN endpoints are deprecated'], []],
  ['addresses in an unusual spelling each time', slice('IPv6', [unusual]), [spelling], [spelling]],
  ['addresses in the usual spelling never', slice('IPv6', ['2001:db8::1']), [], []],
  ['slices of others as if nobody managed them', slice('IPv6', [unusual], managed('me')), [spelling], [spelling]],
  ['slices of the controller never', slice('IPv6', [unusual], managed('endpointslice-controller.k8s.io')), [], []],
  ['slices of the mirroring controller never', slice('IPv6', [unusual], managed('endpointslicemirroring-controller.k8s.io')), [], []],
];

describe('registry/endpoint slices, warnings', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, object, created, updated] of warned)
    it(`about ${what}`, async () => {
      await sample.create(object);
      expect(sample.warnings()).to.deep.equal(created);
      await sample.update(object, ({ metadata }) => {
        metadata.annotations = { a: 'b' };
      });
      expect(sample.warnings()).to.deep.equal(updated);
    });
});
