import type * as v1 from '../../../../api/types/core/v1.js';
import { isSet, itemsOf, sameValue, type Writable } from '../../language.js';

export type Spec = Writable<v1.ServiceSpec>;

export const clusterIPsOf = ({ clusterIPs }: Spec): string[] => [...itemsOf(clusterIPs)];
export const familiesOf = ({ ipFamilies }: Spec): string[] => [...itemsOf(ipFamilies)];
export const policyOf = ({ ipFamilyPolicy }: Spec): string => ipFamilyPolicy ?? '';
export const nodePortsOf = ({ ports }: Spec): number[] => itemsOf(ports).map((port) => port.nodePort ?? 0);

const addressed: ReadonlySet<string | undefined> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

export const isExternalName = ({ type }: Spec): boolean => type === 'ExternalName';
export const isLoadBalancer = ({ type }: Spec): boolean => type === 'LoadBalancer';
export const needsClusterIP = ({ type }: Spec): boolean => addressed.has(type);
export const opensNodePorts = ({ type }: Spec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** A load balancer can do without node ports. */
export const allocatesNodePorts = (spec: Spec): boolean =>
  spec.type === 'NodePort' || (isLoadBalancer(spec) && spec.allocateLoadBalancerNodePorts !== false);

/** Node-local traffic needs a port at which the balancer checks the node for endpoints. */
export const needsHealthCheckPort = (spec: Spec): boolean => isLoadBalancer(spec) && spec.externalTrafficPolicy === 'Local';

/** A headless service has no address: its name resolves to the endpoints. */
export const isHeadless = ({ clusterIPs }: Spec): boolean => itemsOf(clusterIPs).length === 1 && clusterIPs?.[0] === 'None';

export const isExternallyAccessible = (spec: Spec): boolean =>
  opensNodePorts(spec) || (spec.type === 'ClusterIP' && itemsOf(spec.externalIPs).length > 0);

export const sameSpec = (a: Spec, b: Spec, ...members: readonly (keyof Spec)[]): boolean =>
  members.every((member) => sameValue(orNothing(a[member]), orNothing(b[member])));

/** An empty list or text counts as absent. */
const orNothing = (value: unknown): unknown =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value;
/** An empty policy is invalid; an absent one gets a default. */
export const lacksPolicy = ({ ipFamilyPolicy }: Spec): boolean => !isSet(ipFamilyPolicy);
