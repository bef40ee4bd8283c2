import { Duplex } from 'node:stream';
import { constants, inflateRawSync } from 'node:zlib';

/**
 * SPDY/3.1 (draft 3 with windows), as far as kubectl's `port-forward` and older `exec`, `attach` and `cp` need it. Kubernetes clients ignore windows, so they
 * are not implemented.
 */

/** A stream opened by the client: reads yield the client's bytes, writes send to it. */
export class SpdyStream extends Duplex {
  readonly #sendData: (bytes: Buffer, isLast: boolean) => void;

  constructor(
    /** Keyed by lower-case names. */
    readonly headers: ReadonlyMap<string, string>,
    sendData: (bytes: Buffer, isLast: boolean) => void,
  ) {
    super();
    this.#sendData = sendData;
    // The session handles its end, and notifies readers.
    this.on('error', () => undefined);
  }

  override _read(): void {
    // Received data wait until they are read; clients send little.
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.#sendData(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk, false);
    done();
  }

  override _final(done: () => void): void {
    this.#sendData(Buffer.alloc(0), true);
    done();
  }
}

const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const version = 3;
const flagFin = 1;
const frameHeadBytes = 8;
const streamMask = 0x7fffffff;
/** A client beyond these bounds is cut off. */
const frameBytesMax = 4 * 1024 * 1024;
const streamsMax = 512;
const headersBytesMax = 64 * 1024;

/** Serves SPDY on a connection until either side closes it. `onStream` gets each stream that the client opens. */
export function serveSpdy(socket: Duplex, head: Buffer, onStream: (stream: SpdyStream) => void): void {
  const streams = new Map<number, SpdyStream>();
  const reader = new HeaderReader();
  const writer = new HeaderWriter();
  let unread = head;

  const open = (body: Buffer, flags: number): void => {
    const id = body.readUInt32BE(0) & streamMask;
    if (streams.has(id) || streams.size >= streamsMax) throw new Error(`stream ${id} cannot be opened`);
    const stream = new SpdyStream(reader.read(body.subarray(10)), (bytes, isLast) => {
      if (!socket.destroyed) socket.write(Buffer.concat([dataHead(id, bytes.length, isLast), bytes]));
    });
    streams.set(id, stream);
    stream.once('close', () => streams.delete(id));
    const answer = Buffer.alloc(4);
    answer.writeUInt32BE(id);
    socket.write(control(types.synReply, Buffer.concat([answer, writer.none()])));
    if ((flags & flagFin) !== 0) stream.push(null);
    onStream(stream);
  };
  const handle = (type: number, flags: number, body: Buffer): void => {
    if (type === types.synStream) open(body, flags);
    else if (type === types.rstStream) streams.get(body.readUInt32BE(0) & streamMask)?.destroy();
    // The client's ping comes back with its own number.
    else if (type === types.ping) socket.write(control(types.ping, body));
    else if (type === types.goAway) socket.end();
  };
  const receive = (chunk: Buffer): void => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (unread.length >= frameHeadBytes) {
      const length = unread.readUIntBE(5, 3);
      if (length > frameBytesMax) throw new Error(`a frame of ${length} bytes is too long`);
      if (unread.length < frameHeadBytes + length) return;
      const [first, flags, body] = [unread.readUInt32BE(0), unread[4] ?? 0, unread.subarray(frameHeadBytes, frameHeadBytes + length)];
      unread = unread.subarray(frameHeadBytes + length);
      if (first > streamMask) handle(first & 0xffff, flags, body);
      else {
        const stream = streams.get(first);
        if (body.length > 0) stream?.push(Buffer.from(body));
        if ((flags & flagFin) !== 0) stream?.push(null);
      }
    }
  };
  const guarded = (chunk: Buffer): void => {
    try {
      receive(chunk);
    } catch (error) {
      socket.destroy(error as Error);
    }
  };
  socket.on('data', guarded);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    for (const stream of [...streams.values()]) stream.destroy();
  });
  guarded(Buffer.alloc(0));
}

function control(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function dataHead(id: number, length: number, isLast: boolean): Buffer {
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUInt32BE(id, 0);
  head[4] = isLast ? flagFin : 0;
  head.writeUIntBE(length, 5, 3);
  return head;
}

/** Headers of all frames share one zlib stream. Each block ends at a byte boundary, so it is inflated separately with the previous data as dictionary. */
class HeaderReader {
  #before: Buffer | null = null;

  read(block: Buffer): ReadonlyMap<string, string> {
    const skipped = this.#before === null ? zlibHeadLength(block) : 0;
    const before = this.#before ?? dictionary();
    const plain = inflateRawSync(block.subarray(skipped), {
      dictionary: before,
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: headersBytesMax,
    });
    this.#before = Buffer.concat([before, plain]).subarray(-zlibWindowBytes);
    return pairsIn(plain);
  }
}

const zlibWindowBytes = 32 * 1024;
const zlibDictionaryFlag = 0x20;
const zlibHeadLength = (block: Buffer): number => (((block[1] ?? 0) & zlibDictionaryFlag) === 0 ? 2 : 6);

function pairsIn(plain: Buffer): ReadonlyMap<string, string> {
  let at = 0;
  const number = (): number => plain.readUInt32BE((at += 4) - 4);
  const text = (): string => {
    const length = number();
    return plain.toString('latin1', at, (at += length));
  };
  return new Map(Array.from({ length: Math.min(number(), headersBytesMax) }, () => [text().toLowerCase(), text()]));
}

/** Replies to new streams say nothing: they are stored blocks. */
class HeaderWriter {
  #begun = false;

  none(): Buffer {
    const count = Buffer.alloc(4);
    const zlibHead = this.#begun ? [] : [0x78, 0x01];
    this.#begun = true;
    // A non-final stored block (length, inverted length, bytes), then an empty one, at which readers flush.
    return Buffer.concat([Buffer.of(...zlibHead, 0, 4, 0, 0xfb, 0xff), count, Buffer.of(0, 0, 0, 0xff, 0xff)]);
  }
}

/** Section 2.6.10.1 of draft 3: words with their lengths, and further text. */
function dictionary(): Buffer {
  const words = [
    ...'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow'.split(' '),
    ...'authorization cache-control connection content-base content-encoding content-language content-length'.split(' '),
    ...'content-location content-md5 content-range content-type date etag expect expires from host if-match'.split(' '),
    ...'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma'.split(' '),
    ...'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade'.split(' '),
    ...'user-agent vary via warning www-authenticate method get status'.split(' '),
    '200 OK',
    ...'version HTTP/1.1 url public set-cookie keep-alive origin'.split(' '),
  ].map((word) => {
    const entry = Buffer.alloc(4 + word.length);
    entry.writeUInt32BE(word.length);
    entry.write(word, 4);
    return entry;
  });
  const text = [
    '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505',
    '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden',
    '404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable',
    'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT',
    'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,',
    'publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.',
  ];
  return Buffer.concat([...words, Buffer.from(text.join(''))]);
}
