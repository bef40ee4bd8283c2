import type * as v1 from '../../../../api/types/core/v1.js';
import { ensureObject, objectsIn, setDefault, setTextDefault } from '../../../../api/json/defaulting.js';
import { isSet } from '../../../../api/json/members.js';
import type { Draft } from '../../kind.js';
import { isExternallyAccessible, isLoadBalancer, needsClusterIP } from './kinds.js';

const affinitySeconds = 10_800;

/** Addresses and node ports are allocated later: see `allocator.ts`. */
export function setServiceDefaults(service: Draft<v1.Service>): void {
  const spec = ensureObject(service, 'spec');
  setTextDefault(spec, 'sessionAffinity', 'None');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && !isSet(spec.sessionAffinityConfig?.clientIP?.timeoutSeconds))
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  setTextDefault(spec, 'type', 'ClusterIP');
  for (const port of objectsIn(spec, 'ports')) {
    setTextDefault(port, 'protocol', 'TCP');
    port.targetPort ||= port.port ?? 0;
  }
  if (isExternallyAccessible(spec)) setTextDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (needsClusterIP(spec)) setDefault(spec, 'internalTrafficPolicy', 'Cluster');
  if (!isLoadBalancer(spec)) return;
  setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  for (const ingress of objectsIn(service.status?.loadBalancer, 'ingress')) if (ingress.ip) setDefault(ingress, 'ipMode', 'VIP');
}
