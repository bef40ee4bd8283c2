/** Bounds that callers need not choose. */
export const limits = {
  /** Included wherever bytes of entries are counted. */
  entryOverheadBytes: 64,
  /** The longest wait for a late leader, or of a leader for its quorum, in election timeouts. */
  adaptiveTimeoutsMax: 8,
  /** Learned delays halve after each such span, in election timeouts, without as long a delay. */
  adaptiveSpanTimeouts: 40,
  /** The turns of voters that know that the leader is gone, in election timeouts: some round trips and syncs. */
  soonTurn: 1 / 5,
  /** The fewest heartbeats of an idle leader in the shortest election timeout, before it quiesces. */
  idleHeartbeatsMin: 5,
  /** The heartbeat interval afterwards, in election timeouts: short enough to renew the followers' leases. */
  calmHeartbeat: 0.7,
  /** Messages that the owner has not yet taken; more are dropped, as by a lossy network. */
  outboxMessagesMax: 65_536,
  /** Pending local reads; further ones fail at once. */
  localReadsMax: 65_536,
  /** Other servers' requests that wait for a leader's next read round; further ones are refused with "ask again". */
  remoteReadsMax: 8_192,
  /** More rounds would cost more messages than time saved: waiting reads share the next one. */
  readRoundsMax: 4,
  /** Batches of reads that a follower has pending at its leader; further reads wait for the next batch. */
  forwardedBatchesMax: 16,
  /** A learner may be promoted if it lacks at most this many committed entries: fewer than a busy leader commits in one round trip. */
  promoteLagEntriesMax: 256,
  /** Counts learners too. */
  membersMax: 64,
  /** A cluster that exhausts the remembered removed identities needs a new cluster id, not a longer list. */
  removedMax: 4_096,
} as const;

/** Sizes for a local network, to be spread into `CoreOptions`. */
export const defaultSizes = {
  appendBytesMax: 1 << 20,
  inflightMax: 64,
  uncommittedBytesMax: 64 << 20,
  committedBytesMax: 4 << 20,
  tailBytesMax: 16 << 20,
} as const;
