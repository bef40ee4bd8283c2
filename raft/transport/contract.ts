import type { Message } from '../core/messages.js';
import type { PeerStatus } from '../replicaApi.js';
import type { MemberId, Term } from '../types.js';

/** Not part of the Raft core, which knows only appended entries. */
export type Forward = ProposeForward | RefusedForward;

/**
 * `term` is the one in which the sender believes that the receiver leads; the receiver appends in that term or not at all. The messages of one session and
 * term form a stream. If part of it may be lost, the sender repeats everything unsettled in a new `attempt`; the receiver takes an attempt in order, without a
 * gap, and appends no sequence twice.
 */
export interface ProposeForward {
  readonly type: 'propose';
  readonly term: Term;
  readonly session: string;
  /** Grows with every new start. */
  readonly attempt: number;
  readonly part: number;
  readonly proposals: readonly { readonly sequence: number; readonly command: Uint8Array }[];
}

/** Answers a `propose` without effect. One with an effect gets no answer: its entries return through the log. */
export interface RefusedForward {
  readonly type: 'refused';
  readonly term: Term;
  readonly session: string;
  readonly attempt: number;
  /** True: its queue is full, or a part is missing. False: it never leads in `term` again. */
  readonly leads: boolean;
  /**
   * If `leads`: nothing from this sequence on has been appended in `term`, nor will be by this attempt. Otherwise: nothing from this
   * sequence on was or will be appended by this attempt; earlier attempts may have had more success.
   */
  readonly refusedFrom: number;
}

export type PeerMessage =
  | { readonly channel: 'raft'; readonly message: Message }
  | { readonly channel: 'forward'; readonly message: Forward };

export type SnapshotAnnouncement = Message & { readonly type: 'installSnapshot' };

export type OnSnapshotProgress = (sentBytes: number, bytes: number) => void;

/** Sending never blocks or fails: undeliverable messages are lost. */
export interface Transport {
  readonly address: string | null;
  send(to: MemberId, message: PeerMessage): void;
  /** Called before anything that blocks the thread. */
  flush(): void;
  /** One at a time per peer. Resolves true once the peer has verified all of it. */
  sendSnapshot(to: MemberId, announcement: SnapshotAnnouncement, path: string, onProgress?: OnSnapshotProgress): Promise<boolean>;
  /** Pings peers every `transportLimits.pingMs`. Call it at least that often; a call counts once, so that a stalled thread does not blame its peers. */
  beat(nowMs: number): void;
  /** Sends all peers, now and later, this disk's room. Default: 3. */
  tellSpace(code: number): void;
  setPeers(peers: ReadonlyMap<MemberId, string>, removed: ReadonlySet<MemberId>): void;
  peers(): readonly PeerStatus[];
  close(): Promise<void>;
}

/** Called in order for each peer, never re-entrantly. */
export interface TransportHandlers {
  onMessage(from: MemberId, message: PeerMessage): void;
  /** The receiver owns the verified file at `path`. */
  onSnapshot(from: MemberId, announcement: SnapshotAnnouncement, path: string): void;
  /** Nothing sent earlier arrives later. */
  onPeerConnected(peer: MemberId): void;
  /** Recent messages may or may not have arrived. */
  onPeerDisconnected(peer: MemberId): void;
  onPeerSpace(peer: MemberId, code: number): void;
  /** This replica must stop: its identity was removed, or has another disk. */
  onRefused(peer: MemberId, reason: string): void;
}

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, string | number>>) => void;
