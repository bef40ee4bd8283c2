import type { TLSSocket } from 'node:tls';
import { TlsWire, type WireOptions } from './tlsWire.js';

/** A received answer. `complete` is false where the connection ended within its body. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; of doubled headers the last value. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly complete: boolean;
}

/** HTTP/1.1 over TLS that sends given bytes and reads answers. Failures of the connection end it without an error. */
export class RawHttp1 {
  readonly #wire: TlsWire;
  readonly socket: TLSSocket;
  readonly answers: WireAnswer[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #waiting: (() => void)[] = [];
  /** The connection has ended. */
  ended = false;
  /** Resolves at the end of the connection. */
  readonly closed: Promise<void>;

  private constructor(wire: TlsWire) {
    this.#wire = wire;
    const { socket } = wire;
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      this.#take(false);
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#end();
        resolve();
      });
    });
    socket.once('end', () => {
      this.#end();
    });
  }

  /** Resolves after the handshake, successful or not. */
  static async open(options: WireOptions): Promise<RawHttp1> {
    const wire = TlsWire.connect(options, 'http/1.1');
    const connection = new RawHttp1(wire);
    await wire.ready();
    return connection;
  }

  /** Bytes that the answers read so far have left over. */
  get unread(): string {
    return this.#rest.toString('latin1');
  }

  send(bytes: string | Buffer): void {
    if (this.socket.writable) this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Waits for a total number of answers, or the end of the connection. */
  async answered(count: number): Promise<readonly WireAnswer[]> {
    while (this.answers.length < count && !this.ended)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    return this.answers;
  }

  /** Ends the connection's sending side and waits for the rest. */
  async finish(): Promise<readonly WireAnswer[]> {
    this.socket.end();
    while (!this.ended)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    return this.answers;
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Ends with RST instead of FIN. */
  abort(): void {
    this.#wire.abort();
  }

  #end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#take(true);
    this.#wake();
  }

  #take(atEnd: boolean): void {
    for (let read = readAnswer(this.#rest, atEnd); read !== null; read = readAnswer(this.#rest, atEnd)) {
      // An answer to "Expect: 100-continue" is none to the request.
      if (read.answer.status >= 200 || read.answer.status === 101) this.answers.push(read.answer);
      this.#rest = this.#rest.subarray(read.length);
      this.#wake();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

interface Read {
  readonly answer: WireAnswer;
  readonly length: number;
}

/** The first answer received, or null while it is incomplete. At the end of the connection a partial answer counts. */
function readAnswer(bytes: Buffer, atEnd: boolean): Read | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(statusLine.split(' ')[1] ?? 0);
  const content = bytes.subarray(headEnd + 4);
  const body = bodyOf(content, status, headers);
  if (body === null && !atEnd) return null;
  const { text, length } = body ?? { text: content.toString(), length: content.length };
  return { answer: { status, headers, body: text, complete: body !== null }, length: headEnd + 4 + length };
}

/** Null while the body is incomplete, or extends to the end of the connection. */
function bodyOf(
  content: Buffer,
  status: number,
  headers: ReadonlyMap<string, string>,
): { readonly text: string; readonly length: number } | null {
  if (status < 200 || status === 204 || status === 304) return { text: '', length: 0 };
  if (headers.get('transfer-encoding') === 'chunked') return chunked(content);
  const announced = headers.get('content-length');
  if (announced === undefined || content.length < Number(announced)) return null;
  return { text: content.subarray(0, Number(announced)).toString(), length: Number(announced) };
}

function chunked(content: Buffer): { readonly text: string; readonly length: number } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = content.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(content.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size + 2;
    if (content.length < end) return null;
    chunks.push(content.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = end;
    if (size === 0) return { text: Buffer.concat(chunks).toString(), length: at };
  }
}

/** A request as text, with required headers; given headers are unchanged. */
export function plainRequest(method: string, target: string, headers: readonly string[] = [], body = ''): string {
  return [`${method} ${target} HTTP/1.1`, 'host: localhost', ...headers, '', body].join('\r\n');
}
