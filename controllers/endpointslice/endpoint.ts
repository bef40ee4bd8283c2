import { isTerminating, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { Node, Pod, Service } from '../../api/types/core/v1.js';
import type { Endpoint } from '../../api/types/discovery/v1.js';
import { addressesOf, familyOf, type Family } from '../services/families.js';
import { hostnameIn } from '../services/membership.js';
import { isReady } from '../workloads/podState.js';
import { sameMeaning } from '../../api/json/equality.js';

const zoneLabel = 'topology.kubernetes.io/zone';

/** Null where the pod has no address of the family. */
export function endpointOf(service: Service, pod: Pod, node: Node | undefined, family: Family): Endpoint | null {
  const addresses = addressesOf(pod).filter((address) => familyOf(address) === family);
  if (addresses.length === 0) return null;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const zone = node?.metadata.labels?.[zoneLabel];
  const hostname = hostnameIn(service, pod);
  return {
    addresses,
    // A terminating pod gets no new connections, unless the Service publishes pods in any state.
    conditions: { ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating },
    ...(hostname ? { hostname } : {}),
    targetRef: { kind: 'Pod', namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) },
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/** Identifies an endpoint; all other properties may change. */
export const endpointKey = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([[...(addresses ?? [])].sort(), hostname ?? '', targetRef?.namespace ?? '', targetRef?.name ?? '']);

/** Compares endpoints of one key without hints (decided separately) and pods' resource versions. */
export const sameEndpoint = (a: Endpoint, b: Endpoint): boolean => sameMeaning(facts(a), facts(b));

const facts = ({ nodeName, zone, conditions, targetRef }: Endpoint): object => {
  const { resourceVersion: _, ...target } = (targetRef ?? {}) as { readonly resourceVersion?: string };
  return { nodeName, zone, conditions, target };
};
