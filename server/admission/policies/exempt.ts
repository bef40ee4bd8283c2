import type { AdmissionRequest } from '../../registry/admission.js';

const policies: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** No policy is asked about policies: one that refuses everything could not be taken away again. About webhooks they are asked. */
export const isExempt = ({ resource: { group, resource } }: AdmissionRequest): boolean =>
  group === 'admissionregistration.k8s.io' && policies.has(resource);

/** Questions about who may do what must be answered also when a policy refuses everything. */
const reviews: ReadonlySet<string> = new Set([
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Requests that no policy is asked about, wherever it stands. */
export const isReview = ({ resource: { resource, group } }: AdmissionRequest): boolean => reviews.has(`${resource}.${group}`);
