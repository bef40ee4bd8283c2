import type { Message } from '../core/messages.js';
import type { MemberId, SnapshotMeta, Term } from '../types.js';

/** Proposals on their way from a follower to the leader, and what became of them. Not part of the Raft core: it knows only appended entries. */
export type Forward =
  /** `term`: the term in which the sender believes the receiver leads; the receiver appends in that term or not at all. `sequence` grows by one for each proposal of `session`. */
  | { readonly type: 'propose'; readonly term: Term; readonly session: string; readonly proposals: readonly { readonly sequence: number; readonly command: Uint8Array }[] }
  | { readonly type: 'proposeReply'; readonly term: Term; readonly session: string; /** The receiver does not lead in that term, or its queue is full: none of these from `sequence` on was appended. */ readonly refusedFrom: number };

export type PeerMessage = { readonly channel: 'raft'; readonly message: Message } | { readonly channel: 'forward'; readonly message: Forward };

/** The way to the other replicas. Sending never blocks and never fails: what cannot be delivered is lost, as Raft expects. */
export interface Transport {
  send(to: MemberId, message: PeerMessage): void;
  /** Streams the file to a peer together with its announcement; at most one at a time for each peer. Resolves true once the peer has all of it, verified. */
  sendSnapshot(to: MemberId, announcement: Message & { readonly type: 'installSnapshot' }, path: string): Promise<boolean>;
  /** Adds, moves or removes peers when the membership changes. */
  setPeers(peers: ReadonlyMap<MemberId, string>): void;
  close(): Promise<void>;
}

/** What arrives. Called in order for each peer, never re-entrantly. */
export interface TransportHandlers {
  onMessage(from: MemberId, message: PeerMessage): void;
  /** A complete, verified snapshot waits at `path`; the receiver owns the file. */
  onSnapshot(from: MemberId, announcement: Message & { readonly type: 'installSnapshot' }, meta: SnapshotMeta, path: string): void;
  onPeerConnected(peer: MemberId): void;
  onPeerDisconnected(peer: MemberId): void;
  /** A peer remembers this identity with another disk, or as removed: this replica must stop (a wiped replica cannot rejoin under its old identity). */
  onRefused(peer: MemberId, reason: string): void;
}
