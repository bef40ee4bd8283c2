import { apiVersionOf, type GroupResource, type GroupVersion } from '../../api/resource.js';

/**
 * In which minor version of release 1 versions, or resources in them, came: of those that the version before the oldest one that can be emulated does not have.
 * Of a
 * resource that is named the entry of the resource counts.
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

/** With which minor version resources went that an earlier one, which can be emulated, still has. */
const removed: Readonly<Record<string, number>> = {
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies': 34,
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicybindings': 34,
};

/** The minor version with which a resource is gone from a version of its group; Infinity for those that this release has. Pure. */
export const removedIn = (resource: GroupVersion & GroupResource): number =>
  removed[`${apiVersionOf(resource)}/${resource.resource}`] ?? Infinity;

/** The minor version with which a resource came in a version of its group; 0 for those that have long been there. Pure. */
export const introducedIn = (resource: GroupVersion & GroupResource): number =>
  introduced[`${apiVersionOf(resource)}/${resource.resource}`] ?? introduced[apiVersionOf(resource)] ?? 0;
