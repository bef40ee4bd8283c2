/** Timeouts of connections. Milliseconds. */
export interface ConnectionTimes {
  /** Limit of the TLS handshake. */
  readonly handshakeMs: number;
  /** Time from the connection to the first complete request head, as in the reference. */
  readonly firstRequestMs: number;
  /** Between requests over HTTP/2, as in the reference. */
  readonly idleHttp2Ms: number;
  /** Idle time over HTTP/1.1, where a request may meet a closing connection: longer than the 90 s after which most clients and balancers close. */
  readonly idleHttp1Ms: number;
  /** Silence after which an HTTP/2 client is pinged. */
  readonly silenceMs: number;
  /** Limit of the answer to a ping. */
  readonly pongMs: number;
  /** Until a client takes something of a waiting response. */
  readonly takingMs: number;
  /** The same for a watch. */
  readonly streamTakingMs: number;
  /** The same for logs and shells, whose readers may pause: the time that a kubelet allows without a byte. */
  readonly relayTakingMs: number;
  /** Time for a connection to fall below the bound on its socket's queue. */
  readonly overfullMs: number;
  /** Interval of these checks. */
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

/** Times are those of `performance.now()`. */
export interface ConnectionState {
  readonly http2: boolean;
  readonly used: boolean;
  readonly openRequests: number;
  /** Since when there is no request. */
  readonly idleSince: number;
  readonly heardAt: number;
  readonly askedAt: number | null;
  /** Complete responses wait, and pings were unanswered for long: received bytes do not count. */
  readonly doubted: boolean;
  readonly leaving: boolean;
}

/** The due action for a connection: none; ping its client; ask it to leave; end it. */
export type Due = 'nothing' | 'ask' | 'dismiss' | 'cut';

/**
 * A connection with requests lives as long as its client. Pings also detect sessions that Node has silently abandoned: after a protocol error it ignores all
 * input.
 */
export function dueOf(state: ConnectionState, now: number, times: ConnectionTimes): Due {
  if (!state.used) return now - state.idleSince >= times.firstRequestMs ? 'cut' : 'nothing';
  if (state.openRequests === 0 && now - state.idleSince >= (state.http2 ? times.idleHttp2Ms : times.idleHttp1Ms))
    return state.http2 && !state.leaving ? 'dismiss' : 'cut';
  if (!state.http2) return 'nothing';
  if (state.askedAt !== null) return now - state.askedAt >= (state.doubted ? times.takingMs : times.pongMs) ? 'cut' : 'nothing';
  return state.doubted || now - state.heardAt >= times.silenceMs ? 'ask' : 'nothing';
}
