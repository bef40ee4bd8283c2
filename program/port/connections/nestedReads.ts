import { constants, type Http2Session, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

/*
 * Node 20 to 24 stop reading HTTP/2 input while a write is pending, and later go on with the rest. If that writes again after the client has reset the
 * connection, the write fails at once; Node takes it for a finished one and reads the same rest again, recursively: the bytes are freed while they are read,
 * and the process crashes. Only writes during reads can be avoided: long responses whose requests go on (`boundedWrites.ts` hands them over in pieces), and the
 * end of a session.
 */

const lastWriteMs = 10;

/** The last streams that sessions have named in their GOAWAY. */
const lastStreams = new WeakMap<Http2Session, number>();

/**
 * Refuses a stream that came between the end of its session and the GOAWAY. The GOAWAY names an earlier stream as the last, so the client repeats the request
 * elsewhere (RFC 9113, section 6.8).
 */
export function refuseLate(session: Http2Session, stream: ServerHttp2Stream): boolean {
  if ((stream.id ?? 0) <= (lastStreams.get(session) ?? Number.POSITIVE_INFINITY)) return false;
  setImmediate(() => {
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
  });
  return true;
}

/**
 * Ends a session once Node no longer reads: a client's GOAWAY would end it during a read, with a write per stream. It closes only after its own GOAWAY, since
 * Node refuses each new stream by a write until then.
 */
export function endOutsideReads(session: ServerHttp2Session): void {
  const { destroy, close } = Object.getPrototypeOf(session) as ServerHttp2Session;
  let ends = false;
  let closes = false;
  session.destroy = (...reason) => {
    if (ends) return;
    ends = true;
    setImmediate(() => {
      destroy.apply(session, reason);
    });
  };
  const closeWhenSaid = (): void => {
    if (session.destroyed) return;
    if ((session.state.outboundQueueSize ?? 0) > 0) setTimeout(closeWhenSaid, lastWriteMs).unref();
    else close.call(session);
  };
  session.close = (callback) => {
    if (callback !== undefined) session.once('close', callback);
    if (closes || session.destroyed) return;
    closes = true;
    const last = session.state.lastProcStreamID ?? 0;
    lastStreams.set(session, last);
    session.goaway(constants.NGHTTP2_NO_ERROR, last);
    setImmediate(closeWhenSaid);
  };
}
