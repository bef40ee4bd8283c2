import { expect } from 'chai';
import fc from 'fast-check';
import type { ObjectMeta } from '../../../../api/object.js';
import { withoutRepeatedOwners } from '../../../../server/registry/ownerReferences.js';
import { inOneGo } from '../../../../api/steps.js';

const owner = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constantFrom('Pod', 'Node'),
  name: fc.constantFrom('a', 'b'),
  uid: fc.constantFrom('1', '2', '3'),
});

describe('registry/owner references', () => {
  it('stand once each, in their order, whatever is repeated', () => {
    fc.assert(
      fc.property(fc.array(owner, { maxLength: 12 }), (owners) => {
        const metadata: ObjectMeta = { ownerReferences: structuredClone(owners) };
        const warnings = inOneGo(withoutRepeatedOwners(metadata, 'sent'));
        const wanted = [...new Map(owners.map((each) => [JSON.stringify(each), each])).values()];
        expect(metadata.ownerReferences).to.deep.equal(wanted);
        expect(warnings).to.have.length(wanted.length < owners.length ? 1 : 0);
      }),
    );
  });

  it('are warned of by uid, with the moment at which they were found', () => {
    const one = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    expect(inOneGo(withoutRepeatedOwners({ ownerReferences: [one, one] }, 'admitted')).join()).to.match(
      /after mutating admission.*observed: u$/,
    );
  });
});
