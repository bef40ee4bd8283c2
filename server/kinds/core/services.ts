import { membersOf, textAt } from '../../registry/members.js';
import type { Strategy } from '../../registry/strategy.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import { dnsLabelName } from '../../registry/validation/names.js';
import type { ApiObject } from '../../api/object.js';
import { validateAddressingUpdate } from './service/addressing.js';
import { dropMeaningless } from './service/carry.js';
import { setServiceDefaults } from './service/defaults.js';
import { validateBalancerStatus } from './service/status.js';
import { validateBalancerClass, validateService } from './service/validation.js';
import { serviceWarnings } from './service/warnings.js';

const validateUpdate = (service: ApiObject, old: ApiObject): FieldError[] => [
  ...validateAddressingUpdate(service, old),
  ...validateBalancerClass(service, old),
  ...validateService(service),
];

/** Addresses and node ports are allocated before these rules run: see `service/allocator.ts`. */
export const services: Strategy = {
  validateName: dnsLabelName,
  setDefaults: setServiceDefaults,
  prepareForCreate(service) {
    service['status'] = { loadBalancer: {} };
  },
  prepareForUpdate(service, old) {
    service['status'] = old['status'];
    dropMeaningless(service, old);
  },
  validate: validateService,
  reviewUpdate: (service, old, metadata) => [...metadata.update(), ...validateUpdate(service, old)],
  warnings: serviceWarnings,
  createsOnUpdate: true,
  deleteAnswers: 'object',
  selectableFieldNames: ['spec.clusterIP', 'spec.type'],
  selectableFields: (service) => ({ 'spec.clusterIP': textAt(service, 'spec', 'clusterIP'), 'spec.type': textAt(service, 'spec', 'type') }),
  subresources: {
    status: {
      prepareForUpdate(service, old) {
        service['spec'] = old['spec'];
      },
      validateUpdate: (service) =>
        validateBalancerStatus(membersOf(membersOf(service['status'])['loadBalancer']), service, Path.of('status', 'loadBalancer')),
    },
  },
};
