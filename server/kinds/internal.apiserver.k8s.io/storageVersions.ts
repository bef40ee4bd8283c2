import type { Kind } from '../kind.js';

export const storageVersions: Kind = {
  name: 'storageversions.internal.apiserver.k8s.io',
  update: { unconditional: false },
};
