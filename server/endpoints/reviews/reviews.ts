import type { ResourceVerb } from '../routing.js';
import type { VerbHandler } from '../verbs/deps.js';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './accessReviews.js';
import { selfSubjectRulesReview } from './rulesReview.js';
import { selfSubjectReview } from './selfSubjectReview.js';

/** Types that stand for a question; their only verb answers it. */
export const REVIEWS: Readonly<Record<string, Readonly<Partial<Record<ResourceVerb, VerbHandler>>>>> = {
  'selfsubjectreviews.authentication.k8s.io': { create: selfSubjectReview },
  'subjectaccessreviews.authorization.k8s.io': { create: subjectAccessReview },
  'localsubjectaccessreviews.authorization.k8s.io': { create: localSubjectAccessReview },
  'selfsubjectaccessreviews.authorization.k8s.io': { create: selfSubjectAccessReview },
  'selfsubjectrulesreviews.authorization.k8s.io': { create: selfSubjectRulesReview },
};
