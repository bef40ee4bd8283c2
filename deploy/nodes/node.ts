import { type KubeObject, nameOf, uidOf } from '../../api/meta/object.js';
import { microTimeText, timeText } from '../../api/time.js';
import type { Node } from '../../api/types/core/v1.js';
import { resource } from '../../api/meta/resource.js';

/** A simulated kubelet's report of itself. Pure. */

export interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number; readonly renewTime?: string };
}
export const leases = resource<Lease>({ apiVersion: 'coordination.k8s.io/v1', resource: 'leases', kind: 'Lease' });
export const leaseNamespace = 'kube-node-lease';

const leaseSeconds = 40;
/** More than the usual 110, so that a few nodes suffice for large tests. */
export const podsPerNode = 1_000;
const capacity = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: String(podsPerNode) };

export const nodeName = (index: number): string => `fake-node-${index}`;
/** Kubernetes states it as the limit of a cluster. */
export const nodesMax = 5_000;
/** Returns an address of 198.18.0.0/15, which RFC 2544 keeps for tests. */
export const nodeAddress = (index: number): string => addressIn([198, 18], index + 1);
/** More than pods fit on a node, so that addresses are not used again at once. */
export const podAddressesPerNode = 2_048;
/** Returns an address from 10.64.0.0 on: each of `nodesMax` nodes has a range of its own. */
export const podAddress = (index: number, serial: number): string => addressIn([10, 64], index * podAddressesPerNode + serial);

const addressIn = ([first, second]: readonly [number, number], offset: number): string =>
  `${first}.${second + (offset >> 16)}.${(offset >> 8) & 255}.${offset & 255}`;

const conditionRows = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'this node only pretends to run pods'],
] as const;

/** `port`: of the kubelet's server (`nodeServer.ts`). `since`: the start of the program; its conditions have not changed from then on. */
export function nodeStatus(
  index: number,
  { now, since, version, port }: { readonly now: number; readonly since: number; readonly version: string; readonly port: number },
): object {
  const conditions = conditionRows.map(([type, status, reason, message]) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: timeText(now),
    lastTransitionTime: timeText(since),
  }));
  return {
    capacity,
    allocatable: capacity,
    conditions,
    addresses: [
      { type: 'InternalIP', address: nodeAddress(index) },
      // The machine's own, preferred by servers: the program that simulates all nodes listens here.
      { type: 'Hostname', address: 'localhost' },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: '',
      osImage: 'none',
      containerRuntimeVersion: 'fake://',
      kubeletVersion: version,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}

export function nodeObject(index: number, status: object): Node {
  const labels = {
    'kubernetes.io/hostname': nodeName(index),
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'amd64',
    'fake-node': 'true',
  };
  return { metadata: { name: nodeName(index), labels }, status };
}

export function leaseOf(node: Node, now: number, before: Lease | null): Lease {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nameOf(node), uid: uidOf(node) }];
  const metadata = before?.metadata ?? { name: nameOf(node), namespace: leaseNamespace };
  return {
    ...before,
    metadata: { ...metadata, ownerReferences },
    spec: { ...before?.spec, holderIdentity: nameOf(node), leaseDurationSeconds: leaseSeconds, renewTime: microTimeText(now) },
  };
}

export const renewed = (lease: Lease, now: number): Lease => ({ ...lease, spec: { ...lease.spec, renewTime: microTimeText(now) } });
