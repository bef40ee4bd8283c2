import type { TLSSocket } from 'node:tls';
import { frame, frameTypes, http2Preface } from '../../bench/http2/frames.js';
import { headerBlock, statusOf, type Fields } from './hpack.js';
import { TlsWire, type WireOptions } from './tlsWire.js';

export { frame, frameTypes } from '../../bench/http2/frames.js';
export { headerBlock, indexedBlock, type Fields } from './hpack.js';

export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;
export const errorCodes = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  calm: 11,
} as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export interface Http2Options extends WireOptions {
  /** Sent after the preface: id -> value. The header table is always off, so that answers are readable without one. */
  readonly settings?: Readonly<Record<number, number>>;
  /** Sends neither preface nor settings. */
  readonly silent?: boolean;
  /** Answers SETTINGS and PING like a valid client; default true. */
  readonly polite?: boolean;
}

/** Frames are kept up to this number; counts and statuses go on. */
const framesKept = 10_000;
const frameHeadBytes = 9;

/** HTTP/2 over TLS that sends any frames, valid or not, and reads those that arrive. Failures of the connection end it without an error. */
export class RawHttp2 {
  readonly #wire: TlsWire;
  readonly #polite: boolean;
  readonly socket: TLSSocket;
  readonly frames: Frame[] = [];
  /** Received frames by type. */
  readonly counts = new Map<number, number>();
  /** Stream -> the status of its answer. */
  readonly statuses = new Map<number, number>();
  /** Stream -> its answer's body so far. */
  readonly bodies = new Map<number, string>();
  /** Streams whose answer has ended, and those that were reset, with the code. */
  readonly complete = new Set<number>();
  readonly resets = new Map<number, number>();
  /** The error code of a received GOAWAY. */
  goaway: number | null = null;
  ended = false;
  /** Resolves at the end of the connection. */
  readonly closed: Promise<void>;
  #nextStream = 1;
  #rest: Buffer = Buffer.alloc(0);
  #waiting: (() => void)[] = [];

  private constructor(wire: TlsWire, polite: boolean) {
    this.#wire = wire;
    this.#polite = polite;
    const { socket } = wire;
    this.socket = socket;
    socket
      .on('data', (chunk: Buffer) => {
        this.#read(chunk);
      })
      .on('drain', () => {
        this.#wake();
      });
    const end = (): void => {
      this.ended = true;
      this.#wake();
    };
    socket.once('end', end);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        end();
        resolve();
      });
    });
  }

  /** Resolves when the handshake is over and the settings are out. */
  static async open({ settings = {}, silent = false, polite = true, ...options }: Http2Options): Promise<RawHttp2> {
    const wire = TlsWire.connect(options, 'h2');
    const connection = new RawHttp2(wire, polite);
    await wire.ready();
    if (!silent) connection.send(http2Preface, settingsFrame({ [settingIds.headerTableSize]: 0, ...settings }));
    return connection;
  }

  /** Whether the socket accepts more; else wait for `drained`. */
  send(...frames: readonly Buffer[]): boolean {
    return this.socket.writable && this.socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames));
  }

  async drained(): Promise<void> {
    while (this.socket.writableNeedDrain && !this.ended)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }

  /** Opens the next stream with a request and returns its number; `endStream: false` leaves it open for a body. */
  request(
    method: string,
    path: string,
    { fields = [], endStream = true }: { readonly fields?: Fields; readonly endStream?: boolean } = {},
  ): number {
    const stream = this.takeStream();
    this.send(headersFrame(stream, requestFields(method, path, fields), endStream));
    return stream;
  }

  data(stream: number, content: string | Buffer, endStream = false): void {
    this.send(frame(frameTypes.data, endStream ? flags.endStream : 0, stream, Buffer.from(content)));
  }
  reset(stream: number, code: number = errorCodes.cancel): void {
    this.send(resetFrame(stream, code));
  }

  /** The next odd number, for frames made by hand. */
  takeStream(): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    return stream;
  }

  /** Waits until `done` holds or the connection ends; returns which. */
  async until(done: () => boolean): Promise<boolean> {
    while (!done()) {
      if (this.ended) return false;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    return true;
  }

  /** The status of a stream when its answer is complete; null when it was reset, or the connection ended. */
  async answer(stream: number): Promise<number | null> {
    await this.until(() => this.complete.has(stream) || this.resets.has(stream));
    return this.complete.has(stream) ? (this.statuses.get(stream) ?? null) : null;
  }

  destroy(): void {
    this.socket.destroy();
  }
  get localPort(): number {
    return this.#wire.plain.localPort ?? 0;
  }

  /** Ends with RST instead of FIN: the port is free at once. */
  abort(): void {
    this.#wire.abort();
  }

  #read(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at + frameHeadBytes <= bytes.length) {
      const end = at + frameHeadBytes + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      this.#take({
        type: bytes[at + 3]!,
        flags: bytes[at + 4]!,
        stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
        payload: Buffer.from(bytes.subarray(at + frameHeadBytes, end)),
      });
      at = end;
    }
    this.#rest = bytes.subarray(at);
    this.#wake();
  }

  #take(read: Frame): void {
    const { type, stream, payload } = read;
    this.counts.set(type, (this.counts.get(type) ?? 0) + 1);
    if (this.frames.length < framesKept) this.frames.push(read);
    if (type === frameTypes.headers) this.#answerBegins(stream, payload);
    if (type === frameTypes.data) this.#dataCame(stream, payload);
    if ((type === frameTypes.headers || type === frameTypes.data) && (read.flags & flags.endStream) !== 0) this.complete.add(stream);
    if (type === frameTypes.reset) this.resets.set(stream, payload.readUInt32BE(0));
    if (type === frameTypes.goaway) this.goaway = payload.readUInt32BE(4);
    if (!this.#polite || (read.flags & flags.ack) !== 0) return;
    if (type === frameTypes.settings || type === frameTypes.ping)
      this.send(frame(type, flags.ack, 0, type === frameTypes.ping ? payload : Buffer.alloc(0)));
  }

  #answerBegins(stream: number, block: Buffer): void {
    const status = statusOf(block);
    if (status !== null) this.statuses.set(stream, status);
  }

  /** Reopens the windows, so that long answers continue. */
  #dataCame(stream: number, payload: Buffer): void {
    this.bodies.set(stream, (this.bodies.get(stream) ?? '') + payload.toString());
    if (this.#polite && payload.length > 0) this.send(windowUpdateFrame(0, payload.length), windowUpdateFrame(stream, payload.length));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export const requestFields = (method: string, path: string, further: Fields = []): Fields => [
  [':method', method],
  [':scheme', 'https'],
  [':authority', 'localhost'],
  [':path', path],
  ...further,
];

export const headersFrame = (stream: number, fields: Fields, endStream = true): Buffer =>
  frame(frameTypes.headers, flags.endHeaders | (endStream ? flags.endStream : 0), stream, headerBlock(fields));

export function settingsFrame(settings: Readonly<Record<number, number>>): Buffer {
  const payload = Buffer.concat(
    Object.entries(settings).map(([id, value]) => {
      const entry = Buffer.alloc(6);
      entry.writeUInt16BE(Number(id), 0);
      entry.writeUInt32BE(value, 2);
      return entry;
    }),
  );
  return frame(frameTypes.settings, 0, 0, payload);
}

export const resetFrame = (stream: number, code: number): Buffer => frame(frameTypes.reset, 0, stream, unsigned(code));
export const windowUpdateFrame = (stream: number, bytes: number): Buffer => frame(frameTypes.windowUpdate, 0, stream, unsigned(bytes));
export const pingFrame = (): Buffer => frame(frameTypes.ping, 0, 0, Buffer.alloc(8));
export const goawayFrame = (lastStream: number, code: number): Buffer =>
  frame(frameTypes.goaway, 0, 0, Buffer.concat([unsigned(lastStream), unsigned(code)]));

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
