import { isTerminating, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { EndpointAddress, Endpoints, EndpointSubset, Pod, Service } from '../../api/types/core/v1.js';
import { addressesOf, familiesOf, familyOf, hasClusterIP } from '../services/families.js';
import { hostnameIn, isReachable } from '../services/membership.js';
import { endpointPort } from '../services/ports.js';
import { withTrigger } from '../services/triggerTimes.js';
import { isReady } from '../workloads/podState.js';
import { sameMeaning } from '../../api/json/equality.js';
import { addressesMax, canonical, truncated } from './subsets.js';

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const manager = 'endpoint-controller';
const headlessLabel = 'service.kubernetes.io/headless';
const overCapacity = 'endpoints.kubernetes.io/over-capacity';

export interface EndpointsObserved {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly current: Endpoints | null;
  readonly triggerTime: string | null;
}

/** Returns a Service's desired Endpoints; null if unchanged. Pure. */
export function planEndpoints({ service, pods, current, triggerTime }: EndpointsObserved): Endpoints | null {
  const wanted = canonical(pods.flatMap((pod) => subsetsOf(service, pod)));
  const { subsets, isOver } = truncated(wanted);
  const labels = labelsOf(service);
  if (
    current &&
    !isOverCapacity(current) &&
    sameMeaning(labels, current.metadata.labels) &&
    sameMeaning(plain(wanted), plain(current.subsets ?? []))
  )
    return null;
  const { [overCapacity]: _, ...annotations } = withTrigger(current?.metadata.annotations, triggerTime);
  const metadata = {
    ...(current?.metadata ?? { name: nameOf(service), namespace: namespaceOf(service) }),
    labels,
    annotations: { ...annotations, ...(isOver ? { [overCapacity]: 'truncated' } : {}) },
  };
  return { ...current, metadata, subsets };
}

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(hasClusterIP(service) ? {} : { [headlessLabel]: '' }), [managedByLabel]: manager };
}

/** Returns whether an object is, or should be, marked as truncated. */
const isOverCapacity = ({ metadata, subsets = [] }: Endpoints): boolean =>
  metadata.annotations?.[overCapacity] !== undefined ||
  subsets.reduce((sum, { addresses = [], notReadyAddresses = [] }) => sum + addresses.length + notReadyAddresses.length, 0) > addressesMax;

/** Drops resource versions of pods, which say nothing. */
function plain(subsets: readonly EndpointSubset[]): readonly object[] {
  const address = ({ targetRef, ...rest }: EndpointAddress): object => {
    const { resourceVersion: _, ...target } = (targetRef ?? {}) as { readonly resourceVersion?: string };
    return { ...rest, target };
  };
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports }) => ({
    ports,
    addresses: addresses.map(address),
    notReadyAddresses: notReadyAddresses.map(address),
  }));
}

/** Subsets have one port each: they are regrouped later. */
function subsetsOf(service: Service, pod: Pod): readonly EndpointSubset[] {
  const { ports = [], publishNotReadyAddresses = false } = service.spec ?? {};
  const address = isReachable(pod) && (publishNotReadyAddresses || !isTerminating(pod)) ? addressOf(service, pod) : null;
  if (!address) return [];
  const state = publishNotReadyAddresses || isReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] };
  // A headless Service may have no ports at all.
  if (ports.length === 0) return service.spec?.clusterIP === 'None' ? [state] : [];
  return ports.flatMap((servicePort) => {
    const port = endpointPort(pod, servicePort);
    if (!port) return [];
    const { name, ...rest } = port;
    return [{ ...state, ports: [name === '' ? rest : port] }];
  });
}

function addressOf(service: Service, pod: Pod): EndpointAddress | null {
  const [family = 'IPv4'] = familiesOf(service);
  const ip = addressesOf(pod).find((address) => familyOf(address) === family);
  if (ip === undefined) return null;
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) },
  };
}
