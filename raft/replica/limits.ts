import { transportLimits } from '../transport/limits.js';

export const replicaLimits = {
  ticksPerHeartbeat: 2,
  /** Applied entries are on disk after so many ticks or 512 changes. */
  settleTicks: 4,
  /** Peers are pinged this often. */
  restMs: transportLimits.pingMs,
  proposalsMax: 32_768,
  proposalBytesMax: 128 * 1024 * 1024,
  batchBytesMax: 1024 * 1024,
  /** Election timeouts after which unsettled writes are answered: short enough to renew a lease of seconds through another replica. */
  waitElections: 8,
  sessionsMax: 4_096,
  barriersMax: 65_536,
  /** A cluster with a majority elects a leader faster. */
  leaderlessReadMs: 1_500,
  /** Further messages of a round are dropped. */
  messagesMax: 16_384,
  /** The bytes that two busy peers send in about a second. */
  messageBytesMax: 128 * 1024 * 1024,
  readiesPerRoundMax: 8,
  /** The replica pauses beyond this. */
  unreadBytesMax: 64 * 1024 * 1024,
  checkpointEntries: 8_192,
  /** The interval shrinks with the entries to keep, but not below this. */
  checkpointEntriesMin: 64,
  checkpointBytes: 32 * 1024 * 1024,
  /** Overrides the number of entries to keep. */
  logBytesKeptMax: 256 * 1024 * 1024,
  /** Bounds entries kept for a snapshot in transit. */
  logBytesHeldMax: 1024 * 1024 * 1024,
  stopDrainMs: 1_000,
  changesBytesMax: 4 * 1024 * 1024,
};

export type ReplicaLimits = Readonly<typeof replicaLimits>;
