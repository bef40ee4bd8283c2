import { type KubeObject, nameOf, uidOf } from '../../api/meta/object.js';
import { microTimeText, timeText } from '../../api/time.js';
import type { Node } from '../../api/types/core/v1.js';
import { resource } from '../../api/meta/resource.js';
import { pressures, type Pressure } from './nodeFaults.js';

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
/** Returns an address of 198.18.0.0/15, reserved for tests by RFC 2544. */
export const nodeAddress = (index: number): string => addressIn([198, 18], index + 1);
/** More than a node's pods, so that addresses are not reused at once. */
export const podAddressesPerNode = 2_048;
/** Returns an address from 10.64.0.0 on; each of `nodesMax` nodes has its own range. */
export const podAddress = (index: number, serial: number): string => addressIn([10, 64], index * podAddressesPerNode + serial);

const addressIn = ([first, second]: readonly [number, number], offset: number): string =>
  `${first}.${second + (offset >> 16)}.${(offset >> 8) & 255}.${offset & 255}`;

const pressureRows = {
  memory: {
    type: 'MemoryPressure',
    free: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    short: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  },
  disk: {
    type: 'DiskPressure',
    free: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    short: ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
  },
  pid: {
    type: 'PIDPressure',
    free: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    short: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  },
} as const;

/** Whether a node is under a pressure, and since when. */
export interface PressureState {
  readonly pressed: boolean;
  readonly since: number;
}

export interface Report {
  readonly now: number;
  /** The program's start, from which on a node is ready. */
  readonly since: number;
  readonly version: string;
  /** The port of the kubelet's server (`nodeServer.ts`). */
  readonly port: number;
  readonly pressed: ReadonlyMap<Pressure, PressureState>;
}

type Reason = readonly [reason: string, message: string];

function condition(
  type: string,
  status: boolean,
  [reason, message]: Reason,
  { now, since }: { readonly now: number; readonly since: number },
): object {
  const times = { lastHeartbeatTime: timeText(now), lastTransitionTime: timeText(since) };
  return { type, status: status ? 'True' : 'False', reason, message, ...times };
}

export function nodeStatus(index: number, { now, since, version, port, pressed }: Report): object {
  const conditions = [
    ...pressures.map((name) => {
      const { type, free, short } = pressureRows[name];
      const state = pressed.get(name) ?? { pressed: false, since };
      return condition(type, state.pressed, state.pressed ? short : free, { now, since: state.since });
    }),
    condition('Ready', true, ['KubeletReady', 'this node only pretends to run pods'], { now, since }),
  ];
  return {
    capacity,
    allocatable: capacity,
    conditions,
    addresses: [
      { type: 'InternalIP', address: nodeAddress(index) },
      // The machine's own, preferred by servers: the simulating program listens here.
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
