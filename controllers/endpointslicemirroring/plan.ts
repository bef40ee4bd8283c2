import { isControlledBy, isTerminating, nameOf, namespaceOf } from '../../api/meta/object.js';
import { type EndpointAddress, type EndpointPort, type Endpoints, endpoints as endpointsType } from '../../api/types/core/v1.js';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.js';
import { canonical } from '../endpoints/subsets.js';
import { familyOf, type Family } from '../services/families.js';
import { triggerAnnotation } from '../services/triggerTimes.js';
import { inOrder, portKey } from '../slices/portKey.js';
import { managedByLabel, recycled, serviceNameLabel, slicePrefix, type SliceWrites } from '../slices/sliceWrites.js';
import { controllerReference } from '../workloads/claim.js';
import { sameMeaning } from '../../api/json/equality.js';
import { locksElection } from '../../api/meta/election.js';

export const manager = 'endpointslicemirroring-controller.k8s.io';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';

/** Returns whether to mirror Endpoints: not those of leader election or with their own slices. */
export const isToBeMirrored = ({ metadata }: Endpoints): boolean => metadata.labels?.[skipLabel] !== 'true' && !locksElection(metadata);

export interface MirrorPlan extends SliceWrites {
  /** Omitted addresses: invalid ones, and those beyond the limit. */
  readonly invalid: number;
  readonly excess: number;
}

interface Group {
  readonly family: Family;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

/** Decides on the slices for Endpoints: one per subset and family. Pure. */
export function planMirror(source: Endpoints, slices: readonly EndpointSlice[], addressesMax: number): MirrorPlan {
  const { groups, invalid, excess } = grouped(source, addressesMax);
  const present = slices.filter((slice) => !isTerminating(slice));
  const own = present.filter((slice) => isControlledBy(slice, source));
  const each = [...groups].map(([key, group]) =>
    planGroup(
      source,
      group,
      own.filter((slice) => keyOf(slice.addressType, slice.ports ?? []) === key),
    ),
  );
  const needless = present.filter((slice) => !own.includes(slice) || !groups.has(keyOf(slice.addressType, slice.ports ?? [])));
  const writes = recycled(source, {
    create: each.flatMap(({ create }) => create),
    update: each.flatMap(({ update }) => update),
    remove: [...each.flatMap(({ remove }) => remove), ...needless],
  });
  return { ...writes, invalid, excess };
}

const keyOf = (family: string, ports: readonly Partial<EndpointPort>[]): string => `${family} ${portKey(ports)}`;

function grouped(
  { subsets = [] }: Endpoints,
  addressesMax: number,
): { readonly groups: ReadonlyMap<string, Group>; readonly invalid: number; readonly excess: number } {
  const groups = new Map<string, Group>();
  let invalid = 0;
  let excess = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of canonical(subsets)) {
    const all = [...addresses.map((address) => [address, true] as const), ...notReadyAddresses.map((address) => [address, false] as const)];
    const named = inOrder(
      ports.map(({ name = '', port, protocol, appProtocol }) => ({
        name,
        port,
        ...(protocol ? { protocol } : {}),
        ...(appProtocol === undefined ? {} : { appProtocol }),
      })),
    );
    let added = 0;
    for (const [address, ready] of all) {
      const family = familyOf(address.ip);
      if (added >= addressesMax) excess++;
      else if (family === null) invalid++;
      else {
        added++;
        place(groups, family, named).endpoints.push(endpointOf(address, ready));
      }
    }
  }
  return { groups, invalid, excess };
}

function place(groups: Map<string, Group>, family: Family, ports: readonly EndpointPort[]): Group {
  const key = keyOf(family, ports);
  const group = groups.get(key) ?? { family, ports, endpoints: [] };
  groups.set(key, group);
  return group;
}

const endpointOf = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname ? { hostname } : {}),
  ...(targetRef ? { targetRef } : {}),
  ...(nodeName ? { nodeName } : {}),
});

function planGroup(source: Endpoints, { family, ports, endpoints }: Group, [first, ...others]: readonly EndpointSlice[]): SliceWrites {
  const metadata = {
    labels: labelsOf(source),
    annotations: annotationsOf(source),
    ownerReferences: [controllerReference(endpointsType, source)],
  };
  if (!first)
    return {
      create: [
        {
          metadata: { generateName: slicePrefix(nameOf(source)), namespace: namespaceOf(source), ...metadata },
          addressType: family,
          ports,
          endpoints,
        },
      ],
      update: [],
      remove: [],
    };
  const isRight =
    sameMeaning(metadata.labels, first.metadata.labels) &&
    sameMeaning(metadata.annotations, annotationsOf(first)) &&
    sameEndpoints(endpoints, first.endpoints ?? []);
  // Like the reference, writes such a slice anew by its name alone.
  const { generateName: _, ...before } = first.metadata;
  return { create: [], update: isRight ? [] : [{ ...first, metadata: { ...before, ...metadata }, endpoints }], remove: others };
}

/** Ignores the order. */
function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  const sorted = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
    [...endpoints].sort((one, other) => ((one.addresses?.[0] ?? '') < (other.addresses?.[0] ?? '') ? -1 : 1));
  return a.length === b.length && sameMeaning(sorted(a), sorted(b));
}

const labelsOf = (source: Endpoints): Readonly<Record<string, string>> => ({
  ...source.metadata.labels,
  [serviceNameLabel]: nameOf(source),
  [managedByLabel]: manager,
});

/** Drops the time of a former change, and the last applied configuration, which is another kind's. */
function annotationsOf({ metadata }: { readonly metadata: Endpoints['metadata'] }): Readonly<Record<string, string>> {
  const { [lastApplied]: _, [triggerAnnotation]: __, ...annotations } = metadata.annotations ?? {};
  return annotations;
}
