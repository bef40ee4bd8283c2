import type { Core, CoreOptions } from './contract.js';
import { limits } from './limits.js';
import { Machine } from './machine.js';
import type { Rules } from './server.js';

export const raftRules: Rules = {
  commitsByCounting: (entryTerm, current) => entryTerm === current,
  adaptiveTimeoutsMax: limits.adaptiveTimeoutsMax,
};

/** A sole voter campaigns with the first tick. Throws an InvariantViolation if log, hard state and applied index contradict one another. */
export function createCore(options: CoreOptions): Core {
  return new Machine(options, raftRules);
}
