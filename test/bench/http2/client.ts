import tls from 'node:tls';
import type { Endpoint } from '../connection.js';
import { frame, frameTypes, http2Preface } from './frames.js';

/** The part of HTTP/2 that a load generator needs. Headers are literals, windows large, and only status 200 is recognised (RFC 7541: index 8 comes first). */
export interface StreamHandler {
  /** 200, or 0 for any other status. */
  headers?(status: number): void;
  /** A part of the body, within `chunk`. */
  data?(chunk: Buffer, start: number, end: number): void;
  end?(): void;
}

const flagEnd = 1;
const flagAck = 1;
const flagEndHeaders = 4;
const nothing = Buffer.alloc(0);
const windowMax = 2 ** 31 - 1;
const windowInitial = 65_535;
const status200 = 0x88;
/** The connection's window is reopened after this many bytes. */
const windowStep = 2 ** 30;

export class Http2Client {
  readonly #socket: tls.TLSSocket;
  readonly #authority: string;
  readonly #streams = new Map<number, StreamHandler>();
  #nextStream = 1;
  #buffered: Buffer = Buffer.alloc(0);
  #consumed = 0;

  private constructor(socket: tls.TLSSocket, authority: string) {
    this.#socket = socket;
    this.#authority = authority;
    socket.on('data', (chunk: Buffer) => {
      this.#receive(chunk);
    });
    socket.on('close', () => {
      for (const handler of this.#streams.values()) handler.end?.();
    });
    socket.on('error', () => undefined);
  }

  static open({ host, port, ca, cert, key, unchecked }: Endpoint): Promise<Http2Client> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({
        host,
        port,
        ...(unchecked ? { rejectUnauthorized: false } : { ca }),
        ...(cert && key ? { cert, key } : {}),
        ALPNProtocols: ['h2'],
        servername: 'localhost',
      });
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        socket.setNoDelay(true);
        const client = new Http2Client(socket, `${host}:${port}`);
        const settings = Buffer.alloc(6);
        settings.writeUInt16BE(4, 0);
        settings.writeUInt32BE(windowMax, 2);
        socket.write(Buffer.concat([http2Preface, frame(frameTypes.settings, 0, 0, settings), windowUpdate(windowMax - windowInitial)]));
        resolve(client);
      });
    });
  }

  request(method: string, path: string, handler: StreamHandler, headers: Readonly<Record<string, string>> = {}): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    this.#streams.set(stream, handler);
    const block = Object.entries({ ':method': method, ':scheme': 'https', ':authority': this.#authority, ':path': path, ...headers }).map(
      ([name, value]) => literal(name, value),
    );
    this.#socket.write(frame(frameTypes.headers, flagEnd | flagEndHeaders, stream, Buffer.concat(block)));
    return stream;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<{ readonly status: number; readonly bytes: number }> {
    return new Promise((resolve) => {
      let status = 0;
      let bytes = 0;
      this.request(
        'GET',
        path,
        {
          headers: (found) => {
            status = found;
          },
          data: (_chunk, start, end) => {
            bytes += end - start;
          },
          end: () => {
            resolve({ status, bytes });
          },
        },
        headers,
      );
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const all = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    let start = 0;
    // Plain arithmetic, because this runs for every frame.
    while (all.length - start >= 9) {
      const end = start + 9 + ((all[start] as number) << 16) + ((all[start + 1] as number) << 8) + (all[start + 2] as number);
      if (all.length < end) break;
      this.#handle(all[start + 3] as number, all[start + 4] as number, all.readUInt32BE(start + 5) & windowMax, all, start + 9, end);
      start = end;
    }
    // A copy, so that a small rest does not retain a large chunk.
    this.#buffered = start === all.length ? nothing : Buffer.from(all.subarray(start));
  }

  #handle(type: number, flags: number, stream: number, all: Buffer, start: number, end: number): void {
    const handler = this.#streams.get(stream);
    if (type === frameTypes.data) {
      this.#consume(end - start);
      if (end > start) handler?.data?.(all, start, end);
      if ((flags & flagEnd) === 0) return;
    } else this.#handleOther(type, flags, handler, all.subarray(start, end));
    const ended = type === frameTypes.reset || ((type === frameTypes.data || type === frameTypes.headers) && (flags & flagEnd) !== 0);
    if (!ended || handler === undefined) return;
    this.#streams.delete(stream);
    handler.end?.();
  }

  #handleOther(type: number, flags: number, handler: StreamHandler | undefined, payload: Buffer): void {
    if (type === frameTypes.headers) handler?.headers?.(payload[0] === status200 ? 200 : 0);
    else if (type === frameTypes.settings && (flags & flagAck) === 0)
      this.#socket.write(frame(frameTypes.settings, flagAck, 0, Buffer.alloc(0)));
    else if (type === frameTypes.ping && (flags & flagAck) === 0) this.#socket.write(frame(frameTypes.ping, flagAck, 0, payload));
  }

  #consume(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < windowStep) return;
    this.#socket.write(windowUpdate(this.#consumed));
    this.#consumed = 0;
  }
}

function windowUpdate(bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frame(frameTypes.windowUpdate, 0, 0, payload);
}

/** A header field without indexing; texts of up to 126 + 127 bytes. */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from(bytes.length < 127 ? [bytes.length] : [127, bytes.length - 127]), bytes]);
}
