import { startReplica } from '../../../../raft/client.js';
import type { Replica, ReplicaOptions } from '../../../../raft/replicaApi.js';
import { memberId, revision } from '../../../../raft/types.js';

/** A replica process to be killed: writes continuously under its own keys, and reports on request their results (done, not done, unknown) and its content. */
export interface Reported {
  readonly applied: string[];
  readonly unavailable: string[];
  readonly unknown: string[];
}
export type Order =
  | { readonly start: ReplicaOptions }
  | { readonly write: true }
  | { readonly halt: true }
  | { readonly role: true }
  | { readonly status: true }
  | { readonly keys: true }
  | { readonly firstAfter: number }
  | { readonly stop: true };

const writers = 8;
const timeoutMs = 10_000;
const reported: Reported = { applied: [], unavailable: [], unknown: [] };
let appliedAt: number[] = [];
let replica: Replica | null = null;
let writing = false;
let finished: Promise<unknown> = Promise.resolve();

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function obey(order: Order): Promise<unknown> {
  if ('start' in order) {
    replica = await startReplica(order.start);
    return true;
  }
  if (replica === null) throw new Error('start comes first');
  if ('role' in order) {
    await replica.barrier(timeoutMs);
    return (await replica.status()).role;
  }
  if ('status' in order) return replica.status();
  if ('write' in order) {
    writing = true;
    finished = Promise.all(Array.from({ length: writers }, (_, name) => write(replica as Replica, name)));
    return true;
  }
  if ('firstAfter' in order) return appliedAt.find((at) => at > order.firstAfter) ?? null;
  if ('halt' in order) {
    writing = false;
    await finished;
    return reported;
  }
  if ('keys' in order) return keys(replica);
  await replica.stop();
  process.exit(0);
}

async function write(to: Replica, name: number): Promise<void> {
  const me = memberId((await to.status()).memberId);
  for (let count = 0; writing; count += 1) {
    const key = `/${me}-${process.pid}/${name}/${count}`;
    const result = await to.write(
      { comparisons: [{ key, modRevision: revision(0) }], operations: [{ type: 'put', key, value: Buffer.from(key) }] },
      { timeoutMs },
    );
    // A conflict would mean that a proposal was applied twice.
    if (result.outcome === 'conflict' || result.outcome === 'compacted' || result.outcome === 'noSpace')
      throw new Error(`${key}: ${result.outcome}`);
    reported[result.outcome].push(key);
    if (result.outcome === 'applied') appliedAt.push(Date.now());
    if (appliedAt.length > 100_000) appliedAt = appliedAt.slice(-1000);
  }
}

async function keys(from: Replica): Promise<string[]> {
  const reached = await from.barrier(timeoutMs);
  if (reached.outcome !== 'reached') throw new Error(reached.reason);
  const result = await from.range({ start: '', end: null, revision: null, limit: null });
  if (result.outcome !== 'found') throw new Error(result.outcome);
  // Every key was created once and never changed.
  for (const { key, version } of result.items) if (version !== 1) throw new Error(`${key} has version ${version}`);
  return result.items.map(({ key }) => key);
}
