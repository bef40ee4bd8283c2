import type { Kind } from '../kind.js';

export const podCertificateRequests: Kind = {
  name: 'podcertificaterequests.certificates.k8s.io',
  update: { unconditional: false },
};
