/** Every bound of the transport, in bytes, milliseconds or counts. */
export const transportLimits = {
  /** Longest frame after the handshake: room for an append message with one entry of the largest size. */
  frameBytesMax: 16 * 1024 * 1024,
  /** Bytes that wait for one slow peer; messages beyond are dropped, which Raft and forwarding repair. */
  sendQueueBytesMax: 32 * 1024 * 1024,
  /** From the first byte to the welcome, TLS included: on a machine where every thread waits its turn, a handshake takes seconds. */
  handshakeMs: 10_000,
  /** A connection is asked for a sign of life this often ... */
  pingMs: 1_000,
  /** ... and closed when it stayed silent this many times in a row. Counted, not timed: a stalled thread must not blame its peers. */
  silentPingsMax: 3,
  reconnectFirstMs: 50,
  reconnectMostMs: 2_000,
  /** Connections that are accepted at the same time, strangers included. */
  connectionsMax: 256,
  /** Peers that are known only from their own hello (a member whose membership is older than the caller's). */
  strangersMax: 16,
  snapshotChunkBytes: 256 * 1024,
  /** A snapshot transfer without any progress for so long is given up. */
  snapshotSilentMs: 30_000,
  /** Bytes of a snapshot that wait for the receiver's disk before its socket is paused. */
  snapshotUnwrittenBytesMax: 4 * 1024 * 1024,
} as const;
