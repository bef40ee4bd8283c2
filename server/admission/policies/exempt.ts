import type { AdmissionRequest } from '../../registry/admission.js';

const policies: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Policies apply to webhooks, but not to policies, so that one that refuses everything can be removed. */
export const isExempt = ({ resource: { group, resource } }: AdmissionRequest): boolean =>
  group === 'admissionregistration.k8s.io' && policies.has(resource);

/** Access reviews must be answered even if a policy refuses everything. */
const reviews: ReadonlySet<string> = new Set([
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Returns whether a request is exempt from all policies, including manifests'. */
export const isReview = ({ resource: { resource, group } }: AdmissionRequest): boolean => reviews.has(`${resource}.${group}`);
