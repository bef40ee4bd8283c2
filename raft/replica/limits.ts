import { transportLimits } from '../transport/limits.js';

export const replicaLimits = {
  ticksPerHeartbeat: 2,
  /** Entries are applied in memory at once, and on disk after this many ticks or 512 changes. */
  settleTicks: 4,
  /** The longest sleep of an idle replica: its peers are pinged this often. */
  restMs: transportLimits.pingMs,
  proposalsMax: 32_768,
  proposalBytesMax: 128 * 1024 * 1024,
  batchBytesMax: 1024 * 1024,
  /**
   * After this many election timeouts without a settled write, writes that waited as long are answered. That is many times an election, and short enough to
   * renew a lease of seconds through another replica.
   */
  waitElections: 8,
  sessionsMax: 4_096,
  barriersMax: 65_536,
  /** The longest wait of a read without a leader: a cluster with a majority elects one faster, and otherwise the client should know. */
  leaderlessReadMs: 1_500,
  /** Further messages for the next round are dropped, as by a network. */
  messagesMax: 16_384,
  /** The bytes that two busy peers send in about a second. */
  messageBytesMax: 128 * 1024 * 1024,
  /** Readies carried out before sockets are read again. */
  readiesPerRoundMax: 8,
  /** Changes and answers that the process has not taken; beyond, the replica pauses. */
  unreadBytesMax: 64 * 1024 * 1024,
  checkpointEntries: 8_192,
  /** The interval shrinks with the number of entries to keep, so that the log holds little more, but not below this. */
  checkpointEntriesMin: 64,
  checkpointBytes: 32 * 1024 * 1024,
  /** Applied entries that the log keeps at most, whatever the number of entries to keep. */
  logBytesKeptMax: 256 * 1024 * 1024,
  /** Entries after a snapshot in transit are kept up to this many bytes. */
  logBytesHeldMax: 1024 * 1024 * 1024,
  stopDrainMs: 1_000,
  changesBytesMax: 4 * 1024 * 1024,
};

export type ReplicaLimits = Readonly<typeof replicaLimits>;
