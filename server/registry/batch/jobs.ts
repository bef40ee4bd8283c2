import { textAt } from '../members.js';
import type { Strategy } from '../strategy.js';

const ORPHAN_WARNING = 'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export const jobs: Strategy = {
  generationOf: ['spec'],
  defaultPropagation: 'orphan',
  deleteWarnings: policy => (policy === null ? [ORPHAN_WARNING] : []),
  selectableFieldNames: ['status.successful'],
  selectableFields: job => ({ 'status.successful': textAt(job, 'status', 'succeeded') || '0' }),
  unsupportedField: field => `field label ${JSON.stringify(field)} not supported for Job`,
};
