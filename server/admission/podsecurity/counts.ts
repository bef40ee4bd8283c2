import type { AdmissionRequest } from '../../registry/admission.js';
import type { Mode, Standard } from './policy.js';

export interface PodSecurityCounts {
  /** A mode refused a request, or would; or enforcement admitted it. */
  evaluated(decision: 'allow' | 'deny', mode: Mode, standard: Standard, request: AdmissionRequest): void;
  /** The user, namespace or runtime class is exempt. */
  exempted(request: AdmissionRequest): void;
}

export const noCounts: PodSecurityCounts = { evaluated: () => undefined, exempted: () => undefined };
