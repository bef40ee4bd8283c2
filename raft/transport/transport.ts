import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import type { PeerStatus } from '../replica-api.js';
import type { MemberId } from '../types.js';
import { formatAddress, parseAddress } from './address.js';
import { readTlsFiles } from './certificate.js';
import type { TlsFiles } from './certificate.js';
import type { Log, PeerMessage, SnapshotAnnouncement, Transport, TransportHandlers } from './contract.js';
import type { DialOptions } from './dial.js';
import type { Acquaintance, Hello, Identity } from './handshake.js';
import { Inbound } from './inbound.js';
import type { InboundContext } from './inbound.js';
import { transportLimits } from './limits.js';
import { Peer } from './peer.js';
import type { PeerContext } from './peer.js';
import { sendSnapshotFile } from './snapshotSender.js';

export interface TransportOptions {
  readonly self: Identity;
  /** `host:port`; null when no peer is ever expected. */
  readonly listenAddress: string | null;
  /** Where peers reach this replica, told to those that do not know it yet; the listening address when null. */
  readonly advertisedAddress: string | null;
  readonly tls: TlsFiles | null;
  /** See `Acquaintance.remember`. */
  readonly remember: (id: MemberId, incarnation: string) => boolean;
  /** See `Acquaintance.isAlone`. */
  readonly isAlone?: () => boolean;
  readonly handlers: TransportHandlers;
  /** Where snapshots that arrive are written. */
  readonly snapshotDirectory: string;
  readonly log: Log;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Starts listening, if asked to. Rejects when the address is taken, or is none, or a certificate file cannot be used. Peers come with `setPeers`. */
export async function createTransport(options: TransportOptions): Promise<Transport> {
  const transport = new TlsTransport(options);
  await transport.listen();
  return transport;
}

class TlsTransport implements Transport, InboundContext {
  readonly self: Identity;
  readonly known: Acquaintance;
  readonly handlers: TransportHandlers;
  readonly snapshotDirectory: string;
  readonly log: Log;
  address: string | null = null;
  readonly #options: TransportOptions;
  readonly #peers = new Map<MemberId, Peer>();
  /** Peers outside the membership as this replica knows it, which called first; the oldest is forgotten when there are too many. */
  readonly #strangers = new Set<MemberId>();
  readonly #inbounds = new Set<Inbound>();
  /** All connections on the peer port, those in the middle of a handshake included. */
  readonly #accepted = new Set<Socket>();
  readonly #messagesFrom = new Map<MemberId, Inbound>();
  readonly #snapshots = new Map<MemberId, AbortController>();
  #removed: ReadonlySet<MemberId> = new Set();
  #server: Server | null = null;
  #beats: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.self = options.self;
    this.handlers = options.handlers;
    this.snapshotDirectory = options.snapshotDirectory;
    this.log = options.log;
    this.known = { isRemoved: (id) => this.#removed.has(id), isAlone: options.isAlone ?? (() => false), remember: options.remember };
  }

  async listen(): Promise<void> {
    const { listenAddress, tls } = this.#options;
    this.#beats = setInterval(() => this.#beat(), transportLimits.pingMs);
    if (listenAddress === null) return;
    if (tls === null) throw new Error('a replica that listens for peers needs certificates');
    const { host, port } = parseAddress(listenAddress);
    this.#server = createServer({ ...readTlsFiles(tls), requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3', handshakeTimeout: transportLimits.handshakeMs });
    this.#server.maxConnections = transportLimits.connectionsMax;
    this.#server.on('connection', (socket: Socket) => {
      this.#accepted.add(socket);
      socket.once('close', () => this.#accepted.delete(socket));
    });
    this.#server.on('secureConnection', (socket) => this.#inbounds.add(new Inbound(socket, this)));
    this.#server.on('tlsClientError', (error, socket) => {
      this.log('warn', 'connection on the peer port refused', { remote: `${socket.remoteAddress}:${socket.remotePort}`, reason: error.message.split('\n')[0] ?? '' });
      socket.destroy();
    });
    await listening(this.#server, host, port);
    this.address = formatAddress(host, (this.#server.address() as AddressInfo).port);
  }

  send(to: MemberId, message: PeerMessage): void {
    this.#peers.get(to)?.send(message);
  }

  flush(): void {
    for (const peer of this.#peers.values()) peer.flush();
  }

  setPeers(peers: ReadonlyMap<MemberId, string>, removed: ReadonlySet<MemberId>): void {
    this.#removed = removed;
    for (const [id, inbound] of this.#messagesFrom) if (removed.has(id)) inbound.close('the peer was removed from the cluster');
    for (const id of this.#peers.keys()) if (removed.has(id) || !(peers.has(id) || this.#strangers.has(id))) this.#forget(id);
    for (const [id, address] of peers) {
      this.#strangers.delete(id);
      this.#meet(id, address);
    }
  }

  async sendSnapshot(to: MemberId, announcement: SnapshotAnnouncement, path: string): Promise<boolean> {
    const peer = this.#peers.get(to);
    if (peer === undefined || this.#snapshots.has(to) || this.#closed) return false;
    const abort = new AbortController();
    this.#snapshots.set(to, abort);
    try {
      await sendSnapshotFile({ ...this.#dialOptions(), to, address: peer.address, purpose: 'snapshot' }, announcement, path, abort.signal);
      return true;
    } catch (error) {
      this.log('warn', 'a snapshot could not be sent', { peer: to, reason: error instanceof Error ? error.message : String(error) });
      return false;
    } finally {
      this.#snapshots.delete(to);
    }
  }

  peers(): readonly PeerStatus[] {
    return [...this.#peers.values()].map((peer) => peer.status);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#beats !== null) clearInterval(this.#beats);
    const server = this.#server;
    const ended = server === null ? Promise.resolve() : new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const abort of this.#snapshots.values()) abort.abort();
    for (const id of [...this.#peers.keys()]) this.#forget(id);
    const finished = [...this.#inbounds].map((inbound) => inbound.finished);
    for (const inbound of this.#inbounds) inbound.close('closing');
    // Whoever is let in after this would stay for ever: a handshake that a cut network held up may end when it is whole again.
    for (const socket of this.#accepted) socket.destroy();
    await Promise.all([...finished, ended]);
  }

  onWelcomed(inbound: Inbound, hello: Hello): void {
    if (hello.purpose !== 'messages') return;
    // The caller has given up its earlier connection; nothing that may still arrive there must be taken after what arrives here.
    this.#messagesFrom.get(hello.id)?.close('the peer connected again');
    this.#messagesFrom.set(hello.id, inbound);
    if (!this.#peers.has(hello.id) && hello.address !== '') this.#meetStranger(hello.id, hello.address);
    this.#peers.get(hello.id)?.wake();
  }

  onClosed(inbound: Inbound): void {
    this.#inbounds.delete(inbound);
    for (const [id, current] of this.#messagesFrom) if (current === inbound) this.#messagesFrom.delete(id);
  }

  #meetStranger(id: MemberId, address: string): void {
    const [oldest] = this.#strangers;
    if (oldest !== undefined && this.#strangers.size >= transportLimits.strangersMax) this.#forget(oldest);
    this.#strangers.add(id);
    this.#meet(id, address);
  }

  #meet(id: MemberId, address: string): void {
    const peer = this.#peers.get(id);
    if (peer !== undefined) peer.setAddress(address);
    else if (id !== this.self.id && this.#options.tls !== null) this.#peers.set(id, new Peer(id, address, this.#peerContext()));
  }

  #forget(id: MemberId): void {
    this.#snapshots.get(id)?.abort();
    this.#peers.get(id)?.close();
    this.#peers.delete(id);
    this.#strangers.delete(id);
  }

  #peerContext(): PeerContext {
    return { dialOptions: () => this.#dialOptions(), handlers: this.handlers, log: this.log, random: this.#options.random };
  }

  #dialOptions(): Omit<DialOptions, 'to' | 'address' | 'purpose'> {
    if (this.#options.tls === null) throw new Error('a replica with peers needs certificates');
    return { self: this.self, selfAddress: this.#options.advertisedAddress ?? this.address ?? '', tls: this.#options.tls, known: this.known };
  }

  #beat(): void {
    for (const peer of this.#peers.values()) peer.beat();
    for (const inbound of this.#inbounds) inbound.beat();
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => reject(new Error(`cannot listen for peers on ${formatAddress(host, port)}: ${cause.message}`, { cause }));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}
