import { apiVersionOf, type GroupResource, type GroupVersion } from '../../api/resource.js';

/**
 * The minor version of release 1 that introduced a version, or a resource in it, unless the oldest version that can be emulated has it. The entry of a resource
 * wins over that of its version.
 */
const introduced: Readonly<Record<string, number>> = {
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': 36,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': 36,
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies': 34,
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings': 34,
  'certificates.k8s.io/v1beta1/clustertrustbundles': 33,
  'certificates.k8s.io/v1beta1/podcertificaterequests': 35,
  'coordination.k8s.io/v1beta1': 33,
  'networking.k8s.io/v1/ipaddresses': 33,
  'networking.k8s.io/v1/servicecidrs': 33,
  'resource.k8s.io/v1': 34,
  'resource.k8s.io/v1alpha3/resourcepoolstatusrequests': 36,
  'resource.k8s.io/v1beta2': 33,
  'resource.k8s.io/v1beta2/devicetaintrules': 36,
  'scheduling.k8s.io/v1alpha2': 36,
  'storage.k8s.io/v1/volumeattributesclasses': 34,
  'storagemigration.k8s.io/v1beta1': 35,
};

/** The minor version that removed resources which an earlier version that can be emulated still has. */
const removed: Readonly<Record<string, number>> = {
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies': 34,
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicybindings': 34,
};

/** Returns the minor version that removed a resource from a version of its group; Infinity for resources of this release. Pure. */
export const removedIn = (resource: GroupVersion & GroupResource): number =>
  removed[`${apiVersionOf(resource)}/${resource.resource}`] ?? Infinity;

/** Returns the minor version that introduced a resource in a version of its group; 0 for older ones. Pure. */
export const introducedIn = (resource: GroupVersion & GroupResource): number =>
  introduced[`${apiVersionOf(resource)}/${resource.resource}`] ?? introduced[apiVersionOf(resource)] ?? 0;
