import type { ResourceVerb } from '../routing.js';
import { createBinding } from '../pods/binding.js';
import type { VerbHandler } from '../verbs/deps.js';
import { getComponentStatus, listComponentStatuses } from './componentStatuses.js';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './accessReviews.js';
import { selfSubjectRulesReview } from './rulesReview.js';
import { selfSubjectReview } from './selfSubjectReview.js';
import { tokenReview } from './tokenReview.js';

export const reviews: Readonly<Record<string, Readonly<Partial<Record<ResourceVerb, VerbHandler>>>>> = {
  'bindings.': { create: createBinding },
  'componentstatuses.': { get: getComponentStatus, list: listComponentStatuses },
  'selfsubjectreviews.authentication.k8s.io': { create: selfSubjectReview },
  'tokenreviews.authentication.k8s.io': { create: tokenReview },
  'subjectaccessreviews.authorization.k8s.io': { create: subjectAccessReview },
  'localsubjectaccessreviews.authorization.k8s.io': { create: localSubjectAccessReview },
  'selfsubjectaccessreviews.authorization.k8s.io': { create: selfSubjectAccessReview },
  'selfsubjectrulesreviews.authorization.k8s.io': { create: selfSubjectRulesReview },
};
