import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Server as TlsServer, TLSSocket } from 'node:tls';
import { formatAddress, parseAddress, plainAddress } from './address.js';
import { readTlsFiles } from './certificate.js';
import type { TlsFiles } from './certificate.js';
import type { Log } from './contract.js';
import { transportLimits } from './limits.js';
import { PendingConnections } from './pendingConnections.js';
import { errorText } from '../errorText.js';

export interface ReceptionOptions {
  readonly tls: TlsFiles;
  readonly log: Log;
  readonly isMembers: (address: string) => boolean;
  /** The caller's identity is still unchecked. */
  readonly onSecure: (socket: TLSSocket) => void;
}

const { silentOfNonMembersMax, silentOfMembersMax, silentOfAddressMax, handshakesMax, handshakesOfAddressMax, silentMs, handshakeMs } =
  transportLimits;

class Rooms {
  readonly silent: PendingConnections;
  readonly handshakes: PendingConnections;

  constructor(silentMax: number, perAddress: { readonly silent: number; readonly handshakes: number }) {
    this.silent = new PendingConnections({ countMax: silentMax, perAddressMax: perAddress.silent });
    this.handshakes = new PendingConnections({ countMax: handshakesMax, perAddressMax: perAddress.handshakes });
  }
}

/**
 * The peer port until a caller is authenticated. Anyone can reach it, so each step is bounded in number and time, and callers from members' addresses have
 * separate limits that others cannot exhaust:
 *
 *     accepted ──▶ silent ──first byte──▶ handshake (TLS, then hello) ──welcomed──▶ a member's connection
 *                  (a socket, no more)
 *
 * TLS begins with the first byte: a silent connection costs next to nothing.
 */
export class Reception {
  address = '';
  readonly #options: ReceptionOptions;
  readonly #members = new Rooms(silentOfMembersMax, { silent: silentOfMembersMax, handshakes: handshakesMax });
  readonly #nonMembers = new Rooms(silentOfNonMembersMax, { silent: silentOfAddressMax, handshakes: handshakesOfAddressMax });
  readonly #accepted = new Set<Socket>();
  readonly #tcp: TcpServer;
  readonly #tls: TlsServer;
  #certificate: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

  constructor(options: ReceptionOptions) {
    this.#options = options;
    this.#certificate = readTlsFiles(options.tls);
    this.#tls = createTlsServer({
      ...this.#certificate,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
      handshakeTimeout: handshakeMs,
    });
    this.#tls.on('secureConnection', (socket) => this.#onSecure(socket));
    this.#tls.on('tlsClientError', (error, socket) => {
      options.log('warn', 'connection on the peer port refused', { remote: remoteOf(socket), reason: error.message.split('\n')[0] ?? '' });
      socket.destroy();
    });
    this.#tcp = createTcpServer((socket) => this.#onAccepted(socket));
    this.#tcp.maxConnections = transportLimits.connectionsMax;
  }

  async listen(listenAddress: string): Promise<void> {
    const { host, port } = parseAddress(listenAddress);
    await listening(this.#tcp, host, port);
    this.address = formatAddress(host, (this.#tcp.address() as AddressInfo).port);
  }

  welcomed(socket: TLSSocket): void {
    for (const { handshakes } of [this.#members, this.#nonMembers]) handshakes.leave(remoteOf(socket));
  }

  renew(): void {
    try {
      const { ca, cert, key } = readTlsFiles(this.#options.tls);
      if (ca.equals(this.#certificate.ca) && cert.equals(this.#certificate.cert) && key.equals(this.#certificate.key)) return;
      this.#tls.setSecureContext({ ca, cert, key, minVersion: 'TLSv1.3' });
      this.#certificate = { ca, cert, key };
      this.#options.log('info', 'the peer port goes on with renewed certificates');
    } catch (error) {
      this.#options.log('warn', 'renewed certificates of the peer port cannot be used; the earlier ones stay', {
        reason: errorText(error),
      });
    }
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => void this.#tcp.close(() => resolve()));
    // A handshake that a cut network delayed may end later.
    for (const socket of this.#accepted) socket.destroy();
    await ended;
  }

  #onAccepted(socket: Socket): void {
    socket.on('error', ignore);
    if (socket.remoteAddress === undefined) return void socket.destroy();
    const address = plainAddress(socket.remoteAddress);
    const { silent, handshakes } = this.#options.isMembers(address) ? this.#members : this.#nonMembers;
    const key = remoteOf(socket);
    const putOut = (): void => void socket.destroy();
    let silence = true;
    const late = setTimeout(
      () =>
        setImmediate(() => {
          if (silence) putOut();
        }),
      silentMs,
    );
    this.#accepted.add(socket);
    silent.enter(key, address, putOut);
    socket.once('close', () => {
      clearTimeout(late);
      this.#accepted.delete(socket);
      silent.leave(key);
      handshakes.leave(key);
    });
    socket.once('readable', () => {
      silence = false;
      clearTimeout(late);
      silent.leave(key);
      if (socket.destroyed) return;
      handshakes.enter(key, address, putOut);
      this.#tls.emit('connection', socket);
    });
  }

  #onSecure(socket: TLSSocket): void {
    // A resumed session's certificate may have been replaced since.
    if (socket.isSessionReused()) socket.destroy();
    else this.#options.onSecure(socket);
  }
}

const ignore = (): void => undefined;
const remoteOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}:${remotePort}`;

function listening(server: TcpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void =>
      reject(new Error(`cannot listen for peers on ${formatAddress(host, port)}: ${cause.message}`, { cause }));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}
