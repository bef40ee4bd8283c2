/** Timeouts of connections. Milliseconds. */
export interface ConnectionTimes {
  /** Limit of the TLS handshake. */
  readonly handshakeMs: number;
  /** Between the connection and the first complete request head, as in the reference. */
  readonly firstRequestMs: number;
  /** Between requests over HTTP/2, as in the reference: the client gets a GOAWAY, so no request is lost. */
  readonly idleHttp2Ms: number;
  /**
   * Between requests over HTTP/1.1, where a client cannot be notified: longer than the 90 s after which most clients and balancers close, so that they decide
   * and no request meets a closing connection.
   */
  readonly idleHttp1Ms: number;
  /** Silence of an HTTP/2 client after which it is pinged. */
  readonly silenceMs: number;
  /** Limit of the answer to a ping. */
  readonly pongMs: number;
  /** Until a client takes something of a waiting response, where no deadline ends it earlier. */
  readonly takingMs: number;
  /** The same for a watch, or another stream that this server makes. */
  readonly streamTakingMs: number;
  /** The same for relayed streams, such as logs and shells, whose reader may stop reading: as long as a kubelet leaves them without a byte. */
  readonly relayTakingMs: number;
  /** Until a connection falls below the bound on bytes queued in its socket. */
  readonly overfullMs: number;
  /** Interval of all these checks: also how long a connection that Node no longer reads may have ended unseen. */
  readonly lookMs: number;
}

export const usualTimes: ConnectionTimes = {
  handshakeMs: 10_000,
  firstRequestMs: 32_000,
  idleHttp2Ms: 90_000,
  idleHttp1Ms: 120_000,
  silenceMs: 30_000,
  pongMs: 15_000,
  takingMs: 30_000,
  streamTakingMs: 60_000,
  relayTakingMs: 4 * 60 * 60 * 1000,
  overfullMs: 10_000,
  lookMs: 2_000,
};

/** State of a connection. Times are those of `performance.now()`. */
export interface ConnectionState {
  readonly http2: boolean;
  /** True once it has carried a request. */
  readonly used: boolean;
  readonly openRequests: number;
  /** Since when there is no request; the time of connection where there never was one. */
  readonly idleSince: number;
  /** When bytes were last seen to have come. */
  readonly heardAt: number;
  /** When its client was pinged, after the last received bytes. */
  readonly askedAt: number | null;
  /** Complete responses are not taken, and the client has not confirmed for long that it is alive: received bytes do not count, only the answer to a ping. */
  readonly doubted: boolean;
  /** True once it was sent away. */
  readonly leaving: boolean;
}

/** The action that is due for a connection: nothing; ping its client; send it away; end it. */
export type Due = 'nothing' | 'ask' | 'dismiss' | 'cut';

/**
 * Returns the action that is due. Pure. A connection without requests has a limit; one with requests has none as long as its client is alive. A ping also
 * detects sessions that Node itself has given up: after a protocol error it ignores all input, and reports nothing.
 */
export function dueOf(state: ConnectionState, now: number, times: ConnectionTimes): Due {
  if (!state.used) return now - state.idleSince >= times.firstRequestMs ? 'cut' : 'nothing';
  if (state.openRequests === 0 && now - state.idleSince >= (state.http2 ? times.idleHttp2Ms : times.idleHttp1Ms))
    return state.http2 && !state.leaving ? 'dismiss' : 'cut';
  if (!state.http2) return 'nothing';
  if (state.askedAt !== null) return now - state.askedAt >= (state.doubted ? times.takingMs : times.pongMs) ? 'cut' : 'nothing';
  return state.doubted || now - state.heardAt >= times.silenceMs ? 'ask' : 'nothing';
}
