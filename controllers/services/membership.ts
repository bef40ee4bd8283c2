import { isTerminating, nameOf, namespaceOf } from '../../api/meta/object.js';
import { selectsAll } from '../../api/selectors.js';
import type { Pod, Service } from '../../api/types/core/v1.js';
import type { Lister } from '../client/cache.js';
import { isFinished, isReady } from '../workloads/podState.js';
import { sameMeaning } from '../../api/json/equality.js';
import { addressesOf } from './families.js';

/** Users write the endpoints of a Service without a selector. */
export const hasSelector = ({ spec }: Service): boolean => spec?.selector !== undefined && spec.selector !== null;
export const followsPods = (service: Service): boolean => hasSelector(service) && service.spec?.type !== 'ExternalName';
export const isSelected = (service: Service, pod: Pod): boolean =>
  hasSelector(service) && selectsAll(service.spec?.selector, pod.metadata.labels);

export const podsBehind = (service: Service, known: Pick<Lister<Pod>, 'inNamespace'>): readonly Pod[] =>
  known.inNamespace(namespaceOf(service)).filter((pod) => isSelected(service, pod));

export const isReachable = (pod: Pod): boolean => !isFinished(pod) && addressesOf(pod).length > 0;

export function hostnameIn(service: Service, { metadata, spec }: Pod): string | null {
  return spec?.hostname && spec.subdomain === nameOf(service) && metadata.namespace === namespaceOf(service) ? spec.hostname : null;
}

/** Returns whether a pod's change may change endpoints; false for a resync. */
export const concernsEndpoints = (before: Pod, after: Pod): boolean =>
  before !== after && !sameMeaning(outlineOf(before), outlineOf(after));

const outlineOf = (pod: Pod): object => ({
  labels: pod.metadata.labels,
  uid: pod.metadata.uid,
  terminating: isTerminating(pod),
  ready: isReady(pod),
  reachable: isReachable(pod),
  addresses: addressesOf(pod),
  node: pod.spec?.nodeName,
  hostname: pod.spec?.hostname,
  subdomain: pod.spec?.subdomain,
});
