import type { ApiObject } from '../../../../api/object.js';
import { objectsIn } from '../../../../api/json/defaulting.js';
import { membersOf } from '../../../../api/json/members.js';
import { isSixText } from '../../../registry/validation/addresses.js';
import {
  allocatesNodePorts,
  clusterIPsOf,
  familiesOf,
  isExternalName,
  isExternallyAccessible,
  isHeadless,
  isLoadBalancer,
  lacksPolicy,
  needsHealthCheckPort,
  opensNodePorts,
  sameSpec,
} from './kinds.js';
import { specOf } from '../../parts.js';

/** Values that an update keeps although the client omits them, or drops although it repeats them. */

/** Chosen values stay while they are needed, so that clients which never saw them can write. */
export function carryAllocated(service: ApiObject, old: ApiObject): void {
  const [spec, before] = [specOf(service), specOf(old)];
  if (mayHaveClusterIP(old) && mayHaveClusterIP(service)) {
    if ((spec['clusterIP'] ?? '') === '' && before['clusterIP'] !== undefined) spec['clusterIP'] = before['clusterIP'];
    // Also next to another address, which then replaces the list (`alignAddresses`) and is refused as a change.
    if (clusterIPsOf(service).length === 0 && clusterIPsOf(old).length > 0) spec['clusterIPs'] = clusterIPsOf(old);
  }
  if (allocatesNodePorts(old) && allocatesNodePorts(service)) carryNodePorts(service, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(service) && (spec['healthCheckNodePort'] ?? 0) === 0)
    spec['healthCheckNodePort'] = before['healthCheckNodePort'] ?? 0;
}

/** Entries match by name; an explicit node port of both states is not given to another entry. */
function carryNodePorts(service: ApiObject, old: ApiObject): void {
  const [ports, before] = [objectsIn(specOf(service), 'ports'), objectsIn(specOf(old), 'ports')];
  const named = new Set(ports.map((port) => Number(port['nodePort'] ?? 0)));
  const byName = new Map(before.map((port) => [String(port['name'] ?? ''), Number(port['nodePort'] ?? 0)]));
  for (const port of ports) {
    const known = byName.get(String(port['name'] ?? '')) ?? 0;
    if (Number(port['nodePort'] ?? 0) === 0 && known !== 0 && !named.has(known)) port['nodePort'] = known;
  }
}

/** Includes invalid types: repeated values are not the reason of their refusal. */
const mayHaveClusterIP = (service: ApiObject): boolean => !isExternalName(service);

const unlike = (rule: (service: ApiObject) => boolean, service: ApiObject, old: ApiObject): boolean => rule(old) && !rule(service);

/** Drops members that the type change makes meaningless and the client only repeated; changed ones are left to validation. */
export function dropMeaningless(service: ApiObject, old: ApiObject): void {
  const spec = specOf(service);
  const drop = (...members: readonly string[]): void => {
    if (sameSpec(service, old, ...members)) for (const member of members) delete spec[member];
  };
  if (unlike(mayHaveClusterIP, service, old)) {
    if (sameSpec(service, old, 'clusterIPs')) drop('clusterIP', 'clusterIPs');
    drop('ipFamilies');
    drop('ipFamilyPolicy');
  }
  if (unlike(opensNodePorts, service, old) && onlyKnownNodePorts(service, old))
    for (const port of objectsIn(spec, 'ports')) delete port['nodePort'];
  if (unlike(needsHealthCheckPort, service, old)) drop('healthCheckNodePort');
  if (unlike(isLoadBalancer, service, old)) {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (unlike(isExternallyAccessible, service, old)) drop('externalTrafficPolicy');
  // Its balancer is removed later, which need not concern clients.
  if (!isLoadBalancer(service)) service['status'] = { ...membersOf(service['status']), loadBalancer: {} };
}

/** An external name has no traffic within the cluster. */
export function dropUnused(service: ApiObject): void {
  if (isExternalName(service)) delete specOf(service)['internalTrafficPolicy'];
}

/**
 * Services of older releases have one address, the first of the list, and no families. Without an address the family depends on the cluster, and is determined
 * at the next write.
 */
export function completeAddresses(service: ApiObject): void {
  const spec = specOf(service);
  if (isExternalName(service)) return;
  if (clusterIPsOf(service).length === 0 && (spec['clusterIP'] ?? '') !== '') spec['clusterIPs'] = [String(spec['clusterIP'])];
  if (isHeadless(service) || clusterIPsOf(service).length === 0 || familiesOf(service).length > 0) return;
  const families = clusterIPsOf(service).map((address) => (isSixText(address) ? 'IPv6' : 'IPv4'));
  spec['ipFamilies'] = families;
  if (lacksPolicy(service)) spec['ipFamilyPolicy'] = families.length > 1 ? 'RequireDualStack' : 'SingleStack';
}

/** Reports whether no node port was added; some may have gone. */
function onlyKnownNodePorts(service: ApiObject, old: ApiObject): boolean {
  const ports = (of: ApiObject): number[] => objectsIn(specOf(of), 'ports').map((port) => Number(port['nodePort'] ?? 0));
  const known = new Set([0, ...ports(old)]);
  return ports(service).every((port) => known.has(port));
}
