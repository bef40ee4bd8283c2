import type { Entry, HardState, LogIndex, MemberId, Membership, Term } from '../types.js';
import { dropExtension } from './quiescence.js';
import { changeMembership } from './change.js';
import type { ChangeResult, Core, CoreOptions, FollowerProgress, MembershipChange, ProposeResult } from './contract.js';
import {
  electionRest,
  campaignSoon,
  onPreVote,
  onPreVoteReply,
  onTimeoutNow,
  onVote,
  onVoteDurable,
  onVoteReply,
  standDown,
  tickElection,
} from './election.js';
import { onAppend, onInstallSnapshot } from './following.js';
import { invariant } from './invariant.js';
import { limits } from './limits.js';
import type { Message, MessageOf, MessageType } from './messages.js';
import { confirmRounds, flushReads, onReadIndex, onReadIndexReply } from './readIndex.js';
import type { Persist, Ready, Role } from './ready.js';
import {
  advanceCommit,
  flushAppends,
  isActive,
  leaderRest,
  onAppendReply,
  reportSnapshot,
  reportUnreachable,
  tickLeader,
} from './replication.js';
import { appendOwn } from './roles.js';
import { Server } from './server.js';
import type { Rules } from './server.js';
import { admit } from './terms.js';
import { transferLeadership } from './transfer.js';

type MessageByType = { readonly [T in MessageType]: MessageOf<T> };

const handlers: { readonly [T in MessageType]: (server: Server, message: MessageByType[T]) => void } = {
  preVote: onPreVote,
  preVoteReply: onPreVoteReply,
  vote: onVote,
  voteReply: onVoteReply,
  append: onAppend,
  appendReply: (server, message) => {
    onAppendReply(server, message);
    confirmRounds(server);
  },
  installSnapshot: onInstallSnapshot,
  readIndex: onReadIndex,
  readIndexReply: onReadIndexReply,
  timeoutNow: onTimeoutNow,
};

function handle<T extends MessageType>(type: T, server: Server, message: MessageByType[T]): void {
  handlers[type](server, message);
}

type Published = { readonly role: Role; readonly term: Term; readonly leader: MemberId | null };

export class Machine implements Core {
  readonly #server: Server;
  #persisting: { readonly hardState: HardState | null } | null = null;
  #published: Published | null = null;

  constructor(options: CoreOptions, rules: Rules) {
    this.#server = new Server(options, rules);
  }

  get id(): MemberId {
    return this.#server.id;
  }
  get role(): Role {
    return this.#server.role;
  }
  get term(): Term {
    return this.#server.term;
  }
  get leader(): MemberId | null {
    return this.#server.leader;
  }
  get commit(): LogIndex {
    return this.#server.log.commit;
  }
  get electionTimeoutTicks(): number {
    return this.#server.adaptiveTimeout.ticks;
  }
  get restTicks(): number {
    const server = this.#server;
    return server.leadership === null ? electionRest(server) : leaderRest(server, server.leadership);
  }
  get membership(): Membership {
    return this.#server.memberships.current;
  }

  tick(): void {
    const server = this.#server;
    server.now++;
    server.adaptiveTimeout.tick(server.now);
    if (server.leadership === null) tickElection(server);
    else tickLeader(server, server.leadership);
    server.reads.expire(server.now - server.options.electionTicks);
  }

  campaignSoon(): void {
    campaignSoon(this.#server);
  }

  stopped(): void {
    standDown(this.#server);
  }

  expectHeartbeat(): void {
    dropExtension(this.#server);
  }

  step(message: Message): void {
    invariant(message.to === this.id, 'a message reaches the server that it is for', () => ({
      id: this.id,
      to: message.to,
      from: message.from,
      type: message.type,
    }));
    if (admit(this.#server, message)) handle(message.type, this.#server, message);
  }

  propose(commands: readonly Uint8Array[]): ProposeResult {
    if (commands.length === 0) throw new RangeError('propose needs at least one command');
    const { leadership, log, options, term } = this.#server;
    if (leadership === null || leadership.transfer !== null) return this.#notLeader();
    const bytes = commands.reduce((sum, data) => sum + data.length + limits.entryOverheadBytes, 0);
    // A single proposal may exceed the bound.
    if (log.uncommittedBytes > 0 && log.uncommittedBytes + bytes > options.uncommittedBytesMax) return { outcome: 'full' };
    const first = (log.lastIndex + 1) as LogIndex;
    appendOwn(
      this.#server,
      commands.map((data) => ({ kind: 'command', data })),
    );
    return { outcome: 'appended', first, term };
  }

  changeMembership(change: MembershipChange): ChangeResult {
    const { leadership } = this.#server;
    return leadership === null || leadership.transfer !== null ? this.#notLeader() : changeMembership(this.#server, leadership, change);
  }

  read(id: number): void {
    this.#server.reads.addLocal(id, this.#server.now);
  }

  transferLeadership(to: MemberId | null): void {
    if (this.#server.leadership !== null) flushAppends(this.#server, this.#server.leadership);
    transferLeadership(this.#server, to);
  }

  reportSnapshot(to: MemberId, ok: boolean): void {
    reportSnapshot(this.#server, to, ok);
  }

  reportUnreachable(to: MemberId): void {
    reportUnreachable(this.#server, to);
  }

  ready(): Ready | null {
    invariant(this.#persisting === null, 'a Ready is carried out before the next one is asked for', () => ({ id: this.id }));
    const server = this.#server;
    flushReads(server);
    if (server.leadership !== null) flushAppends(server, server.leadership);
    const { install, persist } = this.#takePersist();
    const { answered: reads, failed: failedReads } = server.reads.take();
    const { immediate, afterSync } = this.#takeMessages();
    const ready = {
      immediate,
      install,
      persist,
      afterSync,
      committed: this.#takeCommitted(),
      reads,
      failedReads,
      state: this.#takeState(),
    };
    return isEmpty(ready) ? null : ready;
  }

  persisted(): void {
    const server = this.#server;
    if (this.#persisting === null) return;
    server.durable = this.#persisting.hardState ?? server.durable;
    this.#persisting = null;
    server.log.persisted();
    onVoteDurable(server);
    if (server.leadership !== null) advanceCommit(server, server.leadership);
  }

  applied(index: LogIndex): void {
    invariant(index <= this.#server.applying, 'only what was handed out is applied', () => ({ index, handedOut: this.#server.applying }));
    if (index > this.#server.applied) this.#server.applied = index;
  }

  progress(): ReadonlyMap<MemberId, FollowerProgress> | null {
    const { leadership } = this.#server;
    if (leadership === null) return null;
    const { now } = this.#server;
    return new Map(
      [...leadership.peers.values()].map((peer) => [
        peer.id,
        { match: peer.match, state: peer.state, active: isActive(this.#server, peer), silentTicks: now - peer.activeAt },
      ]),
    );
  }

  #notLeader(): ProposeResult & { outcome: 'notLeader' } {
    const { leader, id } = this.#server;
    return { outcome: 'notLeader', leader: leader === id ? null : leader };
  }

  /** The commit index alone is not worth a sync. */
  #takePersist(): Pick<Ready, 'install' | 'persist'> {
    const { log, term, vote, durable } = this.#server;
    const { install, entries } = log.hand();
    const mustSave = term !== durable.term || vote !== durable.vote || install !== null;
    const maySave = entries.length > 0 && log.commit !== durable.commit;
    const hardState = mustSave || maySave ? { term, vote, commit: log.commit } : null;
    const persist: Persist | null = hardState === null && entries.length === 0 ? null : { hardState, entries };
    if (persist !== null) this.#persisting = { hardState };
    return { install, persist };
  }

  /** Later decisions must not bypass the disk. */
  #takeMessages(): Pick<Ready, 'immediate' | 'afterSync'> {
    const server = this.#server;
    const { immediate, afterSync } = server;
    server.immediate = [];
    server.afterSync = [];
    return { immediate, afterSync };
  }

  /** Waits until the previous entries are applied. All are durable after `persist`. */
  #takeCommitted(): readonly Entry[] {
    const server = this.#server;
    if (server.applied < server.applying || server.applying >= server.log.commit) return [];
    const committed = server.log.slice(server.applying + 1, server.log.commit, server.options.committedBytesMax);
    server.applying = committed[committed.length - 1]?.index ?? server.applying;
    return committed;
  }

  #takeState(): Published | null {
    const { role, term, leader } = this.#server;
    if (this.#published !== null && this.#published.role === role && this.#published.term === term && this.#published.leader === leader)
      return null;
    this.#published = { role, term, leader };
    return this.#published;
  }
}

function isEmpty(ready: Ready): boolean {
  return (
    ready.immediate.length === 0 &&
    ready.afterSync.length === 0 &&
    ready.persist === null &&
    ready.install === null &&
    ready.committed.length === 0 &&
    ready.reads.length === 0 &&
    ready.failedReads.length === 0 &&
    ready.state === null
  );
}
