import type { ServerHttp2Session } from 'node:http2';

/*
 * Node 20 to 24 stop reading HTTP/2 input while a write is pending, and later go on with the rest. If that writes again after the client has reset the
 * connection, the write fails at once; Node takes it for a finished one and reads the same rest again, recursively: the bytes are freed while they are read,
 * and the process crashes. Only writes during reads can be avoided: long responses whose requests go on (`boundedWrites.ts` hands them over in pieces), and the
 * end of a session.
 */

const farewellMs = 10;

/**
 * Ends a session once Node no longer reads: a client's GOAWAY would end it while it is read, with a write for each stream. It closes only after its own GOAWAY:
 * until then, Node refuses each new stream with a write.
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
    if ((session.state.outboundQueueSize ?? 0) > 0) setTimeout(closeWhenSaid, farewellMs).unref();
    else close.call(session);
  };
  session.close = (callback) => {
    if (callback !== undefined) session.once('close', callback);
    if (closes || session.destroyed) return;
    closes = true;
    session.goaway();
    setImmediate(closeWhenSaid);
  };
}
