import type { Message } from '../core/messages.js';
import type { PeerStatus } from '../replica-api.js';
import type { MemberId, Term } from '../types.js';

/** Proposals from a follower to the leader, and their refusals. Not part of the Raft core, which knows only appended entries. */
export type Forward = ProposeForward | RefusedForward;

/**
 * `term` is the one in which the sender believes that the receiver leads; the receiver appends in that term or not at all. The messages of one session in one
 * term form a stream. If part of it may be lost, or was refused, the sender starts a new `attempt` and repeats everything unsettled; the receiver takes the
 * parts of an attempt in order, without a gap, and appends no sequence twice.
 */
export interface ProposeForward {
  readonly type: 'propose';
  readonly term: Term;
  readonly session: string;
  /** Grows with every new start. */
  readonly attempt: number;
  /** Counts the messages of an attempt from 0. */
  readonly part: number;
  readonly proposals: readonly { readonly sequence: number; readonly command: Uint8Array }[];
}

/** Answers a `propose` without effect. One with an effect gets no answer: its entries return through the log. */
export interface RefusedForward {
  readonly type: 'refused';
  readonly term: Term;
  readonly session: string;
  readonly attempt: number;
  /** True: the receiver leads in `term` (its queue is full, or a part is missing). False: it does not lead in `term`, and never will again. */
  readonly leads: boolean;
  /**
   * If `leads`: nothing from this sequence on has been appended in `term`, nor will be by this attempt. Otherwise: nothing from this
   * sequence on was or will be appended by this attempt; earlier attempts may have had more success.
   */
  readonly refusedFrom: number;
}

export type PeerMessage =
  { readonly channel: 'raft'; readonly message: Message } | { readonly channel: 'forward'; readonly message: Forward };

export type SnapshotAnnouncement = Message & { readonly type: 'installSnapshot' };

export type OnSnapshotProgress = (sentBytes: number, bytes: number) => void;

/** Sending never blocks and never fails: undeliverable messages are lost, as Raft expects. */
export interface Transport {
  /** Has the real port for 0; null if nothing listens. */
  readonly address: string | null;
  send(to: MemberId, message: PeerMessage): void;
  /** One write per peer. Called before anything that blocks the thread. */
  flush(): void;
  /**
   * Streams the file and its announcement to a peer; at most one at a time per peer. Resolves true once the peer has verified all of it. `onProgress` is called
   * for each piece passed to the operating system.
   */
  sendSnapshot(to: MemberId, announcement: SnapshotAnnouncement, path: string, onProgress?: OnSnapshotProgress): Promise<boolean>;
  /**
   * Pings peers every `transportLimits.pingMs` and gives them up after too many unanswered pings in a row. Call it whenever the owner is awake, and at least
   * that often: a call counts once at most, so that a stalled thread does not blame its peers.
   */
  beat(nowMs: number): void;
  /** Sends all peers, now and later, this disk's room: a small number that only their owners understand. Default: 3. */
  tellSpace(code: number): void;
  /** Connections of `removed` members are closed, and new ones refused. */
  setPeers(peers: ReadonlyMap<MemberId, string>, removed: ReadonlySet<MemberId>): void;
  peers(): readonly PeerStatus[];
  close(): Promise<void>;
}

/** Called in order for each peer, never re-entrantly. */
export interface TransportHandlers {
  onMessage(from: MemberId, message: PeerMessage): void;
  /** A complete, verified snapshot is at `path`; the receiver owns the file. */
  onSnapshot(from: MemberId, announcement: SnapshotAnnouncement, path: string): void;
  /** The connection for sending to `peer` is ready. Nothing sent earlier arrives later. */
  onPeerConnected(peer: MemberId): void;
  /** The connection for sending is lost; recent messages may or may not have arrived. */
  onPeerDisconnected(peer: MemberId): void;
  /** A ping reported the room on a peer's disk. */
  onPeerSpace(peer: MemberId, code: number): void;
  /** A peer knows this identity with another disk, or as removed: this replica must stop (a wiped replica cannot rejoin under its old identity). */
  onRefused(peer: MemberId, reason: string): void;
}

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, string | number>>) => void;
