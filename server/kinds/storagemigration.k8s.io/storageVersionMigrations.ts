import type { Kind } from '../kind.js';

export const storageVersionMigrations: Kind = {
  name: 'storageversionmigrations.storagemigration.k8s.io',
  update: { unconditional: false },
};
