import net from 'node:net';
import tls from 'node:tls';

/** A client; anonymous without a certificate. */
export interface WireOptions {
  readonly port: number;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Default: any free port. */
  readonly localPort?: number;
}

/** A connection over TLS, and the plain one beneath it. Failures end it, and throw nothing. */
export class TlsWire {
  private constructor(
    readonly socket: tls.TLSSocket,
    readonly plain: net.Socket,
  ) {
    plain.on('error', () => undefined);
    socket.on('error', () => undefined);
  }

  static connect({ port, cert, key, localPort }: WireOptions, protocol: 'http/1.1' | 'h2'): TlsWire {
    const plain = net.connect({ host: '127.0.0.1', port, ...(localPort === undefined ? {} : { localPort }) });
    const socket = tls.connect({
      socket: plain,
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
      ALPNProtocols: [protocol],
      servername: 'localhost',
      rejectUnauthorized: false,
    });
    return new TlsWire(socket, plain);
  }

  /** Resolves after the handshake, successful or not. */
  async ready(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket
        .once('secureConnect', () => {
          resolve();
        })
        .once('close', () => {
          resolve();
        });
    });
  }

  /** Ends with RST instead of FIN, which frees the port at once. Node's client crashes if this happens during a read. */
  abort(): void {
    setImmediate(() => {
      this.plain.resetAndDestroy();
      this.socket.destroy();
    });
  }
}
