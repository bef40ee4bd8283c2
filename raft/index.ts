/**
 * The one door to `raft`: a replicated store of keys and bytes. `startReplica` runs a replica in a thread of its own; work on the files of a replica that does
 * not run needs no thread. `raft/DESIGN.md` says what is promised. Nothing of what is behind it is imported from outside, tests apart.
 * @module raftplane/raft
 */
export * from './client.js';
export type { MembershipChange } from './core/contract.js';
export * from './maintenance.js';
export type * from './replica-api.js';
export { chooseSqlite } from './sqlite/driver.js';
export type { Change, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult } from './store/contract.js';
export * from './types.js';
