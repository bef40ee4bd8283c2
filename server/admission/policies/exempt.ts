import type { AdmissionRequest } from '../../registry/admission.js';

export { isExempt } from '../webhooks/exempt.js';

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
