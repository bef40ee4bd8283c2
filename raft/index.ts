/**
 * The entry point of `raft`, a replicated key-value store; `raft/DESIGN.md` states its guarantees. `startReplica` runs a replica in its own thread; work on the
 * files of a stopped replica needs none. Outside code imports nothing behind it, except tests.
 * @module raftplane/raft
 */
export * from './client.js';
export type { MembershipChange } from './core/contract.js';
export * from './maintenance.js';
export type * from './replicaApi.js';
export { chooseSqlite } from './sqlite/driver.js';
export type { Change, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult } from './store/contract.js';
export * from './types.js';
