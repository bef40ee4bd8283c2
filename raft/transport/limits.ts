export const transportLimits = {
  /** The longest frame after the handshake: it fits an append message with one entry of the largest size. */
  frameBytesMax: 16 * 1024 * 1024,
  /** Bytes queued for a slow peer; further messages are dropped, which Raft and forwarding repair. */
  sendQueueBytesMax: 32 * 1024 * 1024,
  /** The time until the welcome, including TLS: on an overloaded machine a handshake takes seconds. */
  handshakeMs: 10_000,
  /** A connection is pinged this often, or every other time if it answers ... */
  pingMs: 1_000,
  /** ... and closed after this many unanswered pings in a row. Counted, not timed: a stalled thread must not blame its peers. */
  silentPingsMax: 3,
  reconnectFirstMs: 50,
  reconnectMostMs: 2_000,
  /** A connection without a first byte in this time is closed: peers send at once. */
  silentMs: 2_000,
  /** Connections without a first byte, from members' addresses and from all others. */
  silentOfMembersMax: 256,
  silentOfStrangersMax: 64,
  silentOfAddressMax: 16,
  handshakesMax: 32,
  handshakesOfAddressMax: 8,
  memberAddressesMax: 256,
  /** All connections on the peer port: above the sum of the other bounds, so that those apply first. */
  connectionsMax: 640,
  /** A peer that does not read its ping replies is disconnected beyond this. */
  unsentAnswersBytesMax: 64 * 1024,
  /** The interval of checks for changed certificate files, counted in `pingMs`. */
  certificateCheckPings: 60,
  /** Peers known only from their own hello (a member whose membership is older than the caller's). */
  strangersMax: 16,
  snapshotChunkBytes: 256 * 1024,
  /** The longest frame of a snapshot: a chunk, or an announcement with the longest membership. */
  snapshotFrameBytesMax: 1024 * 1024,
  /** A snapshot transfer without progress for this long is abandoned. */
  snapshotSilentMs: 30_000,
  /** Bytes of a snapshot that wait for the receiver's disk before its socket is paused. */
  snapshotUnwrittenBytesMax: 4 * 1024 * 1024,
} as const;
