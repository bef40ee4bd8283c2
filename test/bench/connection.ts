import tls from 'node:tls';

/** A keep-alive HTTP/1.1 connection that sends prepared requests and reads answers cheaply. It supports only `content-length` and chunked bodies. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Whether to skip the check of the server's certificate, for servers without a known authority. */
  readonly unchecked?: boolean;
}

export interface Answer {
  readonly status: number;
  /** Whole length of the body. */ readonly bytes: number;
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');
const nothing: Buffer = Buffer.alloc(0);

export class Connection {
  readonly #socket: tls.TLSSocket;

  /** An incomplete head, or the rest of a body without a declared length. */
  #buffered: Buffer = nothing;
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    const fail = (error?: Error): void => {
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.reject(error ?? new Error('connection closed by the server'));
    };
    socket.on('error', fail);
    socket.on('close', () => fail());
  }

  static open({ host, port, ca, cert, key, unchecked }: Endpoint): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({
        host,
        port,
        ...(unchecked ? { rejectUnauthorized: false } : { ca }),
        ...(cert && key ? { cert, key } : {}),
        ALPNProtocols: ['http/1.1'],
        servername: 'localhost',
      });
      socket.setNoDelay(true);
      socket.once('secureConnect', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends one request, after the previous answer. */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the connection is closed'));
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    const body = this.#answer === null ? this.#readHead(chunk) : chunk;
    const answer = this.#answer;
    if (answer === null || body === null) return;
    answer.bytes += body.length;
    if (answer.length === null) {
      this.#buffered =
        body.length >= lastChunk.length
          ? body.subarray(-lastChunk.length)
          : Buffer.concat([this.#buffered, body]).subarray(-lastChunk.length);
      if (!this.#buffered.equals(lastChunk)) return;
    } else if (answer.bytes < answer.length) return;
    this.#buffered = nothing;
    this.#answer = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status: answer.status, bytes: answer.bytes });
  }

  /** The answer being read, once its head is complete. Only the length of the body is kept: joining it costs more than the server's work. */
  #answer: { readonly status: number; readonly length: number | null; bytes: number } | null = null;

  /** Reads the head once complete; the rest is the body. */
  #readHead(chunk: Buffer): Buffer | null {
    const all = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const end = all.indexOf(headEnd);
    if (end < 0) {
      this.#buffered = all;
      return null;
    }
    this.#buffered = nothing;
    const head = all.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.#answer = { status: Number(head.slice(9, 12)), length: length === null ? null : Number(length[1]), bytes: 0 };
    return all.subarray(end + headEnd.length);
  }
}

/** A whole request, ready to send. */
export function request(method: string, path: string, body?: string, type = 'application/json'): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  return Buffer.from(`${head}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
