import { transportLimits } from '../transport/limits.js';

/** Every bound of a replica's loop that an operator need not choose. */
export const replicaLimits = {
  ticksPerHeartbeat: 2,
  /** Entries are applied in memory at once, and on disk after so many ticks, or 512 changes, at the latest. */
  settleTicks: 4,
  /** A replica that has nothing to do sleeps no longer: that often its peers are asked for signs of life. */
  restMs: transportLimits.pingMs,
  /** Proposals that wait to be sent or to be applied; more are refused at once. */
  proposalsMax: 32_768,
  proposalBytesMax: 128 * 1024 * 1024,
  /** Bytes of proposals in one forwarded message, or in one append to the own log. */
  batchBytesMax: 1024 * 1024,
  /**
   * Election timeouts without any write settled after which those that waited as long are answered. Many times what an election takes, and short enough
   * that whoever renews a lease of seconds can still do so through another replica.
   */
  waitElections: 8,
  /** Sessions (one for each start of a replica) whose proposals a leader keeps in order during its term. */
  sessionsMax: 4_096,
  /** Barriers that wait. */
  barriersMax: 65_536,
  /** A read waits no longer than this, in milliseconds, while no leader has been known for as long: a cluster with a majority finds one in less, and without one, who asks should hear of it. */
  leaderlessReadMs: 1_500,
  /** Raft messages that wait for the next round; more are dropped, as a network may. */
  messagesMax: 16_384,
  /** The same for what is in them: what two busy peers send in a second or so. */
  messageBytesMax: 128 * 1024 * 1024,
  /** Readies carried out before sockets are read again. */
  readiesPerRoundMax: 8,
  /** Bytes of changes and answers that the process has not taken yet; beyond, the replica pauses. */
  unreadBytesMax: 64 * 1024 * 1024,
  /** The store is checkpointed, and the log cut, after so many entries or bytes. */
  checkpointEntries: 8_192,
  /** Sooner when fewer entries are to be kept, so that the log holds little more than that; but not sooner than this. */
  checkpointEntriesMin: 64,
  checkpointBytes: 32 * 1024 * 1024,
  /** Bytes of applied entries that the log keeps at most, whatever the number of entries to keep. */
  logBytesKeptMax: 256 * 1024 * 1024,
  /** While a snapshot travels, the entries behind it are kept up to this many bytes. */
  logBytesHeldMax: 1024 * 1024 * 1024,
  /** `stop` waits so long for proposals under way and for another leader. */
  stopDrainMs: 1_000,
  /** Bytes of one batch of changes that is read back from the store after a snapshot was installed. */
  changesBytesMax: 4 * 1024 * 1024,
};

export type ReplicaLimits = Readonly<typeof replicaLimits>;
