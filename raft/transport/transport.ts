import type { PeerStatus } from '../replicaApi.js';
import type { MemberId } from '../types.js';
import { hostOf, plainAddress } from './address.js';
import type { TlsFiles } from './certificate.js';
import type { Log, OnSnapshotProgress, PeerMessage, SnapshotAnnouncement, Transport, TransportHandlers } from './contract.js';
import type { DialOptions } from './dial.js';
import { spaceCodeDefault } from './frames.js';
import type { CallerRecords, Hello, Identity, Remember } from './handshake.js';
import { Inbound } from './inbound.js';
import type { InboundContext } from './inbound.js';
import { transportLimits } from './limits.js';
import { Peer } from './peer.js';
import type { PeerContext } from './peer.js';
import { Reception } from './reception.js';
import { sendSnapshotFile } from './snapshotSender.js';
import { errorText } from '../errorText.js';

export interface TransportOptions {
  readonly self: Identity;
  readonly listenAddress: string | null;
  /** Null for the listening address. */
  readonly advertisedAddress: string | null;
  readonly tls: TlsFiles | null;
  readonly remember: Remember;
  /** See `Acquaintance.isAlone`. */
  readonly isAlone?: () => boolean;
  readonly handlers: TransportHandlers;
  readonly snapshotDirectory: string;
  readonly reserveOf: (fileSystemBytes: number) => number;
  readonly log: Log;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Rejects for an occupied or invalid address, or an unusable certificate file. `setPeers` adds the peers. */
export async function createTransport(options: TransportOptions): Promise<Transport> {
  const transport = new TlsTransport(options);
  await transport.listen();
  return transport;
}

class TlsTransport implements Transport, InboundContext {
  readonly self: Identity;
  readonly known: CallerRecords;
  readonly handlers: TransportHandlers;
  readonly snapshotDirectory: string;
  readonly reserveOf: (fileSystemBytes: number) => number;
  readonly log: Log;
  address: string | null = null;
  readonly #options: TransportOptions;
  readonly #peers = new Map<MemberId, Peer>();
  /** Outside the known membership. */
  readonly #nonMembers = new Set<MemberId>();
  readonly #inbounds = new Set<Inbound>();
  readonly #messagesFrom = new Map<MemberId, Inbound>();
  readonly #snapshotsFrom = new Map<MemberId, Inbound>();
  readonly #callersFrom = new Set<string>();
  #memberHosts: ReadonlySet<string> = new Set();
  readonly #snapshots = new Map<MemberId, AbortController>();
  #removed: ReadonlySet<MemberId> = new Set();
  #reception: Reception | null = null;
  #beatAt = performance.now() + transportLimits.pingMs;
  #beatsSinceRenewal = 0;
  #spaceCode: number = spaceCodeDefault;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.self = options.self;
    this.handlers = options.handlers;
    this.snapshotDirectory = options.snapshotDirectory;
    this.reserveOf = options.reserveOf;
    this.log = options.log;
    this.known = { isRemoved: (id) => this.#removed.has(id), isAlone: options.isAlone ?? (() => false), remember: options.remember };
  }

  async listen(): Promise<void> {
    const { listenAddress, tls } = this.#options;
    if (listenAddress === null) return;
    if (tls === null) throw new Error('a replica that listens for peers needs certificates');
    this.#reception = new Reception({
      tls,
      log: this.log,
      isMembers: (address) => this.#memberHosts.has(address) || this.#callersFrom.has(address),
      onSecure: (socket) => this.#inbounds.add(new Inbound(socket, this)),
    });
    await this.#reception.listen(listenAddress);
    this.address = this.#reception.address;
  }

  send(to: MemberId, message: PeerMessage): void {
    this.#peers.get(to)?.send(message);
  }

  flush(): void {
    for (const peer of this.#peers.values()) peer.flush();
  }

  tellSpace(code: number): void {
    this.#spaceCode = code;
    for (const peer of this.#peers.values()) peer.tellSpace();
  }

  setPeers(peers: ReadonlyMap<MemberId, string>, removed: ReadonlySet<MemberId>): void {
    this.#removed = removed;
    this.#memberHosts = new Set([...peers.values()].map(hostOf));
    for (const connections of [this.#messagesFrom, this.#snapshotsFrom]) {
      for (const [id, inbound] of connections) if (removed.has(id)) inbound.close('the peer was removed from the cluster');
    }
    for (const id of this.#peers.keys()) if (removed.has(id) || !(peers.has(id) || this.#nonMembers.has(id))) this.#forget(id);
    for (const [id, address] of peers) {
      this.#nonMembers.delete(id);
      this.#meet(id, address);
    }
  }

  async sendSnapshot(to: MemberId, announcement: SnapshotAnnouncement, path: string, onProgress?: OnSnapshotProgress): Promise<boolean> {
    const peer = this.#peers.get(to);
    if (peer === undefined || this.#snapshots.has(to) || this.#closed) return false;
    const abort = new AbortController();
    this.#snapshots.set(to, abort);
    try {
      const dial = { ...this.#dialOptions(), to, address: peer.address, purpose: 'snapshot' } as const;
      await sendSnapshotFile(dial, { announcement, path, signal: abort.signal, onProgress });
      return true;
    } catch (error) {
      this.log('warn', 'a snapshot could not be sent', { peer: to, reason: errorText(error) });
      return false;
    } finally {
      this.#snapshots.delete(to);
    }
  }

  beat(nowMs: number): void {
    if (nowMs < this.#beatAt) return;
    this.#beatAt = nowMs + transportLimits.pingMs;
    for (const peer of this.#peers.values()) peer.beat();
    for (const inbound of this.#inbounds) inbound.beat();
    this.#beatsSinceRenewal += 1;
    if (this.#beatsSinceRenewal < transportLimits.certificateCheckPings) return;
    this.#beatsSinceRenewal = 0;
    this.#reception?.renew();
  }

  peers(): readonly PeerStatus[] {
    return [...this.#peers.values()].map((peer) => peer.status);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const abort of this.#snapshots.values()) abort.abort();
    for (const id of [...this.#peers.keys()]) this.#forget(id);
    const finished = [...this.#inbounds].map((inbound) => inbound.finished);
    for (const inbound of this.#inbounds) inbound.close('closing');
    await Promise.all([...finished, this.#reception?.close()]);
  }

  onWelcomed(inbound: Inbound, hello: Hello): void {
    this.#reception?.welcomed(inbound.socket);
    this.#rememberCaller(inbound.socket.remoteAddress);
    // Late input of an abandoned connection must not follow what arrives here.
    const connections = hello.purpose === 'messages' ? this.#messagesFrom : this.#snapshotsFrom;
    connections.get(hello.id)?.close('the peer connected again');
    connections.set(hello.id, inbound);
    if (hello.purpose !== 'messages') return;
    if (!this.#peers.has(hello.id) && hello.address !== '') this.#meetNonMember(hello.id, hello.address);
    this.#peers.get(hello.id)?.wake();
  }

  onClosed(inbound: Inbound): void {
    this.#inbounds.delete(inbound);
    for (const connections of [this.#messagesFrom, this.#snapshotsFrom])
      for (const [id, current] of connections) if (current === inbound) connections.delete(id);
  }

  #rememberCaller(address: string | undefined): void {
    const plain = address === undefined ? '' : plainAddress(address);
    if (plain === '' || this.#callersFrom.has(plain)) return;
    const [oldest] = this.#callersFrom;
    if (oldest !== undefined && this.#callersFrom.size >= transportLimits.memberAddressesMax) this.#callersFrom.delete(oldest);
    this.#callersFrom.add(plain);
  }

  #meetNonMember(id: MemberId, address: string): void {
    const [oldest] = this.#nonMembers;
    if (oldest !== undefined && this.#nonMembers.size >= transportLimits.nonMembersMax) this.#forget(oldest);
    this.#nonMembers.add(id);
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
    this.#nonMembers.delete(id);
  }

  #peerContext(): PeerContext {
    return {
      dialOptions: () => this.#dialOptions(),
      handlers: this.handlers,
      log: this.log,
      spaceCode: () => this.#spaceCode,
      random: this.#options.random,
    };
  }

  #dialOptions(): Omit<DialOptions, 'to' | 'address' | 'purpose'> {
    if (this.#options.tls === null) throw new Error('a replica with peers needs certificates');
    return {
      self: this.self,
      selfAddress: this.#options.advertisedAddress ?? this.address ?? '',
      tls: this.#options.tls,
      known: this.known,
    };
  }
}
