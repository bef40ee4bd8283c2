import type { ApiObject } from '../../../../api/object.js';
import { itemsOf, memberAt, textAt } from '../../../../api/json/members.js';
import { addressWarnings, rangeWarnings } from '../../../registry/validation/spelling.js';
import { clusterIPsOf, isExternalName, isHeadless } from './kinds.js';
import { specOf } from '../../parts.js';

const hints = 'service.kubernetes.io/topology-aware-hints';

/** Warns about members without effect, or deprecated ones. */
export function serviceWarnings(service: ApiObject): string[] {
  const spec = specOf(service);
  const external = itemsOf(spec['externalIPs']).map(String);
  const warnings: string[] = [];
  if (service.metadata.annotations?.[hints] !== undefined)
    warnings.push(`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (isHeadless(service)) warnings.push(...headlessWarnings(service, external));
  else clusterIPsOf(service).forEach((address, position) => warnings.push(...addressWarnings(address, `spec.clusterIPs[${position}]`)));
  external.forEach((address, position) => warnings.push(...addressWarnings(address, `spec.externalIPs[${position}]`)));
  if (external.length > 0 && !isHeadless(service) && !isExternalName(service))
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  warnings.push(...addressWarnings(textAt(spec, 'loadBalancerIP'), 'spec.loadBalancerIP'));
  itemsOf(spec['loadBalancerSourceRanges']).forEach((range, position) =>
    warnings.push(...rangeWarnings(String(range), `spec.loadBalancerSourceRanges[${position}]`)),
  );
  if (isExternalName(service) && external.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName(service) && textAt(spec, 'externalName') !== '')
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec['trafficDistribution'] === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

/** Warns about addresses that a balancer reports. */
export const statusWarnings = (service: ApiObject): string[] =>
  itemsOf(memberAt(service, 'status', 'loadBalancer', 'ingress')).flatMap((entry, position) =>
    addressWarnings(textAt(entry, 'ip'), `status.loadBalancer.ingress[${position}]`),
  );

function headlessWarnings(service: ApiObject, external: readonly string[]): string[] {
  const ignored = (member: string, present: boolean): string[] => (present ? [`spec.${member} is ignored for headless services`] : []);
  return [
    ...ignored('loadBalancerIP', textAt(service, 'spec', 'loadBalancerIP') !== ''),
    ...ignored('externalIPs', external.length > 0),
    ...ignored('SessionAffinity', textAt(service, 'spec', 'sessionAffinity') !== 'None'),
  ];
}
