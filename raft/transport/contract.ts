import type { Message } from '../core/messages.js';
import type { PeerStatus } from '../replica-api.js';
import type { MemberId, Term } from '../types.js';

/** Proposals on their way from a follower to the leader, and what became of them. Not part of the Raft core: it knows only appended entries. */
export type Forward = ProposeForward | RefusedForward;

/**
 * `term`: the term in which the sender believes that the receiver leads; the receiver appends in that term or not at all.
 * The messages of one session in one term form a stream. Whenever something of it may be lost, or was refused, the sender starts a new `attempt`
 * and repeats everything unsettled; the receiver takes the parts of an attempt in order, without a gap, and appends no sequence twice.
 */
export interface ProposeForward {
  readonly type: 'propose';
  readonly term: Term;
  readonly session: string;
  /** Grows with every new start. */
  readonly attempt: number;
  /** Counts the messages of an attempt from 0. */
  readonly part: number;
  /** In rising order of sequence, over all parts of an attempt. */
  readonly proposals: readonly { readonly sequence: number; readonly command: Uint8Array }[];
}

/** Answers a `propose` that had no effect. One that had any is not answered: its entries come back through the log. */
export interface RefusedForward {
  readonly type: 'refused';
  readonly term: Term;
  readonly session: string;
  readonly attempt: number;
  /** True: the receiver leads in `term` (its queue is full, or a part is missing). False: it does not lead in `term`, and never will again. */
  readonly leads: boolean;
  /**
   * If `leads`: nothing from this sequence on has been appended in `term`, nor will it be by this attempt.
   * Otherwise: nothing from this sequence on was or will be appended by this attempt; earlier attempts may have had more success.
   */
  readonly refusedFrom: number;
}

export type PeerMessage =
  { readonly channel: 'raft'; readonly message: Message } | { readonly channel: 'forward'; readonly message: Forward };

export type SnapshotAnnouncement = Message & { readonly type: 'installSnapshot' };

/** How many bytes of all those of a snapshot are sent. */
export type OnSnapshotProgress = (sentBytes: number, bytes: number) => void;

/** The way to the other replicas. Sending never blocks and never fails: what cannot be delivered is lost, as Raft expects. */
export interface Transport {
  /** `host:port` where peers are accepted; the port is the real one also when 0 was asked for. Null when nothing listens. */
  readonly address: string | null;
  /** Queues a message for `flush`. */
  send(to: MemberId, message: PeerMessage): void;
  /** Hands everything queued to the operating system, one write for each peer. Called before anything that blocks the thread. */
  flush(): void;
  /**
   * Streams the file to a peer together with its announcement; at most one at a time for each peer. Resolves true once the peer has all of it, verified.
   * `onProgress` hears of each piece that was handed to the operating system.
   */
  sendSnapshot(to: MemberId, announcement: SnapshotAnnouncement, path: string, onProgress?: OnSnapshotProgress): Promise<boolean>;
  /**
   * Every `transportLimits.pingMs` peers are asked for signs of life, and given up when too many in a row had no answer. To be called whenever the owner is awake,
   * and at least that often: a call beats once at most, so a thread that was stalled does not blame its peers.
   */
  beat(nowMs: number): void;
  /** Tells all peers, and those that connect later, how much room the disk of this replica has: a small number that only their owners understand, 3 unless told. */
  tellSpace(code: number): void;
  /** Adds, moves or removes peers when the membership changes. Connections of `removed` members are closed, and new ones refused. */
  setPeers(peers: ReadonlyMap<MemberId, string>, removed: ReadonlySet<MemberId>): void;
  /** The peers to which this replica sends, as they are now. */
  peers(): readonly PeerStatus[];
  close(): Promise<void>;
}

/** What arrives. Called in order for each peer, never re-entrantly. */
export interface TransportHandlers {
  onMessage(from: MemberId, message: PeerMessage): void;
  /** A complete, verified snapshot waits at `path`; the receiver owns the file. */
  onSnapshot(from: MemberId, announcement: SnapshotAnnouncement, path: string): void;
  /** The connection for sending to `peer` is ready. Nothing sent before this call arrives after it. */
  onPeerConnected(peer: MemberId): void;
  /** The connection for sending is lost; what was sent lately may or may not have arrived. */
  onPeerDisconnected(peer: MemberId): void;
  /** How much room a peer has on its disk; told with each of its pings. */
  onPeerSpace(peer: MemberId, code: number): void;
  /** A peer remembers this identity with another disk, or as removed: this replica must stop (a wiped replica cannot rejoin under its old identity). */
  onRefused(peer: MemberId, reason: string): void;
}

/** One line for the log: a sentence, and the facts that belong to it. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, string | number>>) => void;
