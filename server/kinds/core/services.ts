import type * as v1 from '../../../api/types/core/v1.js';
import {
  at,
  balancerAddresses,
  dns1035LabelName,
  dnsLabelName,
  fieldsAt,
  isSet,
  itemsOf,
  labelsAt,
  none,
  specOf,
  textAt,
  type Draft,
  type Kind,
} from '../language.js';
import { completeAddresses, dropMeaningless, dropUnused } from './service/carry.js';
import { alignAddresses } from './service/families.js';
import { validateStatus } from './service/status.js';
import { validateService, validateServiceUpdate } from './service/validation.js';
import { serviceWarnings, statusWarnings } from './service/warnings.js';

function externalAddresses({ spec = {}, status }: Draft<v1.Service>): string {
  const given = itemsOf(spec.externalIPs);
  switch (spec.type) {
    case 'LoadBalancer':
      return [...balancerAddresses(status?.loadBalancer?.ingress), ...given].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return given.join(',') || none;
  }
}

const portsText = ({ spec }: Draft<v1.Service>): string =>
  itemsOf(spec?.ports)
    .map((port) => `${textAt(port, 'port')}${isSet(port.nodePort) ? `:${port.nodePort}` : ''}/${port.protocol || 'TCP'}`)
    .join(',') || none;

export const services: Kind<Draft<v1.Service>> = {
  name: 'services',
  metadata: {
    name: (name, prefix, _service, enabled) => (enabled('RelaxedServiceNameValidation') ? dnsLabelName : dns1035LabelName)(name, prefix),
  },
  defaults(service) {
    validateService.defaults(service);
    validateStatus.defaults(service);
  },
  validate: validateService,
  warnings: serviceWarnings,
  // The reference checks what it will not show.
  canonicalize: dropUnused,
  fromOld: completeAddresses,
  create: {
    // Manifests are checked without an allocator.
    prepare(service, { subresource = '' }) {
      if (subresource === '') alignAddresses(specOf(service), null);
    },
    status: { loadBalancer: {} },
  },
  update: {
    prepare: dropMeaningless,
    review: ['objectMetaUpdate', validateServiceUpdate],
    creates: true,
  },
  subresources: {
    status: {
      // The strategy of the status inherits `AllowCreateOnUpdate` (core/service/strategy.go).
      creates: 'always',
      warnings: statusWarnings,
      validate: validateStatus,
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
