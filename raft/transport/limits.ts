/** Every bound of the transport, in bytes, milliseconds or counts. */
export const transportLimits = {
  /** Longest frame after the handshake: room for an append message with one entry of the largest size. */
  frameBytesMax: 16 * 1024 * 1024,
  /** Bytes that wait for one slow peer; messages beyond are dropped, which Raft and forwarding repair. */
  sendQueueBytesMax: 32 * 1024 * 1024,
  /** From the first byte to the welcome, TLS included: on a machine where every thread waits its turn, a handshake takes seconds. */
  handshakeMs: 10_000,
  /** A connection is asked for a sign of life this often, or every other time where it gives one ... */
  pingMs: 1_000,
  /** ... and closed when it stayed silent this many times in a row. Counted, not timed: a stalled thread must not blame its peers. */
  silentPingsMax: 3,
  reconnectFirstMs: 50,
  reconnectMostMs: 2_000,
  /** A connection on the peer port on which nothing has come for so long is no peer's: peers begin at once. */
  silentMs: 2_000,
  /** Connections on which nothing has come yet, from members' addresses and from all others. */
  silentOfMembersMax: 256,
  silentOfStrangersMax: 64,
  /** Of the latter, from one address. */
  silentOfAddressMax: 16,
  /** Handshakes under way, up to the welcome: from members' addresses, and as many from all others. */
  handshakesMax: 32,
  /** Of the latter, from one address. */
  handshakesOfAddressMax: 8,
  /** Addresses from which members have called, beside those of the membership. */
  memberAddressesMax: 256,
  /** All connections on the peer port: above what the other bounds add up to, so that this one is never met first. */
  connectionsMax: 640,
  /** Whoever takes no answers to its pings is cut off beyond so many bytes. */
  unsentAnswersBytesMax: 64 * 1024,
  /** Certificate files are looked at so often, counted in `pingMs`. */
  certificateCheckPings: 60,
  /** Peers that are known only from their own hello (a member whose membership is older than the caller's). */
  strangersMax: 16,
  snapshotChunkBytes: 256 * 1024,
  /** Longest frame of a snapshot: a chunk, or an announcement with the longest membership. */
  snapshotFrameBytesMax: 1024 * 1024,
  /** A snapshot transfer without any progress for so long is given up. */
  snapshotSilentMs: 30_000,
  /** Bytes of a snapshot that wait for the receiver's disk before its socket is paused. */
  snapshotUnwrittenBytesMax: 4 * 1024 * 1024,
} as const;
