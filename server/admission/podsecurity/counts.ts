import type { AdmissionRequest } from '../../registry/admission.js';
import type { Mode, Standard } from './policy.js';

/** What is counted of the standards that pods are held to. */
export interface PodSecurityCounts {
  /** What is refused, or would be by the other modes, and what is let in by the mode that counts. */
  evaluated(decision: 'allow' | 'deny', mode: Mode, standard: Standard, request: AdmissionRequest): void;
  /** Nobody looked, because of who asks or where. */
  exempted(request: AdmissionRequest): void;
}

export const noCounts: PodSecurityCounts = { evaluated: () => undefined, exempted: () => undefined };
