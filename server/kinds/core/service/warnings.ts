import type * as v1 from '../../../../api/types/core/v1.js';
import { addressWarnings, itemsOf, rangeWarnings, specOf, type Draft } from '../../language.js';
import { clusterIPsOf, isExternalName, isHeadless, type Spec } from './kinds.js';

const hints = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings(service: Draft<v1.Service>): string[] {
  const spec = specOf(service);
  const external = itemsOf(spec.externalIPs);
  const warnings: string[] = [];
  if (service.metadata.annotations?.[hints] !== undefined)
    warnings.push(`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (isHeadless(spec)) warnings.push(...headlessWarnings(spec));
  else clusterIPsOf(spec).forEach((address, position) => warnings.push(...addressWarnings(address, `spec.clusterIPs[${position}]`)));
  external.forEach((address, position) => warnings.push(...addressWarnings(address, `spec.externalIPs[${position}]`)));
  if (external.length > 0 && !isHeadless(spec) && !isExternalName(spec))
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  warnings.push(...addressWarnings(spec.loadBalancerIP ?? '', 'spec.loadBalancerIP'));
  itemsOf(spec.loadBalancerSourceRanges).forEach((range, position) =>
    warnings.push(...rangeWarnings(range, `spec.loadBalancerSourceRanges[${position}]`)),
  );
  if (isExternalName(spec) && external.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName(spec) && (spec.externalName ?? '') !== '')
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

export const statusWarnings = ({ status }: Draft<v1.Service>): string[] =>
  itemsOf(status?.loadBalancer?.ingress).flatMap(({ ip = '' }, position) =>
    addressWarnings(ip, `status.loadBalancer.ingress[${position}]`),
  );

function headlessWarnings({ loadBalancerIP, externalIPs, sessionAffinity }: Spec): string[] {
  const ignored = (member: string, present: boolean): string[] => (present ? [`spec.${member} is ignored for headless services`] : []);
  return [
    ...ignored('loadBalancerIP', (loadBalancerIP ?? '') !== ''),
    ...ignored('externalIPs', itemsOf(externalIPs).length > 0),
    ...ignored('SessionAffinity', sessionAffinity !== 'None'),
  ];
}
