import type { MemberId } from '../types.js';

/** The smallest size such that any two groups of `voters` intersect. */
export function quorumSize(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** The greatest value that a quorum has reached; 0 without voters. */
export function quorumValue(voters: readonly MemberId[], valueOf: (id: MemberId) => number): number {
  if (voters.length === 0) return 0;
  const descending = voters.map(valueOf).sort((a, b) => b - a);
  return descending[quorumSize(voters.length) - 1] ?? 0;
}

export type VoteOutcome = 'won' | 'lost' | 'pending';

/** Ignores non-voters. Without voters every election is lost. */
export function voteOutcome(voters: readonly MemberId[], votes: ReadonlyMap<MemberId, boolean>): VoteOutcome {
  const needed = quorumSize(voters.length);
  const granted = voters.filter((id) => votes.get(id) === true).length;
  const refused = voters.filter((id) => votes.get(id) === false).length;
  if (granted >= needed) return 'won';
  return voters.length - refused < needed ? 'lost' : 'pending';
}
