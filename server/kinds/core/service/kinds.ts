import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { sameValue } from '../../../../api/json/equality.js';
import { specOf } from '../../parts.js';

/** Properties derived from a service's type and other members: addresses, node ports, traffic policies. */

export const typeOf = (service: ApiObject): string => textAt(service, 'spec', 'type');
export const clusterIPsOf = (service: ApiObject): string[] => itemsOf(specOf(service)['clusterIPs']).map(String);
export const familiesOf = (service: ApiObject): string[] => itemsOf(specOf(service)['ipFamilies']).map(String);
export const policyOf = (service: ApiObject): string => textAt(service, 'spec', 'ipFamilyPolicy');

const addressed: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

export const isExternalName = (service: ApiObject): boolean => typeOf(service) === 'ExternalName';
export const isLoadBalancer = (service: ApiObject): boolean => typeOf(service) === 'LoadBalancer';
export const needsClusterIP = (service: ApiObject): boolean => addressed.has(typeOf(service));
export const opensNodePorts = (service: ApiObject): boolean => typeOf(service) === 'NodePort' || isLoadBalancer(service);

/** A load balancer can do without node ports. */
export const allocatesNodePorts = (service: ApiObject): boolean =>
  typeOf(service) === 'NodePort' || (isLoadBalancer(service) && specOf(service)['allocateLoadBalancerNodePorts'] !== false);

/** Node-local traffic needs a port at which the balancer checks the node for endpoints. */
export const needsHealthCheckPort = (service: ApiObject): boolean =>
  isLoadBalancer(service) && specOf(service)['externalTrafficPolicy'] === 'Local';

/** A headless service has no address: its name resolves to the endpoints. */
export const isHeadless = (service: ApiObject): boolean => {
  const addresses = clusterIPsOf(service);
  return addresses.length === 1 && addresses[0] === 'None';
};

export const isExternallyAccessible = (service: ApiObject): boolean =>
  opensNodePorts(service) || (typeOf(service) === 'ClusterIP' && itemsOf(specOf(service)['externalIPs']).length > 0);

export const sameSpec = (a: ApiObject, b: ApiObject, ...members: readonly string[]): boolean =>
  members.every((member) => sameValue(orNothing(specOf(a)[member]), orNothing(specOf(b)[member])));

/** An empty list or text counts as absent. */
const orNothing = (value: JsonObject[string]): unknown =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value;
/** An empty policy is invalid; an absent one gets a default. */
export const lacksPolicy = (service: ApiObject): boolean => (specOf(service)['ipFamilyPolicy'] ?? null) === null;
