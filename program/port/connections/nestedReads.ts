import type { ServerHttp2Session } from 'node:http2';

/*
 * Node 20 to 24 stop reading an HTTP/2 connection in the middle of its input while a write is pending, and go on with the rest when that is done. If going on
 * writes something in turn, and the client has reset the connection meanwhile, that write fails at once; Node takes it for a finished one, and goes on with the
 * same rest once more, recursively. The bytes are freed while they are still being read, and the process crashes, or worse. Only writes during reads can be
 * avoided: long responses whose requests go on (`boundedWrites.ts` hands them over in pieces), and the end of a session.
 */

/** Delay before a pending GOAWAY is checked again. */
const farewellMs = 10;

/**
 * Makes a session end once Node no longer reads: otherwise a client's GOAWAY ends it while it is read, with a write for each of its streams. And it counts as
 * closing only once its own GOAWAY has been sent: until then, Node refuses each new stream with a write as it is read; afterwards it reads none.
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
