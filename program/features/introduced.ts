import { apiVersionOf, type GroupResource, type GroupVersion } from '../../api/resource.js';

/** Minor versions that introduced an API version or (with precedence) a resource, where the oldest emulated version lacks it. */
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

/** Minor versions that removed resources of a version that can be emulated. */
const removed: Readonly<Record<string, number>> = {
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies': 34,
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicybindings': 34,
};

/** Infinity for resources of this release. */
export const removedIn = (resource: GroupVersion & GroupResource): number =>
  removed[`${apiVersionOf(resource)}/${resource.resource}`] ?? Infinity;

/** 0 for resources older than any version that can be emulated. */
export const introducedIn = (resource: GroupVersion & GroupResource): number =>
  introduced[`${apiVersionOf(resource)}/${resource.resource}`] ?? introduced[apiVersionOf(resource)] ?? 0;
