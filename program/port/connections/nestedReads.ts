import type { ServerHttp2Session } from 'node:http2';

/*
 * Node 20 to 24 stop reading a connection over HTTP/2 in the middle of what has come while a write is on its way, and go on with the rest when that is done. If
 * going on writes something in turn, and the client has reset the connection meanwhile, that write fails at once; Node takes it for one that is done,
 * and goes on with the same rest once more, inside of itself. The bytes are freed while they are still being read, and the process ends, or worse.
 * What writes while Node reads is all that can be kept from it: long answers whose requests go on (`boundedWrites.ts` has them handed over in pieces), and the end of a
 * session.
 */

/** How long a farewell may take before it is looked for again. */
const farewellMs = 10;

/**
 * Has a session end once Node no longer reads: a client's GOAWAY ends it otherwise as it is read, with a write for each of its streams. And it counts as closing only
 * once its own GOAWAY has been sent: until then, Node refuses each new stream with a write as it is read; from then on it reads none.
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
