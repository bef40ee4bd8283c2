import type { Message } from '../core/messages.js';
import type { Forward, PeerMessage, SnapshotAnnouncement, TransportHandlers } from '../transport/contract.js';
import type { MemberId } from '../types.js';

/** What happened outside, in the order in which it did, until the next round takes it. */
export type Happening =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'forward'; readonly from: MemberId; readonly forward: Forward }
  | { readonly type: 'snapshotArrived'; readonly announcement: SnapshotAnnouncement; readonly path: string }
  | { readonly type: 'snapshotSent'; readonly to: MemberId; readonly ok: boolean }
  | { readonly type: 'connected'; readonly peer: MemberId }
  | { readonly type: 'disconnected'; readonly peer: MemberId }
  | { readonly type: 'refused'; readonly peer: MemberId; readonly reason: string }
  | { readonly type: 'failed'; readonly error: unknown };

/** Collects what the transport reports. Raft messages beyond the bound are dropped, as a network may. */
export class Inbox implements TransportHandlers {
  /** Called after something was added. */
  wake: () => void = () => undefined;
  readonly #messagesMax: number;
  #happenings: Happening[] = [];

  constructor(messagesMax: number) {
    this.#messagesMax = messagesMax;
  }

  get isEmpty(): boolean {
    return this.#happenings.length === 0;
  }

  take(): readonly Happening[] {
    const taken = this.#happenings;
    this.#happenings = [];
    return taken;
  }

  add(happening: Happening): void {
    this.#happenings.push(happening);
    this.wake();
  }

  onMessage(from: MemberId, message: PeerMessage): void {
    if (this.#happenings.length >= this.#messagesMax) return;
    if (message.channel === 'forward') this.add({ type: 'forward', from, forward: message.message });
    // An announcement without its bytes is worthless; `onSnapshot` brings both.
    else if (message.message.type !== 'installSnapshot') this.add({ type: 'message', message: message.message });
  }

  onSnapshot(_from: MemberId, announcement: SnapshotAnnouncement, path: string): void {
    this.add({ type: 'snapshotArrived', announcement, path });
  }

  onPeerConnected(peer: MemberId): void {
    this.add({ type: 'connected', peer });
  }

  onPeerDisconnected(peer: MemberId): void {
    this.add({ type: 'disconnected', peer });
  }

  onRefused(peer: MemberId, reason: string): void {
    this.add({ type: 'refused', peer, reason });
  }
}
