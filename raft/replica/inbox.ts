import type { Message } from '../core/messages.js';
import type { Forward, PeerMessage, SnapshotAnnouncement, TransportHandlers } from '../transport/contract.js';
import type { MemberId } from '../types.js';

export type Input =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'forward'; readonly from: MemberId; readonly forward: Forward }
  | { readonly type: 'snapshotArrived'; readonly announcement: SnapshotAnnouncement; readonly path: string }
  | { readonly type: 'snapshotSent'; readonly to: MemberId; readonly ok: boolean }
  | { readonly type: 'connected'; readonly peer: MemberId }
  | { readonly type: 'disconnected'; readonly peer: MemberId }
  | { readonly type: 'peerSpace'; readonly peer: MemberId; readonly code: number }
  | { readonly type: 'refused'; readonly peer: MemberId; readonly reason: string }
  | { readonly type: 'failed'; readonly error: unknown };

const messageOverheadBytes = 256;

/** Messages beyond the bounds are dropped, as by a network. */
export class Inbox implements TransportHandlers {
  wake: () => void = () => undefined;
  readonly #messagesMax: number;
  readonly #bytesMax: number;
  #inputs: Input[] = [];
  #bytes = 0;

  constructor(messagesMax: number, bytesMax: number) {
    this.#messagesMax = messagesMax;
    this.#bytesMax = bytesMax;
  }

  get isEmpty(): boolean {
    return this.#inputs.length === 0;
  }

  take(): readonly Input[] {
    const taken = this.#inputs;
    this.#inputs = [];
    this.#bytes = 0;
    return taken;
  }

  add(input: Input): void {
    this.#inputs.push(input);
    this.wake();
  }

  onMessage(from: MemberId, message: PeerMessage): void {
    const bytes = bytesOf(message);
    if (this.#inputs.length >= this.#messagesMax || (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax)) return;
    this.#bytes += bytes;
    if (message.channel === 'forward') this.add({ type: 'forward', from, forward: message.message });
    // An announcement without its bytes is useless; `onSnapshot` brings both.
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

  onPeerSpace(peer: MemberId, code: number): void {
    this.add({ type: 'peerSpace', peer, code });
  }

  onRefused(peer: MemberId, reason: string): void {
    this.add({ type: 'refused', peer, reason });
  }
}

function bytesOf(message: PeerMessage): number {
  const parts =
    message.channel === 'forward'
      ? message.message.type === 'propose'
        ? message.message.proposals.map(({ command }) => command)
        : []
      : message.message.type === 'append'
        ? message.message.entries.map(({ data }) => data)
        : [];
  return parts.reduce((sum, { length }) => sum + length, messageOverheadBytes);
}
