import type { Service } from '../../../api/types/core/v1.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { Path } from '../../registry/validation/field.js';
import { dns1035LabelName, dnsLabelName } from '../../registry/validation/names.js';
import { at, labelsAt, none } from '../cells.js';
import { fieldsAt } from '../fields.js';
import type { Draft, Kind } from '../kind.js';
import { validateAddressingUpdate } from './service/addressing.js';
import { completeAddresses, dropMeaningless, dropUnused } from './service/carry.js';
import { alignAddresses } from './service/families.js';
import { setServiceDefaults } from './service/defaults.js';
import { validateBalancerStatus } from './service/status.js';
import { validateBalancerClass, validateHealthCheckPortUpdate, validateService } from './service/validation.js';
import { serviceWarnings, statusWarnings } from './service/warnings.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const validateUpdate = (service: Draft<Service>, old: Draft<Service>): Found =>
  inOrder(
    validateAddressingUpdate(service, old),
    validateBalancerClass(service, old),
    validateHealthCheckPortUpdate(service, old),
    validateService(service),
  );

/** Addresses and node ports are allocated before these rules run: see `service/allocator.ts`. */
function externalAddresses(service: Draft<Service>): string {
  const given = itemsOf(memberAt(service, 'spec', 'externalIPs')).map(String);
  const balanced = itemsOf(memberAt(service, 'status', 'loadBalancer', 'ingress')).map(
    (entry) => textAt(entry, 'ip') || textAt(entry, 'hostname'),
  );
  switch (textAt(service, 'spec', 'type')) {
    case 'LoadBalancer':
      return [...balanced, ...given].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return given.join(',') || none;
  }
}

const portsText = (service: Draft<Service>): string =>
  itemsOf(memberAt(service, 'spec', 'ports'))
    .map(
      (port) =>
        `${textAt(port, 'port')}${textAt(port, 'nodePort') === '' ? '' : `:${textAt(port, 'nodePort')}`}/${textAt(port, 'protocol') || 'TCP'}`,
    )
    .join(',') || none;

export const services: Kind<Draft<Service>> = {
  name: 'services',
  metadata: {
    name: (name, prefix, _service, enabled) => (enabled('RelaxedServiceNameValidation') ? dnsLabelName : dns1035LabelName)(name, prefix),
  },
  defaults: setServiceDefaults,
  validate: validateService,
  warnings: serviceWarnings,
  // The reference checks what it will not show.
  canonicalize: dropUnused,
  fromOld: completeAddresses,
  create: {
    // Manifests are checked without an allocator.
    prepare(service, { subresource = '' }) {
      if (subresource === '') alignAddresses(service, null);
    },
    status: { loadBalancer: {} },
  },
  update: {
    prepare: dropMeaningless,
    review: ['objectMetaUpdate', validateUpdate],
    creates: true,
  },
  subresources: {
    status: {
      // The strategy of the status inherits `AllowCreateOnUpdate` (core/service/strategy.go).
      creates: 'always',
      warnings: statusWarnings,
      validate: (service) =>
        validateBalancerStatus(membersOf(membersOf(service.status).loadBalancer), service, Path.of('status', 'loadBalancer')),
    },
  },
  delete: { answers: 'object' },
  fields: { values: fieldsAt('spec.clusterIP', 'spec.type') },
  cells: {
    Type: at('spec.type', 'ClusterIP'),
    'Cluster-IP': at('spec.clusterIP'),
    'External-IP': externalAddresses,
    'Port(s)': portsText,
    Selector: labelsAt('spec.selector'),
  },
};
