import { approvalOf, isProtectedGroup, type Approval } from '../../kinds/apiextensions.k8s.io/approval.js';
import type { LifeCycle } from '../definition.js';
import type { Condition } from './conditions.js';

const approvalType = 'KubernetesAPIApprovalPolicyConformant';
const demand = 'protected groups must have approval annotation "api-approved.kubernetes.io"';
const see = 'see https://github.com/kubernetes/enhancements/pull/1111';

const said: Readonly<Record<Approval, (annotation: string) => Omit<Condition, 'type'>>> = {
  approved: (annotation) => ({ status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${annotation}` }),
  waived: (annotation) => ({ status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(annotation)}` }),
  missing: () => ({ status: 'False', reason: 'MissingAnnotation', message: `${demand}, ${see}` }),
  invalid: () => ({
    status: 'False',
    reason: 'InvalidAnnotation',
    message: `${demand} with either a URL or a reason starting with "unapproved", ${see}`,
  }),
};

/** Returns the approval of a Kubernetes community group; null for other groups. */
export function approvalCondition({ group, annotations }: LifeCycle): Condition | null {
  if (!isProtectedGroup(group)) return null;
  const annotation = annotations['api-approved.kubernetes.io'] ?? '';
  return { type: approvalType, ...said[approvalOf(annotation)](annotation) };
}
