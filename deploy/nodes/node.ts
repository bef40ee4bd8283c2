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
export const nodeAddress = (index: number): string => `192.0.2.${index + 1}`;
/** A range of 65,536 for each of up to 100 nodes, from the space for tests. */
export const podAddress = (index: number, serial: number): string => `10.${128 + index}.${(serial >> 8) & 255}.${serial & 255}`;
export const podAddressesPerNode = 65_536;

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
