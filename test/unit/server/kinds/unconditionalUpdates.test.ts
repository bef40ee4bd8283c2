import { expect } from 'chai';
import { createCatalogue } from '../../../../server/kinds/index.js';

/** Kinds with a false `AllowUnconditionalUpdate` in release 1.36; kinds without update have none. */
const conditionalResources: readonly string[] = [
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'certificates.k8s.io/clustertrustbundles',
  'certificates.k8s.io/podcertificaterequests',
  'coordination.k8s.io/leasecandidates',
  'coordination.k8s.io/leases',
  'internal.apiserver.k8s.io/storageversions',
  'node.k8s.io/runtimeclasses',
  'policy/poddisruptionbudgets',
  'resource.k8s.io/resourcepoolstatusrequests',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/csistoragecapacities',
  'storage.k8s.io/volumeattachments',
  'storagemigration.k8s.io/storageversionmigrations',
];

describe('registry, updates without a version', () => {
  it('are refused for the kinds for which the reference refuses them, and no others', () => {
    const updated = createCatalogue({ serves: () => true })
      .groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
      .filter(({ verbs }) => verbs.has('update'));
    const conditional = updated
      .filter((resource) => !resource.behaviour.strategy.update.unconditional)
      .map(({ group, resource }) => `${group}/${resource}`);
    expect([...new Set(conditional)].sort()).to.deep.equal(conditionalResources);
  });
});
