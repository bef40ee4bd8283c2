import { isControlledBy, isTerminating, uidOf } from '../../api/meta/object.js';
import type { EndpointPort, Node, Pod, Service } from '../../api/types/core/v1.js';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.js';
import { familiesOf, type Family } from '../services/families.js';
import { isReachable } from '../services/membership.js';
import { endpointPorts } from '../services/ports.js';
import { withTrigger } from '../services/triggerTimes.js';
import { inOrder, portKey } from '../slices/portKey.js';
import { recycled, type SliceWrites } from '../slices/sliceWrites.js';
import { sameMeaning } from '../../api/json/equality.js';
import { endpointOf } from './endpoint.js';
import { pack } from './packing.js';
import { labelsOf, newSlice } from './slice.js';
import { asksForTopology, withTopologyHints } from './topologyHints.js';
import { withTrafficHints } from './trafficHints.js';
import type { ZoneShares } from './zoneShares.js';

export interface SlicesObserved {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly slices: readonly EndpointSlice[];
  readonly nodeOf: (name: string) => Node | undefined;
  /** Called only for a Service that requests topology hints. */
  readonly zoneShares: () => ZoneShares;
  readonly endpointsMax: number;
  /** Time of the change to be written; null if unknown. */
  readonly triggerTime: string | null;
}

export interface SlicesPlan extends SliceWrites {
  /** Pods that are left out because their node is unknown. */
  readonly stranded: readonly Pod[];
  /** Why requested topology hints are impossible, or null, by family. */
  readonly topology: readonly { readonly family: Family; readonly refusal: string | null }[];
}

/** Decides how a Service's slices should change. Pure. */
export function planSlices(observed: SlicesObserved): SlicesPlan {
  const { service, triggerTime } = observed;
  const families = familiesOf(service);
  const slices = observed.slices.filter((slice) => !isTerminating(slice));
  const stranded = observed.pods.filter((pod) => isReachable(pod) && !isPlaced(observed, pod));
  const each = families.map((family) =>
    planFamily(
      observed,
      family,
      slices.filter(({ addressType }) => addressType === family),
    ),
  );
  const foreign = slices.filter(({ addressType }) => !families.some((family) => family === addressType));
  const merged = merge([...each, { create: [], update: [], remove: foreign }]);
  const { create, update, remove } = recycled(service, merged);
  const stamped = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, annotations: withTrigger(slice.metadata.annotations, triggerTime) },
  });
  const topology = each.flatMap(({ refusal }, index) => (refusal === undefined ? [] : [{ family: families[index] ?? 'IPv4', refusal }]));
  return { create: create.map(stamped), update: update.map(stamped), remove, stranded, topology };
}

const merge = (all: readonly SliceWrites[]): SliceWrites => ({
  create: all.flatMap(({ create }) => create),
  update: all.flatMap(({ update }) => update),
  remove: all.flatMap(({ remove }) => remove),
});

/** A pod on an unknown node is listed only by a Service that publishes pods in any state. */
const isPlaced = ({ service, nodeOf }: SlicesObserved, pod: Pod): boolean =>
  service.spec?.publishNotReadyAddresses === true || nodeOf(pod.spec?.nodeName ?? '') !== undefined;

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

/** Groups endpoints by ports: a named port may have a different number on each pod. */
function groups(observed: SlicesObserved, family: Family): ReadonlyMap<string, Group> {
  const { service, nodeOf } = observed;
  const found = new Map<string, Group>();
  for (const pod of observed.pods.filter(isReachable)) {
    const ports = inOrder(endpointPorts(service, pod));
    const key = portKey(ports);
    let group = found.get(key);
    if (!group) found.set(key, (group = { ports, endpoints: [] }));
    const endpoint = isPlaced(observed, pod) ? endpointOf(service, pod, nodeOf(pod.spec?.nodeName ?? ''), family) : null;
    if (endpoint) group.endpoints.push(endpoint);
  }
  return found;
}

/** `refusal` is absent where topology is not requested. */
type FamilyPlan = SliceWrites & { readonly refusal?: string | null };

function planFamily(observed: SlicesObserved, family: Family, slices: readonly EndpointSlice[]): FamilyPlan {
  const { service, endpointsMax } = observed;
  const labels = labelsOf(service);
  const own = slices.filter((slice) => isControlledBy(slice, service));
  const wanted = groups(observed, family);
  const packed = [...wanted].map(([key, { ports, endpoints }]) =>
    pack({
      slices: own.filter((slice) => portKey(slice.ports) === key),
      wanted: endpoints,
      labels,
      endpointsMax,
      empty: () => newSlice(service, family, ports),
    }),
  );
  const needless = slices.filter((slice) => !own.includes(slice) || !wanted.has(portKey(slice.ports)));
  const writes = withPlaceholder(service, family, slices, merge([...packed, { create: [], update: [], remove: needless }]));
  return asksForTopology(service) ? withTopology(observed, slices, writes) : withTraffic(service, slices, writes);
}

/** There is always a slice, so that clients can wait for one. */
function withPlaceholder(service: Service, family: Family, slices: readonly EndpointSlice[], writes: SliceWrites): SliceWrites {
  if (slices.length > writes.remove.length || writes.create.length > 0) return writes;
  const placeholder = newSlice(service, family, []);
  const [last, ...others] = writes.remove;
  if (last && others.length === 0 && isPlaceholder(last, placeholder)) return { ...writes, remove: [] };
  return { ...writes, create: [placeholder] };
}

const isPlaceholder = (slice: EndpointSlice, { metadata }: Pick<EndpointSlice, 'metadata'>): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  sameMeaning(slice.metadata.labels, metadata.labels) &&
  sameMeaning(slice.metadata.ownerReferences, metadata.ownerReferences);

const unchangedOf = (slices: readonly EndpointSlice[], { update, remove }: SliceWrites): readonly EndpointSlice[] => {
  const touched = new Set([...update, ...remove].map(uidOf));
  return slices.filter((slice) => !touched.has(uidOf(slice)));
};

function withTraffic(service: Service, slices: readonly EndpointSlice[], writes: SliceWrites): SliceWrites {
  const hint = (slice: EndpointSlice): EndpointSlice => withTrafficHints(slice, service.spec?.trafficDistribution);
  const rehinted = unchangedOf(slices, writes).flatMap((slice) => {
    const after = hint(slice);
    return after === slice ? [] : [after];
  });
  return { create: writes.create.map(hint), update: [...writes.update.map(hint), ...rehinted], remove: writes.remove };
}

function withTopology({ zoneShares }: SlicesObserved, slices: readonly EndpointSlice[], writes: SliceWrites): FamilyPlan {
  const settled = unchangedOf(slices, writes);
  const { slices: after, refusal } = withTopologyHints([...writes.create, ...writes.update], settled, zoneShares());
  const changing = writes.create.length + writes.update.length;
  const rehinted = after.slice(changing).filter((slice, index) => !sameMeaning(slice.endpoints, settled[index]?.endpoints));
  return {
    create: after.slice(0, writes.create.length),
    update: [...after.slice(writes.create.length, changing), ...rehinted],
    remove: writes.remove,
    refusal,
  };
}
