import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

export interface HeldHandshakeOptions {
  readonly port: number;
  readonly protocol: 'http/1.1' | 'h2';
  readonly version: 'TLSv1.2' | 'TLSv1.3';
}

/** A client that sends its hello and continues the handshake only when asked. Failures end it without an error. */
export class HeldHandshake {
  readonly #plain: net.Socket;
  readonly #secure: tls.TLSSocket;
  readonly #held: Buffer[] = [];
  #said = 0;
  #finished = false;
  /** Decrypted bytes from the server. */
  received = '';
  readonly #answered: Promise<void>;
  /** Resolves at the end of the connection. */
  readonly closed: Promise<void>;

  private constructor({ port, protocol, version }: HeldHandshakeOptions) {
    this.#plain = net.connect(port, '127.0.0.1');
    this.closed = new Promise((resolve) => {
      this.#plain.once('close', () => {
        resolve();
      });
    });
    this.#answered = new Promise((resolve) => {
      this.#plain.once('data', () => {
        resolve();
      });
    });
    const held = new Duplex({
      read: () => undefined,
      write: (bytes: Buffer, _encoding, done) => {
        if (this.#said++ === 0 || this.#finished) this.#plain.write(bytes);
        else this.#held.push(bytes);
        done();
      },
    });
    this.#plain
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => held.push(bytes))
      .once('end', () => held.push(null));
    this.#secure = tls.connect({
      socket: held,
      ALPNProtocols: [protocol],
      minVersion: version,
      maxVersion: version,
      rejectUnauthorized: false,
    });
    this.#secure
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        this.received += bytes.toString('latin1');
      });
  }

  /** Resolves when the server has answered the hello. */
  static async begin(options: HeldHandshakeOptions): Promise<HeldHandshake> {
    const client = new HeldHandshake(options);
    await Promise.race([client.#answered, client.closed]);
    return client;
  }

  /** Sends the rest of the handshake and following data in one piece. */
  finish(behind: Buffer): void {
    if (behind.length > 0) this.#secure.write(behind);
    setImmediate(() => {
      this.#finished = true;
      if (!this.#plain.destroyed) this.#plain.write(Buffer.concat(this.#held));
    });
  }

  destroy(): void {
    this.#secure.destroy();
    this.#plain.destroy();
  }
}
