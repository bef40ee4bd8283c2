/** Bounds that callers need not choose. */
export const limits = {
  /** Included wherever bytes of entries are counted. */
  entryOverheadBytes: 64,
  /** The longest wait of followers or a leader's quorum, in election timeouts. */
  adaptiveTimeoutsMax: 8,
  /** Learned delays halve after this many election timeouts without as long a delay. */
  adaptiveSpanTimeouts: 40,
  /** Turns of voters that know of the leader's end, in election timeouts. */
  soonTurn: 1 / 5,
  /** Fewest heartbeats of an idle leader in an election timeout, before it quiesces. */
  idleHeartbeatsMin: 5,
  /** The interval afterwards, in election timeouts: short enough to renew followers' leases. */
  quiescedHeartbeat: 0.7,
  /** More messages are dropped, as by a lossy network. */
  outboxMessagesMax: 65_536,
  /** Further reads fail at once. */
  localReadsMax: 65_536,
  /** Other servers' waiting reads; further ones are refused with "ask again". */
  remoteReadsMax: 8_192,
  /** Waiting reads share the next round. */
  readRoundsMax: 4,
  /** A follower's pending batches; further reads wait. */
  forwardedBatchesMax: 16,
  /** A learner that lacks fewer committed entries may be promoted: a busy leader commits more in one round trip. */
  promoteLagEntriesMax: 256,
  /** Counts learners too. */
  membersMax: 64,
  /** A cluster that removed more members needs a new cluster id. */
  removedMax: 4_096,
} as const;

/** Sizes for a local network. */
export const defaultSizes = {
  appendBytesMax: 1 << 20,
  inflightMax: 64,
  uncommittedBytesMax: 64 << 20,
  committedBytesMax: 4 << 20,
  tailBytesMax: 16 << 20,
} as const;
