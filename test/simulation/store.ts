import { decodeMembership } from '../../raft/core/membership.js';
import type { Entry, LogIndex, Membership, SnapshotMeta, Term } from '../../raft/types.js';

/** The replicated state machine: a fingerprint of all applied entries. */
export interface StoreState {
  readonly index: LogIndex;
  readonly term: Term;
  readonly fingerprint: number;
  readonly membership: Membership;
}

export function apply(state: StoreState, entry: Entry): StoreState {
  if (entry.index !== state.index + 1) throw new Error(`entry ${entry.index} is applied after ${state.index}`);
  const membership = entry.kind === 'membership' ? decodeMembership(entry.data) : state.membership;
  return { index: entry.index, term: entry.term, fingerprint: mix(state.fingerprint, fingerprintOf(entry)), membership };
}

export function metaOf({ index, term, membership }: StoreState): SnapshotMeta {
  return { index, term, membership };
}

export function fingerprintOf(entry: Entry): number {
  let hash = mix(entry.index, entry.term);
  for (const byte of entry.data) hash = mix(hash, byte);
  return mix(hash, entry.kind.length);
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}
