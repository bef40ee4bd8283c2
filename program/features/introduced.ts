import { apiVersionOf, type GroupResource, type GroupVersion } from '../../api/resource.js';

/**
 * In which minor version of release 1 versions, or resources in them, came: of those that are younger than the oldest version that can be emulated. Of a resource
 * that is named the entry of the resource counts.
 */
const introduced: Readonly<Record<string, number>> = {
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': 36,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': 36,
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies': 34,
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings': 34,
  'certificates.k8s.io/v1beta1/podcertificaterequests': 35,
  'resource.k8s.io/v1': 34,
  'resource.k8s.io/v1alpha3/resourcepoolstatusrequests': 36,
  'resource.k8s.io/v1beta2/devicetaintrules': 36,
  'scheduling.k8s.io/v1alpha2': 36,
  'storage.k8s.io/v1/volumeattributesclasses': 34,
  'storagemigration.k8s.io/v1beta1': 35,
};

/** The minor version with which a resource came in a version of its group; 0 for those that have long been there. Pure. */
export const introducedIn = (resource: GroupVersion & GroupResource): number =>
  introduced[`${apiVersionOf(resource)}/${resource.resource}`] ?? introduced[apiVersionOf(resource)] ?? 0;
