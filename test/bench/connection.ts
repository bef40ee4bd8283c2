import tls from 'node:tls';

/**
 * One keep-alive HTTP/1.1 connection that sends ready-made requests and reads answers with as little work as possible:
 * the load generator shares two cores with what it measures, so every microsecond here is taken from the server.
 * Understands `content-length` and chunked bodies; nothing else that a server may send.
 */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface Answer {
  readonly status: number;
  /** Whole length of the body. */ readonly bytes: number;
}

const headEnd = Buffer.from('\r\n\r\n');

export class Connection {
  private buffered: Buffer = Buffer.alloc(0);
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  private constructor(private readonly socket: tls.TLSSocket) {
    socket.on('data', (chunk: Buffer) => this.onData(chunk));
    const fail = (error?: Error): void => {
      const { waiting } = this;
      this.waiting = null;
      waiting?.reject(error ?? new Error('connection closed by the server'));
    };
    socket.on('error', fail);
    socket.on('close', () => fail());
  }

  static open({ host, port, ca, cert, key }: Endpoint): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({
        host,
        port,
        ca,
        ...(cert && key ? { cert, key } : {}),
        ALPNProtocols: ['http/1.1'],
        servername: 'localhost',
      });
      socket.setNoDelay(true);
      socket.once('secureConnect', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends one request; the answer to the one before must have arrived. */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private onData(chunk: Buffer): void {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    const answer = this.readAnswer();
    if (answer === null) return;
    this.buffered = Buffer.alloc(0);
    this.pending = null;
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve(answer);
  }

  private pending: { readonly status: number; readonly bodyStart: number; readonly length: number | null } | null = null;

  private readAnswer(): Answer | null {
    this.pending ??= this.readHead();
    if (this.pending === null) return null;
    const { status, bodyStart, length } = this.pending;
    if (length === null)
      return this.buffered.subarray(-5).toString('latin1') === '0\r\n\r\n' ? { status, bytes: this.buffered.length - bodyStart } : null;
    return this.buffered.length - bodyStart >= length ? { status, bytes: length } : null;
  }

  private readHead(): { status: number; bodyStart: number; length: number | null } | null {
    const end = this.buffered.indexOf(headEnd);
    if (end < 0) return null;
    const head = this.buffered.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    return { status: Number(head.slice(9, 12)), bodyStart: end + headEnd.length, length: length === null ? null : Number(length[1]) };
  }
}

/** A whole request, ready to send. */
export function request(method: string, path: string, body?: string, type = 'application/json'): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  return Buffer.from(`${head}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
