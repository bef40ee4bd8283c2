import type * as v1 from '../../../../api/types/core/v1.js';
import { itemsOf, specOf, type Draft } from '../../language.js';
import { familyOf } from './addressing.js';
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
  nodePortsOf,
  opensNodePorts,
  sameSpec,
  type Spec,
} from './kinds.js';

/** Values that an update keeps although the client omits them, or drops although it repeats them. */

/** Chosen values stay while they are needed, so that clients which never saw them can write. */
export function carryAllocated(spec: Spec, old: Spec): void {
  if (mayHaveClusterIP(old) && mayHaveClusterIP(spec)) {
    if ((spec.clusterIP ?? '') === '' && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    // Also next to another address, which then replaces the list (`alignAddresses`) and is refused as a change.
    if (clusterIPsOf(spec).length === 0 && clusterIPsOf(old).length > 0) spec.clusterIPs = clusterIPsOf(old);
  }
  if (allocatesNodePorts(old) && allocatesNodePorts(spec)) carryNodePorts(spec, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec)) spec.healthCheckNodePort ||= old.healthCheckNodePort ?? 0;
}

/** Entries match by name; an explicit node port of both states is not given to another entry. */
function carryNodePorts(spec: Spec, old: Spec): void {
  const explicit = new Set(nodePortsOf(spec));
  const byName = new Map(itemsOf(old.ports).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of itemsOf(spec.ports)) {
    const known = byName.get(port.name ?? '') ?? 0;
    if (known !== 0 && !explicit.has(known)) port.nodePort ||= known;
  }
}

/** Includes invalid types: repeated values are not the reason of their refusal. */
const mayHaveClusterIP = (spec: Spec): boolean => !isExternalName(spec);

/** Drops members that the type change makes meaningless and the client only repeated; changed ones are left to validation. */
export function dropMeaningless(service: Draft<v1.Service>, before: Draft<v1.Service>): void {
  const [spec, old] = [specOf(service), specOf(before)];
  const gone = (rule: (spec: Spec) => boolean): boolean => rule(old) && !rule(spec);
  const drop = (...members: readonly (keyof Spec)[]): void => {
    if (sameSpec(spec, old, ...members)) for (const member of members) delete spec[member];
  };
  if (gone(mayHaveClusterIP)) {
    drop('clusterIP', 'clusterIPs');
    drop('ipFamilies');
    drop('ipFamilyPolicy');
  }
  if (gone(opensNodePorts) && onlyKnownNodePorts(spec, old)) for (const port of itemsOf(spec.ports)) delete port.nodePort;
  if (gone(needsHealthCheckPort)) drop('healthCheckNodePort');
  if (gone(isLoadBalancer)) {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (gone(isExternallyAccessible)) drop('externalTrafficPolicy');
  // Its balancer is removed later, which need not concern clients.
  if (!isLoadBalancer(spec)) service.status = { ...service.status, loadBalancer: {} };
}

/** An external name has no traffic within the cluster. */
export function dropUnused(service: Draft<v1.Service>): void {
  const spec = specOf(service);
  if (isExternalName(spec)) delete spec.internalTrafficPolicy;
}

/**
 * Services of older releases have one address, the first of the list, and no families. Without an address the family depends on the cluster, and is determined
 * at the next write.
 */
export function completeAddresses(service: Draft<v1.Service>): void {
  const spec = specOf(service);
  if (isExternalName(spec)) return;
  if (clusterIPsOf(spec).length === 0 && spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  if (isHeadless(spec) || clusterIPsOf(spec).length === 0 || familiesOf(spec).length > 0) return;
  const families = clusterIPsOf(spec).map(familyOf);
  spec.ipFamilies = families;
  if (lacksPolicy(spec)) spec.ipFamilyPolicy = families.length > 1 ? 'RequireDualStack' : 'SingleStack';
}

/** Reports whether no node port was added; some may have gone. */
function onlyKnownNodePorts(spec: Spec, old: Spec): boolean {
  const known = new Set([0, ...nodePortsOf(old)]);
  return nodePortsOf(spec).every((port) => known.has(port));
}
