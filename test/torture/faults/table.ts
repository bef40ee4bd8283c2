import { expensiveObjects, floodingNode, floodingUser, peerFlood, protocolErrors, thousandConnections } from './attackers.js';
import { clock } from './clock.js';
import { disk } from './disks.js';
import type { AnyFaultType } from './fault.js';
import { killAtPoint } from './killAtPoint.js';
import { partition, slowNetwork } from './network.js';
import { addAndRemoveMember, replaceWiped } from './operations.js';
import { powerLoss, powerLossAll } from './power.js';
import { kill, killAll, pause, rollingRestart } from './processes.js';

/** Every kind of fault, by the name that plans, logs and `--only` use. A kind that is added here is drawn, injected and counted. */
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
} as const satisfies Readonly<Record<string, AnyFaultType>>;

export type FaultKind = keyof typeof faultTypes;

export const faultKinds = Object.keys(faultTypes) as readonly FaultKind[];
