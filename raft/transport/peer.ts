import { performance } from 'node:perf_hooks';
import type { PeerStatus } from '../replicaApi.js';
import type { MemberId } from '../types.js';
import { ByteWriter } from './bytes.js';
import type { Connection } from './connection.js';
import type { Log, PeerMessage, TransportHandlers } from './contract.js';
import { dial } from './dial.js';
import type { DialOptions } from './dial.js';
import { writeForward, writeMessage } from './encoding.js';
import { frameKinds, spaceCodeDefault, writeFrame } from './frames.js';
import { finalRefusals } from './handshake.js';
import type { Refusal } from './handshake.js';
import { transportLimits } from './limits.js';
import { Pings } from './pings.js';
import { errorText } from '../errorText.js';

export interface PeerContext {
  readonly dialOptions: () => Omit<DialOptions, 'to' | 'address' | 'purpose'>;
  readonly handlers: TransportHandlers;
  readonly log: Log;
  readonly spaceCode: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * The only connection on which this replica sends to a peer, re-established whenever it is lost.
 *
 *   waiting --(timer, or the peer called us)--> dialling --(welcome)--> ready --(lost)--> waiting
 *
 * A new one begins only after the old one was abandoned, so messages arrive in sending order.
 */
export class Peer {
  readonly id: MemberId;
  readonly #context: PeerContext;
  #address: string;
  #connection: Connection | null = null;
  #ready = false;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #pings = new Pings(transportLimits.silentPingsMax);
  #pingedAtMs: number | null = null;
  #roundTripMs: number | null = null;
  #lastReason = '';
  #dropping = false;
  readonly #writer = new ByteWriter();

  constructor(id: MemberId, address: string, context: PeerContext) {
    this.id = id;
    this.#address = address;
    this.#context = context;
    this.#dial();
  }

  get status(): PeerStatus {
    return { id: this.id, connected: this.#ready, roundTripMs: this.#roundTripMs };
  }

  get address(): string {
    return this.#address;
  }

  send(message: PeerMessage): void {
    if (!this.#ready || this.#isFull()) return;
    if (message.channel === 'raft') writeFrame(this.#writer, frameKinds.raft, (writer) => writeMessage(writer, message.message));
    else writeFrame(this.#writer, frameKinds.forward, (writer) => writeForward(writer, message.message));
  }

  flush(): void {
    if (this.#writer.length === 0) return;
    this.#pings.spoke();
    this.#leave();
  }

  setAddress(address: string): void {
    if (address === this.#address) return;
    this.#address = address;
    this.#failures = 0;
    this.#connection?.close('the peer moved to another address');
  }

  /** The peer has just connected to us: dial now. */
  wake(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#dial();
  }

  beat(): void {
    if (this.#ready && this.#pings.beat()) this.#leave();
  }

  tellSpace(): void {
    if (!this.#ready) return;
    this.#pings.demand();
    this.#leave();
  }

  #leave(): void {
    const ping = this.#pings.take();
    if (ping === 'silent') {
      this.#connection?.close('the peer is silent');
      return;
    }
    if (ping === 'ping') {
      this.#pingedAtMs ??= performance.now();
      writeFrame(this.#writer, frameKinds.ping, (writer) => writer.u8(this.#context.spaceCode()));
    }
    this.#connection?.write(this.#writer.take());
  }

  #heard(): void {
    this.#pings.heard();
    if (this.#pingedAtMs !== null) this.#roundTripMs = performance.now() - this.#pingedAtMs;
    this.#pingedAtMs = null;
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    // The last queued messages are still sent.
    this.#connection?.close('closing', this.#ready ? this.#writer.take() : undefined);
  }

  #isFull(): boolean {
    const full = this.#writer.length + (this.#connection?.unsentBytes ?? 0) > transportLimits.sendQueueBytesMax;
    if (full && !this.#dropping) this.#context.log('warn', 'peer is too slow; messages to it are dropped', { peer: this.id });
    this.#dropping = full;
    return full;
  }

  #dial(): void {
    this.#timer = null;
    try {
      this.#connection = dial(
        { ...this.#context.dialOptions(), to: this.id, address: this.#address, purpose: 'messages' },
        {
          onWelcome: () => this.#welcomed(),
          onFrame: () => this.#heard(),
          onClose: (reason, refusal) => this.#lost(reason, refusal),
        },
      );
    } catch (error) {
      this.#lost(errorText(error), null);
    }
  }

  #welcomed(): void {
    this.#ready = true;
    this.#failures = 0;
    this.#pings = new Pings(transportLimits.silentPingsMax);
    this.#lastReason = '';
    this.#context.log('info', 'connected to peer', { peer: this.id, address: this.#address });
    this.#context.handlers.onPeerConnected(this.id);
    if (this.#context.spaceCode() !== spaceCodeDefault) this.tellSpace();
  }

  #lost(reason: string, refusal: Refusal | null): void {
    const wasReady = this.#ready;
    this.#ready = false;
    this.#pingedAtMs = null;
    this.#connection = null;
    this.#writer.cut(0);
    if (this.#closed) return;
    // Reported once for each new reason.
    if (reason !== this.#lastReason)
      this.#context.log('warn', wasReady ? 'connection to peer lost' : 'cannot connect to peer', {
        peer: this.id,
        address: this.#address,
        reason,
      });
    this.#lastReason = reason;
    this.#timer = setTimeout(() => this.#dial(), this.#reconnectMs());
    if (wasReady) this.#context.handlers.onPeerDisconnected(this.id);
    if (refusal !== null && finalRefusals.has(refusal.code)) this.#context.handlers.onRefused(this.id, refusal.reason);
  }

  /** Doubles with every failure; half of it is random. */
  #reconnectMs(): number {
    const most = Math.min(transportLimits.reconnectMostMs, transportLimits.reconnectFirstMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    return most * (0.5 + this.#context.random() / 2);
  }
}
