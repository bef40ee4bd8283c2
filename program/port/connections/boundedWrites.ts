import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { unbounded, type SendBuffer, type Sender } from './sender.js';
import { pieceBytesMin } from './sendBuffer.js';

const pieceBytesMax = 128 * 1024;
/** During an incomplete request, Node writes while reading when more of the response waits; see `nestedReads.ts`. */
const requestOpenBytesMax = 4_096;

type Done = (error?: Error | null) => void;

interface Chunk {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

type Bounded = Duplex & { [buffer]: SendBuffer; [output]?: Output; [ends]?: boolean };

const buffer = Symbol('send buffer');
const output = Symbol('output');
const ends = Symbol('ends');

const ofSession = new WeakMap<Http2Session, SendBuffer>();

/** All streams of the session share the buffer. */
export function boundSession(session: Http2Session, of: SendBuffer): void {
  ofSession.set(session, of);
}

export const sendBufferOf = (session: Http2Session | undefined): SendBuffer =>
  (session === undefined ? undefined : ofSession.get(session)) ?? unbounded;

/** Splits writes into pieces, each sent when its connection has room. */
export function boundStream(stream: ServerHttp2Stream, of: SendBuffer): void {
  Object.assign(stream, { [buffer]: of, _write: writeWithin, _writev: writeManyWithin });
}

/** The same for connections without streams (HTTP/1.1). */
export function boundSocket(socket: Socket, of: SendBuffer): void {
  Object.assign(socket, { [buffer]: of, _write: writeWithin, _writev: writeManyWithin });
}

/** Node ends the stream after the write that is pending when the end is requested, so the last piece requests it. */
export function endStream(stream: ServerHttp2Stream, bytes?: Uint8Array | string): void {
  const length = bytes === undefined ? 0 : typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
  const written = stream.writableLength;
  if (!isBounded(stream) || written + length <= wholeBytesOf(stream) || (length === 0 && stream[output]?.unhanded(written) === false)) {
    stream.end(bytes);
    return;
  }
  stream[ends] = true;
  if (length > 0) stream.write(bytes);
}

/** Written bytes not taken by the network, which decrease piece by piece. */
export const unsentOf = (writable: Writable): number => writable.writableLength - ((writable as Partial<Bounded>)[output]?.takenBytes ?? 0);

const isBounded = (stream: Duplex): stream is Bounded => (stream as Partial<Bounded>)[buffer] !== undefined;

function wholeBytesOf(way: Duplex): number {
  const { endAfterHeaders = true, readableEnded } = way as Partial<ServerHttp2Stream>;
  return endAfterHeaders || readableEnded === true ? pieceBytesMin : requestOpenBytesMax;
}

function writeWithin(this: Bounded, chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
  const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length;
  if (bytes === 0) return done();
  const to = this[buffer];
  if (bytes > wholeBytesOf(this) || to.pieceBytes === 0) return outputOf(this).send([bufferOf({ chunk, encoding })], done);
  to.add(bytes);
  nativeOf(this)._write.call(this, chunk, encoding, (error) => {
    to.remove(bytes);
    done(error);
  });
  endBehind(this, bytes);
}

function writeManyWithin(this: Bounded, chunks: readonly Chunk[], done: Done): void {
  let bytes = 0;
  for (const { chunk, encoding } of chunks) bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length;
  if (bytes === 0) return done();
  const to = this[buffer];
  if (bytes > wholeBytesOf(this) || to.pieceBytes === 0) return outputOf(this).send(chunks.map(bufferOf), done);
  to.add(bytes);
  nativeOf(this)._writev.call(this, chunks, (error) => {
    to.remove(bytes);
    done(error);
  });
  endBehind(this, bytes);
}

/** `bytes` is the size of the current write. */
function endBehind(way: Bounded, bytes: number): void {
  if (way[ends] === true && way.writableLength === bytes) way.end();
}

const bufferOf = ({ chunk, encoding }: Chunk): Buffer => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);

interface Native {
  _write(this: Duplex, chunk: Buffer | string, encoding: BufferEncoding, done: Done): void;
  _writev(this: Duplex, chunks: readonly Chunk[], done: Done): void;
}

const nativeOf = (way: Duplex): Native => Object.getPrototypeOf(way) as Native;

const outputOf = (way: Bounded): Output => (way[output] ??= new Output(way));

/** Made only where needed: most responses are small. */
class Output implements Sender {
  readonly #way: Bounded;
  takenBytes = 0;
  #chunks: Buffer[] = [];
  #done: Done | null = null;
  #bytes = 0;
  /** Grows as the client takes pieces, so that an unread stream uses little room. */
  #pieceBytes = pieceBytesMin;

  constructor(way: Bounded) {
    this.#way = way;
    way.once('close', () => {
      way[buffer].forget(this);
      if (this.#chunks.length > 0) this.#finish(new Error('the connection has closed'));
    });
  }

  /** Calls `done` when everything was taken, or never will be. One call at a time. */
  send(chunks: Buffer[], done: Done): void {
    this.#chunks = chunks;
    this.#bytes = 0;
    for (const { length } of chunks) this.#bytes += length;
    this.#done = done;
    this.#way[buffer].whenRoom(this);
  }

  /** Whether some written bytes have not been handed over yet. */
  unhanded(written: number): boolean {
    return this.#chunks.length > 0 || written > this.#bytes;
  }

  sendMore(): void {
    const way = this.#way;
    if (way.destroyed) return this.#finish(new Error('the connection has closed'));
    const to = way[buffer];
    const limit = Math.min(to.pieceBytes, this.#pieceBytes, wholeBytesOf(way) < pieceBytesMin ? wholeBytesOf(way) : pieceBytesMax);
    const piece = this.#next(limit);
    let bytes = 0;
    for (const { length } of piece) bytes += length;
    to.add(bytes);
    this.#write(piece, (error) => {
      this.takenBytes += bytes;
      this.#pieceBytes = Math.min(pieceBytesMax, 2 * this.#pieceBytes);
      to.remove(bytes);
      if (error != null || this.#chunks.length === 0) this.#finish(error);
      else to.whenRoom(this);
    });
    if (this.#chunks.length === 0) endBehind(way, this.#bytes);
  }

  #next(limit: number): Buffer[] {
    const piece: Buffer[] = [];
    let room = limit;
    for (let first = this.#chunks[0]; first !== undefined && room > 0; first = this.#chunks[0]) {
      if (first.length > room) {
        piece.push(first.subarray(0, room));
        this.#chunks[0] = first.subarray(room);
        break;
      }
      this.#chunks.shift();
      piece.push(first);
      room -= first.length;
    }
    return piece;
  }

  #write(piece: readonly Buffer[], done: Done): void {
    const [only] = piece;
    const way = this.#way;
    if (only !== undefined && piece.length === 1) nativeOf(way)._write.call(way, only, 'buffer' as BufferEncoding, done);
    else
      nativeOf(way)._writev.call(
        way,
        piece.map((chunk) => ({ chunk, encoding: 'buffer' as BufferEncoding })),
        done,
      );
  }

  #finish(error?: Error | null): void {
    const done = this.#done;
    this.#done = null;
    this.#chunks = [];
    this.#bytes = 0;
    this.takenBytes = 0;
    done?.(error);
  }
}
