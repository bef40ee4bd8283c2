import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../api/types/core/v1.js';
import { inOrder } from './order.js';

/**
 * The canonical form of subsets: each address with its port belongs to exactly one, and addresses with the same ports share one.
 *
 *     a:80 b:80 a:443 b:443 c:80   becomes   {a, b}: 80, 443   and   {c}: 80
 *
 * An address that is both ready and not ready counts as not ready. Pure.
 */
export function canonical(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const members = new Map<string, Map<string, boolean>>();
  const known = { addresses: new Map<string, EndpointAddress>(), ports: new Map<string, EndpointPort | null>() };
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports.length > 0 ? ports : [null]) {
      const states = statesOf(members, known.ports, port);
      for (const address of addresses) note(states, known.addresses, address, true);
      for (const address of notReadyAddresses) note(states, known.addresses, address, false);
    }
  }
  return inOrder(
    regrouped(members, known).filter(({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length > 0),
  );
}

function statesOf(
  members: Map<string, Map<string, boolean>>,
  ports: Map<string, EndpointPort | null>,
  port: EndpointPort | null,
): Map<string, boolean> {
  const key = port ? JSON.stringify([port.name ?? '', port.port, port.protocol ?? '', port.appProtocol ?? null]) : '';
  ports.set(key, port);
  let states = members.get(key);
  if (!states) members.set(key, (states = new Map<string, boolean>()));
  return states;
}

function note(states: Map<string, boolean>, addresses: Map<string, EndpointAddress>, address: EndpointAddress, ready: boolean): void {
  // Equal addresses of different pods are distinct, so that each keeps its target.
  const key = `${address.ip} ${address.targetRef?.uid ?? ''}`;
  if (!addresses.has(key)) addresses.set(key, address);
  states.set(key, ready && (states.get(key) ?? true));
}

/** Groups ports with the same addresses in the same state. */
function regrouped(
  members: ReadonlyMap<string, ReadonlyMap<string, boolean>>,
  { addresses, ports }: { addresses: ReadonlyMap<string, EndpointAddress>; ports: ReadonlyMap<string, EndpointPort | null> },
): EndpointSubset[] {
  const together = new Map<string, { states: ReadonlyMap<string, boolean>; ports: EndpointPort[] }>();
  for (const [portKey, states] of members) {
    const key = [...states]
      .map(([address, ready]) => `${address} ${ready}`)
      .sort()
      .join('\n');
    const group = together.get(key) ?? { states, ports: [] };
    const port = ports.get(portKey);
    if (port) group.ports.push(port);
    together.set(key, group);
  }
  const withState = (states: ReadonlyMap<string, boolean>, wanted: boolean): EndpointAddress[] =>
    [...states].flatMap(([key, ready]) => (ready === wanted ? (addresses.get(key) ?? []) : []));
  return [...together.values()].map(({ states, ports: shared }) => ({
    addresses: withState(states, true),
    notReadyAddresses: withState(states, false),
    ports: shared,
  }));
}

export const addressesMax = 1_000;

export interface Truncated {
  readonly subsets: readonly EndpointSubset[];
  readonly isOver: boolean;
}

/** Truncates unready addresses first, from each subset in proportion to its size. */
export function truncated(subsets: readonly EndpointSubset[]): Truncated {
  const count = (of: 'addresses' | 'notReadyAddresses'): number => subsets.reduce((sum, subset) => sum + (subset[of]?.length ?? 0), 0);
  const ready = count('addresses');
  const notReady = count('notReadyAddresses');
  if (ready + notReady <= addressesMax) return { subsets, isOver: false };
  const keptReady = shares(
    subsets.map(({ addresses = [] }) => addresses.length),
    Math.min(ready, addressesMax),
  );
  const keptNotReady = shares(
    subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses.length),
    addressesMax - Math.min(ready, addressesMax),
  );
  const cut = subsets.map(({ addresses = [], notReadyAddresses = [], ports }, index) => ({
    addresses: addresses.slice(0, keptReady[index]),
    notReadyAddresses: notReadyAddresses.slice(0, keptNotReady[index]),
    ...(ports ? { ports } : {}),
  }));
  const left = cut.filter(({ addresses, notReadyAddresses }) => addresses.length + notReadyAddresses.length > 0);
  return {
    isOver: true,
    subsets: left.map(({ addresses, notReadyAddresses, ...rest }) => ({
      ...(addresses.length ? { addresses } : {}),
      ...(notReadyAddresses.length ? { notReadyAddresses } : {}),
      ...rest,
    })),
  };
}

function shares(sizes: readonly number[], total: number): readonly number[] {
  const sum = sizes.reduce((a, b) => a + b, 0);
  if (sum <= total) return sizes;
  let left = total;
  return sizes.map((size) => {
    const part = Math.min(left, Math.ceil((size * total) / sum));
    left -= part;
    return part;
  });
}
