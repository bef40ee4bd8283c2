import { expect } from 'chai';
import { createCatalogue } from '../../../../server/kinds/index.js';

/** The stores of release 1.36 with `ReturnDeletedObject`. */
const answeredWithTheObject: readonly string[] = [
  '/namespaces',
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/devicetaintrules',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
  'resource.k8s.io/resourcepoolstatusrequests',
  'resource.k8s.io/resourceslices',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
];

describe('registry, answers to deletions', () => {
  it('are the objects for the kinds of which the reference returns them, and no others', () => {
    const answered = createCatalogue({ serves: () => true })
      .groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
      .filter(({ verbs, behaviour }) => verbs.has('delete') && behaviour.strategy.delete.answers === 'object')
      .map(({ group, resource }) => `${group}/${resource}`);
    expect([...new Set(answered)].sort()).to.deep.equal(answeredWithTheObject);
  });
});
