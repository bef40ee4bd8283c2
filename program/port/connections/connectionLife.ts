/** How long connections may do without what they are for. Milliseconds. */
export interface ConnectionTimes {
  /** For the TLS handshake. */
  readonly handshakeMs: number;
  /** From the connection to the first request whose head is there whole, as in the reference. */
  readonly firstRequestMs: number;
  /** Between requests over HTTP/2, as in the reference: the client is told to go elsewhere, so no request is lost. */
  readonly idleHttp2Ms: number;
  /**
   * Between requests over HTTP/1.1, where a client cannot be told: longer than the 90 s after which most clients and balancers close, so that they decide
   * and no request meets a connection that is closing.
   */
  readonly idleHttp1Ms: number;
  /** Without a byte from a client of HTTP/2: then it is asked whether it is there. */
  readonly silenceMs: number;
  /** For the answer to that. */
  readonly pongMs: number;
  /** For a client to take something of an answer that waits for it, where no deadline ends it before. */
  readonly takingMs: number;
  /** The same of a watch, or another stream that this server makes. */
  readonly streamTakingMs: number;
  /** The same of what is passed on from elsewhere, such as logs and shells, whose reader may stop to read: as long as a kubelet lets them be without a byte. */
  readonly relayTakingMs: number;
  /** For a connection to come down to what may wait in its socket. */
  readonly overfullMs: number;
  /** How often all of these are looked at: also how long a connection that Node no longer reads may have ended unseen. */
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

/** What is known of a connection. Times are those of `performance.now()`. */
export interface ConnectionState {
  readonly http2: boolean;
  /** Whether it has brought a request. */
  readonly used: boolean;
  readonly openRequests: number;
  /** Since when there is no request; since the connection was made, where there never was one. */
  readonly idleSince: number;
  /** When it was seen last that bytes had come. */
  readonly heardAt: number;
  /** When its client was asked whether it is there, after it was heard last. */
  readonly askedAt: number | null;
  /** Complete answers are not taken, and the client has not said for long that it is there: bytes from it do not count, only its answer. */
  readonly doubted: boolean;
  /** It was told to go elsewhere. */
  readonly leaving: boolean;
}

/** What is to be done about a connection: nothing; ask whether its client is there; tell it to go elsewhere; end it. */
export type Due = 'nothing' | 'ask' | 'dismiss' | 'cut';

/**
 * Pure. A connection without requests has a limit; one with requests has none but that its client is there. A ping finds out as well of sessions
 * that Node has given up itself: after an error of the protocol it looks at nothing that comes, and tells nobody.
 */
export function dueOf(state: ConnectionState, now: number, times: ConnectionTimes): Due {
  if (!state.used) return now - state.idleSince >= times.firstRequestMs ? 'cut' : 'nothing';
  if (state.openRequests === 0 && now - state.idleSince >= (state.http2 ? times.idleHttp2Ms : times.idleHttp1Ms))
    return state.http2 && !state.leaving ? 'dismiss' : 'cut';
  if (!state.http2) return 'nothing';
  if (state.askedAt !== null) return now - state.askedAt >= (state.doubted ? times.takingMs : times.pongMs) ? 'cut' : 'nothing';
  return state.doubted || now - state.heardAt >= times.silenceMs ? 'ask' : 'nothing';
}
