import type { ApiObject } from '../../../../api/object.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../../../../api/json/defaulting.js';
import { memberAt } from '../../../../api/json/members.js';
import { isExternallyAccessible, isLoadBalancer, needsClusterIP } from './kinds.js';
import { statusOf } from '../../parts.js';

const affinitySeconds = 10_800;

/** Addresses and node ports are allocated separately, see `allocation.ts`. */
export function setServiceDefaults(service: ApiObject): void {
  const spec = ensureObject(service, 'spec');
  setTextDefault(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP' && memberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds') == null) {
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  setTextDefault(spec, 'type', 'ClusterIP');
  for (const port of objectsIn(spec, 'ports')) {
    setTextDefault(port, 'protocol', 'TCP');
    if (port['targetPort'] === undefined || port['targetPort'] === null || port['targetPort'] === 0 || port['targetPort'] === '')
      port['targetPort'] = port['port'] ?? 0;
  }
  if (isExternallyAccessible(service)) setTextDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (needsClusterIP(service)) setDefault(spec, 'internalTrafficPolicy', 'Cluster');
  if (!isLoadBalancer(service)) return;
  setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  const balancer = objectAt(statusOf(service), 'loadBalancer');
  for (const ingress of balancer === null ? [] : objectsIn(balancer, 'ingress'))
    if ((ingress['ip'] ?? '') !== '') setDefault(ingress, 'ipMode', 'VIP');
}
