export const transportLimits = {
  /** Fits an append message with one entry of the largest size. */
  frameBytesMax: 16 * 1024 * 1024,
  /** Further messages are dropped, which Raft and forwarding repair. */
  sendQueueBytesMax: 32 * 1024 * 1024,
  /** Includes TLS: a handshake takes seconds on an overloaded machine. */
  handshakeMs: 10_000,
  /** A connection is pinged this often, or every other time if it answers ... */
  pingMs: 1_000,
  /** ... and closed after this many unanswered pings in a row. Counted, not timed: a stalled thread must not blame its peers. */
  silentPingsMax: 3,
  reconnectFirstMs: 50,
  reconnectMostMs: 2_000,
  /** A connection without a first byte in this time is closed: peers send at once. */
  silentMs: 2_000,
  silentOfMembersMax: 256,
  silentOfNonMembersMax: 64,
  silentOfAddressMax: 16,
  handshakesMax: 32,
  handshakesOfAddressMax: 8,
  memberAddressesMax: 256,
  /** Above the sum of the other bounds. */
  connectionsMax: 640,
  /** Disconnects a peer that does not read its ping replies. */
  unsentAnswersBytesMax: 64 * 1024,
  certificateCheckPings: 60,
  /** Peers known only from their hello. */
  nonMembersMax: 16,
  snapshotChunkBytes: 256 * 1024,
  /** A chunk, or an announcement with the longest membership. */
  snapshotFrameBytesMax: 1024 * 1024,
  /** Transfers without progress are abandoned. */
  snapshotSilentMs: 30_000,
  /** Bytes that wait for the disk before the socket is paused. */
  snapshotUnwrittenBytesMax: 4 * 1024 * 1024,
} as const;
