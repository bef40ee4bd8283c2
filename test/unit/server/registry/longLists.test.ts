import { expect } from 'chai';
import type { ApiObject, JsonObject, ObjectMeta } from '../../../../api/object.js';
import { kindOf } from '../../../../server/kinds/index.js';
import { withoutRepeatedOwners } from '../../../../server/registry/ownerReferences.js';
import { outcomeOf } from '../../../../server/registry/stepwise.js';
import { atOnce } from '../../../../server/registry/validation/ofEach.js';
import { inOneGo } from '../../../../api/steps.js';

/** Long enough that quadratic work would time out. */
const many = 60_000;
const each = <T>(make: (position: number) => T): T[] => Array.from({ length: many }, (_, position) => make(position));

const validated = (resource: string, group: string, object: JsonObject): string[] =>
  atOnce(inOneGo(outcomeOf(kindOf({ group, resource }).validate?.(object as ApiObject, { apiVersion: 'v1' }) ?? []))).map(
    ({ path, message }) => `${path} ${message}`,
  );

describe('long lists', () => {
  it('of exit codes are not compared each with each', () => {
    const template = { spec: { restartPolicy: 'Never', containers: [] } };
    const values = each((position) => position + 1);
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values } }];
    const found = validated('jobs', 'batch', { metadata: { name: 'a' }, spec: { podFailurePolicy: { rules }, template } });
    expect(found).to.include(`spec.podFailurePolicy.rules[0].onExitCodes.values Too many: ${many}: must have at most 255 items`);
    expect(found.filter((text) => text.includes('Duplicate'))).to.deep.equal([]);
  });

  it('of names of webhooks, of resources and of topology keys are not compared each with each', () => {
    const webhooks = each((position) => ({ name: `${position % (many - 1)}` }));
    const configuration = { metadata: { name: 'a' }, webhooks };
    expect(validated('validatingwebhookconfigurations', 'admissionregistration.k8s.io', configuration)).to.have.length.above(0);
    const topologyKeys = each((position) => `k${position % (many - 1)}`);
    const node = { metadata: { name: 'a' }, spec: { drivers: [{ name: 'a.b', nodeID: 'a', topologyKeys }] } };
    expect(validated('csinodes', 'storage.k8s.io', node)).to.deep.equal(['spec.drivers[0] Duplicate value: "k0"']);
  });

  it('of owners that share their uid are not compared each with each', () => {
    const owners = each((position) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${position % (many - 1)}`, uid: 'u' }));
    const metadata: ObjectMeta = { ownerReferences: owners };
    expect(inOneGo(withoutRepeatedOwners(metadata, 'sent'))).to.have.length(1);
    expect(metadata.ownerReferences).to.have.length(many - 1);
  });

  it('of exceptions of a network policy may be longer than what a call takes', () => {
    const except = each(() => '10.1.0.0/16');
    const ingress = [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except } }] }];
    expect(
      validated('networkpolicies', 'networking.k8s.io', { metadata: { name: 'a' }, spec: { podSelector: {}, ingress } }),
    ).to.deep.equal([]);
  });

  it('of empty terms of a storage class end with as many findings as an answer tells', () => {
    const allowedTopologies = each(() => ({}));
    const found = validated('storageclasses', 'storage.k8s.io', {
      metadata: { name: 'a' },
      provisioner: 'a.b/c',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
      allowedTopologies,
    });
    expect(found).to.have.length.within(1_000, 2_000);
  });
});
