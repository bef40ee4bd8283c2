/** The bounds of a core that no caller needs to choose. */
export const limits = {
  /** What one entry costs in memory besides its data; counted wherever bytes of entries are. */
  entryOverheadBytes: 64,
  /** The longest wait for a leader that was late, in election timeouts; also how long a leader may go without its quorum. */
  adaptiveTimeoutsMax: 8,
  /** What was learnt about late leaders is forgotten by half in each such span, in election timeouts, in which none was as late. */
  adaptiveSpanTimeouts: 40,
  /** How long one voter leaves to another, in election timeouts, where both know that the leader is gone: some round trips and syncs. */
  soonTurn: 1 / 5,
  /** Heartbeats of an idle leader in the shortest election timeout at least, until it has said that it is calm. */
  idleHeartbeatsMin: 5,
  /** From then on its pace, in election timeouts: short enough that its words keep renewing the leases of its followers. */
  calmHeartbeat: 0.7,
  /** Messages waiting for the owner to take them; more are dropped, which Raft calls a lossy network. */
  outboxMessagesMax: 65_536,
  /** Local reads that wait or are under way; further ones fail at once. */
  localReadsMax: 65_536,
  /** Requests from other servers that a leader keeps for its next read round; further ones are answered with "ask again". */
  remoteReadsMax: 8_192,
  /** Read rounds in flight. More would send more messages than they save time: waiting reads share the next round. */
  readRoundsMax: 4,
  /** Batches of reads that a follower has under way at its leader; further reads wait for the next batch. */
  forwardedBatchesMax: 16,
  /** A learner may be promoted when it lacks at most this many committed entries: fewer than a busy leader commits in one round trip. */
  promoteLagEntriesMax: 256,
  /** Members of a cluster, learners included. */
  membersMax: 64,
  /** Identities that are remembered as removed. A cluster that used them up needs a new cluster id, not a longer list. */
  removedMax: 4_096,
} as const;

/** Sizes that suit a cluster on a local network; spread into `CoreOptions` and override at will. */
export const defaultSizes = {
  appendBytesMax: 1 << 20,
  inflightMax: 64,
  uncommittedBytesMax: 64 << 20,
  committedBytesMax: 4 << 20,
  tailBytesMax: 16 << 20,
} as const;
