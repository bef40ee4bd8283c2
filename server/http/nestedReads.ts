import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';

/*
 * Node 20 to 24 stop reading a connection over HTTP/2 in the middle of what has come while a write is on its way, and go on with the rest when that is done. If
 * going on writes something in turn, and the client has reset the connection meanwhile, that write fails at once; Node takes it for one that is done,
 * and goes on with the same rest once more, inside of itself. The bytes are freed while they are still being read, and the process ends, or worse.
 * What writes while Node reads is all that can be kept from it here: long answers whose requests go on, and the end of a session.
 */

/** While a request goes on, Node writes at once, with each piece of it that comes, when more of its answer waits than this. */
const waitingBytesMax = 4_096;

/** Has a stream, whose request has not ended, hand over its answer in pieces, each when the one before is on its way. */
export function writeInPieces(stream: ServerHttp2Stream): void {
  const { _write: write } = Object.getPrototypeOf(stream) as Duplex;
  const rest = (bytes: Buffer, done: (error?: Error | null) => void): void => {
    if (bytes.length <= waitingBytesMax || stream.readableEnded) {
      write.call(stream, bytes, 'buffer' as BufferEncoding, done);
      return;
    }
    write.call(stream, bytes.subarray(0, waitingBytesMax), 'buffer' as BufferEncoding, (error) => {
      if (error) done(error);
      else rest(bytes.subarray(waitingBytesMax), done);
    });
  };
  stream._write = (chunk: Buffer | string, encoding, done) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    if (bytes.length === 0) done();
    else rest(bytes, done);
  };
  // Several chunks at a time would be one piece.
  Object.assign(stream, { _writev: null, end: endWhenWritten });
}

/** Node ends a stream behind whichever piece it sends when the end has been asked for: that has to wait for the last one. */
function endWhenWritten(this: ServerHttp2Stream, bytes?: Buffer | string): ServerHttp2Stream {
  if (bytes !== undefined && bytes.length > 0) this.write(bytes);
  this.write(Buffer.alloc(0), () => {
    (Duplex.prototype as { end(this: Duplex): Duplex }).end.call(this);
  });
  return this;
}

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
