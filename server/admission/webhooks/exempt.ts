import type { AdmissionRequest } from '../../registry/admission.js';

const configurations: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Webhooks do not apply to webhooks and policies, so that any can be removed. */
export const isExempt = ({ resource: { group, resource } }: AdmissionRequest): boolean =>
  group === 'admissionregistration.k8s.io' && configurations.has(resource);
