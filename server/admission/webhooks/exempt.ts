import type { AdmissionRequest } from '../../registry/admission.js';

const configurations: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** No webhook is asked about webhooks and policies: one that refuses everything could not be taken away again. */
export const isExempt = ({ resource: { group, resource } }: AdmissionRequest): boolean =>
  group === 'admissionregistration.k8s.io' && configurations.has(resource);
