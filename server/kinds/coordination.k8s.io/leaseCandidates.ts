import type { Kind } from '../kind.js';

export const leaseCandidates: Kind = {
  name: 'leasecandidates.coordination.k8s.io',
  update: { unconditional: false, creates: true },
};
