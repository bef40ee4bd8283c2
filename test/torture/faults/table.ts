import { expensiveObjects, floodingNode, floodingUser, peerFlood, protocolErrors, thousandConnections } from './attackers.js';
import { clock } from './clock.js';
import { disk } from './disks.js';
import type { TortureStore } from '../cluster/tortureCluster.js';
import { etcdCompaction, etcdDefragmentation, etcdKill, etcdKillAll, etcdPartition, etcdPause } from './etcdMembers.js';
import type { AnyFaultType } from './fault.js';
import { killAtPoint } from './killAtPoint.js';
import { partition, slowNetwork } from './network.js';
import { addAndRemoveMember, replaceWiped } from './operations.js';
import { powerLoss, powerLossAll } from './power.js';
import { kill, killAll, pause, rollingRestart } from './processes.js';

/** All kinds of faults by the name in plans, logs and `--only`. */
export const faultTypes = {
  kill,
  killAll,
  killAtPoint,
  pause,
  partition,
  slowNetwork,
  disk,
  powerLoss,
  powerLossAll,
  clock,
  rollingRestart,
  addAndRemoveMember,
  replaceWiped,
  protocolErrors,
  thousandConnections,
  floodingUser,
  floodingNode,
  expensiveObjects,
  peerFlood,
  etcdKill,
  etcdKillAll,
  etcdPause,
  etcdPartition,
  etcdCompaction,
  etcdDefragmentation,
} as const satisfies Readonly<Record<string, AnyFaultType>>;

export type FaultKind = keyof typeof faultTypes;

export const faultKinds = Object.keys(faultTypes) as readonly FaultKind[];

const anyStore: readonly TortureStore[] = ['raft', 'etcd'];
const ownStore: readonly TortureStore[] = ['raft'];
const etcdStore: readonly TortureStore[] = ['etcd'];

/** The stores for which each kind makes sense: an etcd has its own disk, log and membership, and Go ignores a preloaded library. */
const meaningful: Readonly<Record<FaultKind, readonly TortureStore[]>> = {
  kill: anyStore,
  killAll: anyStore,
  killAtPoint: ownStore,
  pause: anyStore,
  partition: anyStore,
  slowNetwork: anyStore,
  disk: ownStore,
  powerLoss: ownStore,
  powerLossAll: ownStore,
  clock: anyStore,
  rollingRestart: anyStore,
  addAndRemoveMember: ownStore,
  replaceWiped: ownStore,
  protocolErrors: anyStore,
  thousandConnections: anyStore,
  floodingUser: anyStore,
  floodingNode: anyStore,
  expensiveObjects: anyStore,
  peerFlood: ownStore,
  etcdKill: etcdStore,
  etcdKillAll: etcdStore,
  etcdPause: etcdStore,
  etcdPartition: etcdStore,
  etcdCompaction: etcdStore,
  etcdDefragmentation: etcdStore,
};

/** The kinds of faults that make sense for a store. */
export const faultKindsOver = (store: TortureStore): readonly FaultKind[] => faultKinds.filter((kind) => meaningful[kind].includes(store));
