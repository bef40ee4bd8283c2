import { textAt } from '../members.js';
import type { Strategy } from '../strategy.js';
import { dnsLabelName } from '../validation/names.js';

/** Defaults, validation and the allocation of addresses and node ports are still to come; see `registry/DESIGN.md`. */
export const services: Strategy = {
  validateName: dnsLabelName,
  prepareForCreate(service) { service['status'] = { loadBalancer: {} }; },
  prepareForUpdate(service, old) { service['status'] = old['status']; },
  createsOnUpdate: true,
  deleteAnswers: 'object',
  selectableFieldNames: ['spec.clusterIP', 'spec.type'],
  selectableFields: service => ({ 'spec.clusterIP': textAt(service, 'spec', 'clusterIP'), 'spec.type': textAt(service, 'spec', 'type') }),
};
