import { performance } from 'node:perf_hooks';
import type { Core, MembershipChange } from '../core/contract.js';
import type { Message } from '../core/messages.js';
import type { Persist, Ready } from '../core/ready.js';
import { votersOf } from '../core/membership.js';
import type { RaftLog } from '../log/log.js';
import { failPoint } from '../failPoints.js';
import type { ReplicaStatus } from '../replicaApi.js';
import { readProposalId } from '../store/command.js';
import type { RangeOptions } from '../store/contract.js';
import type { Store } from '../store/store.js';
import type { Transport } from '../transport/contract.js';
import type { Entry, Membership, Revision } from '../types.js';
import { Administration } from './administration.js';
import { Barriers } from './barriers.js';
import { ReplicaError } from './errors.js';
import { Figures } from './figures.js';
import { FirstElection } from './firstElection.js';
import type { Input, Inbox } from './inbox.js';
import { LeaderContactIntervals } from './leaderContactIntervals.js';
import type { ReplicaLimits } from './limits.js';
import type { ProposeRequest } from './port.js';
import { Proposals } from './proposals.js';
import type { AttemptCounter, GivenUp } from './proposals.js';
import { tellMissed } from './missedChanges.js';
import { Sessions } from './sessions.js';
import type { ReplicaSink } from './sink.js';
import { TickTimer } from './ticker.js';
import { Snapshots } from './snapshots.js';
import type { SoleMember } from './soleMember.js';
import type { Space } from './space.js';
import { SpaceWatch } from './spaceWatch.js';
import type { Continuations } from './continuations.js';
import { describeStatus } from './status.js';
import { StoreMaintenance } from './storeMaintenance.js';
import { Trimmer } from './trimmer.js';
import { processorMs, SuspensionDetector } from './suspensionDetector.js';

/**
 * The loop of a replica. Input is collected while sockets are read; a round then passes it to the core and carries out the core's requests until there are
 * none:
 *
 *   sockets, port, timer --> collected --setImmediate--> round: core.step, tick, propose, read
 *                                                          '--> Ready: send, persist (one sync for all), send, apply, answer
 *
 * Any exception ends the replica: the others repair it. Over 500 lines, so that the order of effects can be read in one place.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #proposals: Proposals;
  readonly #limits: ReplicaLimits;
  readonly #sessions: Sessions;
  readonly #barriers: Barriers;
  readonly #snapshots: Snapshots;
  readonly #administration: Administration;
  readonly #trimmer: Trimmer;
  readonly #contactIntervals = new LeaderContactIntervals();
  readonly #figures = new Figures(performance.now());
  readonly #suspension: SuspensionDetector;
  readonly #firstElection: FirstElection;
  readonly #ticks: TickTimer;
  readonly #storeMaintenance: StoreMaintenance;
  readonly #spaceWatch: SpaceWatch;
  #scheduled = false;
  #membership: Membership | null = null;
  #leaderlessSince: number | null = null;
  #state: 'running' | 'stopping' | 'ended' = 'running';
  #drained: (() => void) | null = null;

  constructor(parts: EngineParts) {
    const { core, sink, inbox } = parts;
    this.#parts = parts;
    this.#limits = parts.limits;
    this.#sessions = new Sessions(this.#limits.sessionsMax);
    this.#barriers = new Barriers(this.#limits.barriersMax);
    this.#proposals = proposalsOf(parts);
    this.#spaceWatch = new SpaceWatch({
      space: parts.space,
      core,
      transport: () => parts.transport,
      isConnected: (peer) => this.#proposals.isConnected(peer),
      log: sink.log,
    });
    this.#snapshots = new Snapshots({
      directory: parts.snapshotDirectory,
      store: parts.store,
      transport: () => parts.transport,
      log: sink.log,
      space: parts.space,
      onSent: (to, ok) => inbox.add({ type: 'snapshotSent', to, ok }),
    });
    this.#administration = new Administration(core, sink, parts.electionTicks);
    this.#trimmer = trimmerOf(parts);
    this.#suspension = new SuspensionDetector(parts.electionTicks * parts.tickMs, performance.now(), {
      processorMs,
      continuations: parts.continuations,
    });
    inbox.wake = () => this.#schedule();
    this.#firstElection = new FirstElection(core, (peer) => this.#proposals.isConnected(peer), 2 * this.#limits.ticksPerHeartbeat);
    this.#storeMaintenance = new StoreMaintenance(parts.store, this.#limits.settleTicks);
    this.#ticks = new TickTimer(parts.tickMs, () => this.#schedule());
    this.#schedule();
  }

  propose({ sequence, timeoutMs, use, data }: ProposeRequest): void {
    const now = performance.now();
    this.#spaceWatch.look(now, this.#proposals.bytes);
    const refusal = this.#state === 'running' ? this.#spaceWatch.refusalOf(use) : null;
    if (refusal !== null) {
      this.#parts.sink.written(sequence, refusal);
      return this.#schedule();
    }
    const taken = this.#state === 'running' && this.#proposals.add({ sequence, data, deadlineMs: now + timeoutMs });
    this.#spaceWatch.take(data.length);
    if (!taken) this.#figures.proposalsRefused += 1;
    if (!taken)
      this.#parts.sink.written(sequence, {
        outcome: 'unavailable',
        reason: this.#state === 'running' ? 'too many writes wait' : 'the replica stops',
      });
    this.#schedule();
  }

  barrier(id: number, timeoutMs: number): void {
    const taken = this.#state === 'running' && this.#barriers.add(id, performance.now(), timeoutMs);
    if (!taken)
      this.#parts.sink.barrier(id, {
        outcome: 'unavailable',
        reason: this.#state === 'running' ? 'too many reads wait' : 'the replica stops',
      });
    this.#schedule();
  }

  range(id: number, options: RangeOptions): void {
    this.#guarded(() => this.#parts.sink.range(id, this.#parts.store.range(options)));
  }

  changesSince(id: number, after: Revision, bytesMax: number): void {
    this.#guarded(() => this.#parts.sink.changesSince(id, this.#parts.store.changesSince(after, bytesMax)));
  }

  status(id: number): void {
    this.#guarded(() => this.#parts.sink.status(id, this.currentStatus()));
  }

  currentStatus(): ReplicaStatus {
    const figures = this.#figures.describe(performance.now(), this.#proposals.size);
    return describeStatus({ ...this.#parts, snapshot: this.#snapshots.underWay }, this.#contactIntervals, {
      figures,
      space: this.#spaceWatch.describe(),
      peers: this.#parts.transport.peers(),
    });
  }

  get revision(): Revision {
    return this.#parts.store.revision;
  }

  get isAlone(): boolean {
    const { core } = this.#parts;
    return core.membership.members.every(({ id }) => id === core.id);
  }

  transferLeadership(id: number, timeoutMs: number): void {
    this.#guarded(() => this.#administration.transferLeadership(id, performance.now() + timeoutMs));
  }

  changeMembership(id: number, change: MembershipChange, timeoutMs: number): void {
    this.#guarded(() => this.#administration.changeMembership(id, change, performance.now() + timeoutMs));
  }

  snapshot(id: number): void {
    void this.#snapshots.copy().then((outcome) => {
      this.#parts.sink.snapshot(id, outcome);
      this.#parts.sink.flush();
    });
  }

  /** Waits a bounded time for pending writes and another leader. Never rejects. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    this.#parts.core.transferLeadership(null);
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, this.#limits.stopDrainMs);
      this.#drained = () => {
        clearTimeout(limit);
        resolve();
      };
      this.#schedule();
    });
    await this.#close(null);
  }

  #schedule(): void {
    if (this.#scheduled || this.#state === 'ended') return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#round();
    });
  }

  get #someoneWaits(): boolean {
    return this.#proposals.size + this.#barriers.size > 0 || this.#administration.waits;
  }

  #restTicks(): number {
    if (this.#someoneWaits || !this.#firstElection.isOver || this.#state === 'stopping') return 1;
    return Math.min(this.#parts.core.restTicks, this.#storeMaintenance.restTicks, Math.ceil(this.#limits.restMs / this.#parts.tickMs));
  }

  #guarded(action: () => void): void {
    if (this.#state === 'ended') return;
    try {
      action();
    } catch (error) {
      void this.#close(error);
    }
    this.#schedule();
  }

  #round(): void {
    if (this.#state === 'ended') return;
    this.#standDownIfStopped();
    this.#parts.transport.beat(performance.now());
    // A process that does not read its changes gets no more, and loses leadership.
    if (this.#parts.sink.unreadBytes > this.#limits.unreadBytesMax) return this.#ticks.pause();
    try {
      this.#spaceWatch.look(performance.now(), this.#proposals.bytes);
      const { quiet, due } = this.#ticks.take();
      for (let left = quiet; left > 0; left -= 1) this.#parts.core.tick();
      this.#storeMaintenance.quietTicks(quiet);
      for (const input of this.#parts.inbox.take()) this.#handle(input);
      // A stalled thread must handle waiting heartbeats before the due tick.
      if (due) this.#tick();
      if (this.#advance()) this.#schedule();
      this.#snapshots.discardArrived();
      this.#trim();
      this.#parts.sink.flush();
      if (this.#state === 'stopping' && this.#isDrained()) this.#drained?.();
      if (this.#someoneWaits) this.#parts.core.expectHeartbeat();
      this.#suspension.rests(this.#ticks.rest(this.#restTicks()));
    } catch (error) {
      void this.#close(error);
    }
  }

  /** Called before anything is sent. */
  #standDownIfStopped(): void {
    if (this.#suspension.stopped(performance.now())) this.#parts.core.stopped();
  }

  #handle(input: Input): void {
    const { core, sink } = this.#parts;
    switch (input.type) {
      case 'message':
        core.step(this.#spaceWatch.takesEntries ? input.message : withoutEntries(input.message));
        if (input.message.type === 'append' && input.message.from === core.leader) this.#contactIntervals.contact(performance.now());
        return;
      case 'forward':
        this.#onForward(input);
        return;
      case 'snapshotArrived':
        this.#snapshots.arrived(input.announcement.snapshot, input.path);
        // A snapshot that arrives during a copy is lost: the leader sends another.
        if (!this.#snapshots.copying) core.step(input.announcement);
        return;
      case 'snapshotSent':
        core.reportSnapshot(input.to, input.ok);
        return;
      case 'connected':
        this.#proposals.connected(input.peer);
        return;
      case 'disconnected':
        this.#proposals.disconnected(input.peer);
        core.reportUnreachable(input.peer);
        // The leader probably died; pre-vote finds out without disturbing it.
        if (core.leader === input.peer) core.campaignSoon();
        return;
      case 'peerSpace':
        this.#spaceWatch.peerAnnounced(input.peer, input.code);
        return;
      case 'refused':
        sink.log('error', 'refused by a peer', { peer: input.peer, reason: input.reason });
        throw new ReplicaError('REFUSED_BY_PEER', `${input.peer} refuses this replica for good: ${input.reason}`);
      case 'failed':
        throw input.error;
    }
  }

  #onForward({ from, forward }: Input & { type: 'forward' }): void {
    const { core, transport } = this.#parts;
    if (forward.type === 'refused') {
      this.#proposals.refused(from, forward);
      return;
    }
    // A message beyond our term has no certain answer.
    if (forward.term > core.term) return;
    const leads = core.role === 'leader' && core.term === forward.term;
    const append = (commands: readonly Uint8Array[]): boolean =>
      this.#spaceWatch.takesEntries && core.propose(commands).outcome === 'appended';
    const refusal = this.#sessions.receive(forward, leads, append);
    if (refusal !== null) transport.send(from, { channel: 'forward', message: refusal });
  }

  #tick(): void {
    this.#parts.core.tick();
    this.#proposals.tick();
    this.#barriers.tick();
    const now = performance.now();
    this.#giveUp(this.#proposals.expire(now), 'within the time limit');
    this.#giveUp(this.#proposals.stuck(), 'in the time in which a cluster with a majority finds a leader');
    this.#expireBarriers(now);
    this.#administration.tick();
    this.#administration.expire(now);
    this.#storeMaintenance.tick(this.#proposals.size > 0);
    this.#firstElection.tick();
  }

  #expireBarriers(now: number): void {
    const leaderless = this.#leaderlessSince !== null && now - this.#leaderlessSince >= this.#limits.leaderlessReadMs;
    const reason = leaderless
      ? 'no leader is known: a majority of the members is not there'
      : 'no leader confirmed the read within the time limit';
    for (const id of this.#barriers.expire(now, leaderless ? now - this.#limits.leaderlessReadMs : undefined))
      this.#parts.sink.barrier(id, { outcome: 'unavailable', reason });
  }

  #advance(): boolean {
    const { core, transport } = this.#parts;
    for (let turn = 0; turn < this.#limits.readiesPerRoundMax; turn += 1) {
      this.#offerProposals();
      const group = this.#barriers.begin();
      if (group !== null) core.read(group);
      const ready = core.ready();
      if (ready === null) {
        transport.flush();
        return false;
      }
      this.#carryOut(ready);
    }
    transport.flush();
    return true;
  }

  #offerProposals(): void {
    const { core, transport } = this.#parts;
    this.#proposals.leads(core.leader, core.term);
    for (let batch = this.#proposals.next(); batch !== null; batch = this.#proposals.next()) {
      if (batch.leader !== core.id) {
        const proposals = batch.proposals.map(({ sequence, data }) => ({ sequence, command: data }));
        const { term, attempt, part } = batch;
        transport.send(batch.leader, {
          channel: 'forward',
          message: { type: 'propose', term, session: this.#parts.session, attempt, part, proposals },
        });
        this.#proposals.sent(batch);
      } else if (this.#spaceWatch.takesEntries && core.propose(batch.proposals.map(({ data }) => data)).outcome === 'appended') {
        this.#proposals.sent(batch);
      } else {
        this.#proposals.delay();
      }
    }
  }

  #carryOut(ready: Ready): void {
    const { core, transport, soleMember } = this.#parts;
    soleMember.tell(core.role === 'leader' && core.membership.members.length === 1);
    this.#send(ready.immediate);
    this.#followMembership();
    if (ready.install !== null) this.#install(ready.install);
    // Followers sync at the same time.
    transport.flush();
    if (ready.persist !== null) this.#persist(ready.persist);
    if (ready.persist !== null || ready.install !== null) core.persisted();
    if (ready.persist !== null) this.#standDownIfStopped();
    this.#send(ready.afterSync);
    transport.flush();
    if (ready.committed.length > 0) this.#apply(ready.committed);
    for (const { id, index } of ready.reads) this.#barriers.confirmed(id, index);
    for (const id of ready.failedReads) this.#barriers.failed(id);
    this.#answerBarriers();
    if (ready.state !== null) this.#onState(ready.state);
  }

  #persist(what: Persist): void {
    this.#suspension.waits();
    const begun = performance.now();
    this.#parts.log.append(what);
    for (const { data } of what.entries) this.#spaceWatch.take(data.length);
    const took = performance.now() - begun;
    this.#figures.logSync.observe(took);
    this.#suspension.waited(took);
  }

  #send(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type === 'installSnapshot') this.#snapshots.send(message);
      else this.#parts.transport.send(message.to, { channel: 'raft', message });
    }
  }

  #install(meta: NonNullable<Ready['install']>): void {
    const { store, log, sink } = this.#parts;
    const before = store.revision;
    store.restoreFrom(this.#snapshots.take(meta), meta);
    failPoint?.('install.swapped');
    log.resetTo(meta);
    failPoint?.('install.done');
    this.#storeMaintenance.written();
    this.#figures.snapshotsInstalled += 1;
    sink.log('info', 'installed a snapshot', { index: meta.index, revision: store.revision });
    tellMissed(store, before, this.#limits.changesBytesMax, sink);
    this.#giveUp(this.#proposals.skipped(), 'because a snapshot replaced the log where its outcome stood');
  }

  #apply(entries: readonly Entry[]): void {
    const { core, store, sink } = this.#parts;
    const { compactedRevision } = store;
    this.#storeMaintenance.written();
    const { results, changes } = store.apply(entries);
    if (changes.length > 0 || store.compactedRevision !== compactedRevision)
      sink.changes(changes, store.revision, { compacted: store.compactedRevision });
    const last = entries[entries.length - 1] as Entry;
    core.applied(last.index);
    for (const [at, entry] of this.#proposals.size === 0 ? [] : entries.entries()) {
      const result = results[at];
      if (result === null || result === undefined) continue;
      const { session, sequence } = readProposalId(entry.data);
      if (session === this.#parts.session && this.#proposals.settle(sequence)) sink.written(sequence, result);
    }
    this.#proposals.applied(last.term);
    this.#administration.applied(entries);
    this.#trimmer.applied(entries);
    if (store.membership.removed.includes(core.id)) throw new ReplicaError('REMOVED', `member ${core.id} was removed from the cluster`);
  }

  #answerBarriers(): void {
    const { store, sink } = this.#parts;
    for (const id of this.#barriers.reached(store.appliedIndex)) sink.barrier(id, { outcome: 'reached', revision: store.revision });
  }

  #giveUp(givenUp: readonly GivenUp[], why: string): void {
    this.#figures.proposalsGivenUp += givenUp.length;
    for (const { sequence, inDoubt } of givenUp) {
      this.#parts.sink.written(
        sequence,
        inDoubt ? { outcome: 'unknown', reason: `not confirmed ${why}` } : { outcome: 'unavailable', reason: `no leader took it ${why}` },
      );
    }
  }

  #onState({ role, term, leader }: NonNullable<Ready['state']>): void {
    if (leader !== null) this.#firstElection.leaderKnown();
    this.#leaderlessSince = leader === null && this.#firstElection.isOver ? (this.#leaderlessSince ?? performance.now()) : null;
    this.#contactIntervals.changed();
    this.#figures.stateChanged(role, leader);
    this.#parts.sink.log('info', 'leadership', { role, term, leader: leader ?? 'none' });
    this.#administration.leadershipChanged();
  }

  #followMembership(): void {
    const { core, transport } = this.#parts;
    const { membership } = core;
    if (membership === this.#membership) return;
    this.#membership = membership;
    const peers = membership.members.filter(({ id }) => id !== core.id).map(({ id, address }) => [id, address] as const);
    transport.setPeers(new Map(peers), new Set(membership.removed));
  }

  #trim(): void {
    if (!this.#trimmer.checkpointIsDue) return;
    const { store, log } = this.#parts;
    this.#figures.checkpointed(performance.now());
    log.compactTo(this.#trimmer.cutAfterCheckpoint(store.checkpoint(), this.#snapshots.held));
  }

  #isDrained(): boolean {
    const { core } = this.#parts;
    const successor = votersOf(core.membership).some((id) => id !== core.id && this.#proposals.isConnected(id));
    return this.#proposals.size === 0 && !(core.role === 'leader' && successor);
  }

  async #close(failure: unknown): Promise<void> {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#ticks.stop();
    const { sink, store, log, transport } = this.#parts;
    this.#giveUp(this.#proposals.drain(), 'before the replica ended');
    for (const id of this.#barriers.expire(Infinity)) sink.barrier(id, { outcome: 'unavailable', reason: 'the replica ended' });
    this.#administration.expire(Infinity);
    let error = failure;
    await transport.close();
    await this.#snapshots.settled();
    this.#snapshots.discardArrived();
    try {
      if (error === null) store.checkpoint();
    } catch (cause) {
      error = cause;
    }
    try {
      log.close();
      store.close();
    } catch (cause) {
      // The first failure is reported.
      error ??= cause;
    }
    if (error !== null) sink.failed(error instanceof Error ? error : new Error(String(error)));
    sink.flush();
    this.#drained?.();
  }
}

const withoutEntries = (message: Message): Message =>
  message.type === 'append' && message.entries.length > 0 ? { ...message, entries: [] } : message;

export interface EngineParts {
  readonly core: Core;
  readonly log: RaftLog;
  readonly store: Store;
  readonly transport: Transport;
  readonly inbox: Inbox;
  readonly sink: ReplicaSink;
  readonly soleMember: SoleMember;
  readonly continuations: Continuations;
  readonly session: string;
  readonly attempts: AttemptCounter;
  readonly space: Space;
  readonly snapshotDirectory: string;
  readonly logEntriesKept: number;
  readonly tickMs: number;
  readonly electionTicks: number;
  readonly limits: ReplicaLimits;
}

const proposalsOf = ({ core, session, limits, electionTicks, attempts }: EngineParts): Proposals =>
  new Proposals({
    self: core.id,
    session,
    countMax: limits.proposalsMax,
    bytesMax: limits.proposalBytesMax,
    batchBytesMax: limits.batchBytesMax,
    resendTicks: 2 * electionTicks,
    waitTicks: limits.waitElections * electionTicks,
    attempts,
  });

const trimmerOf = ({ limits, logEntriesKept: entriesKept }: EngineParts): Trimmer =>
  new Trimmer({
    checkpointEntries: Math.min(limits.checkpointEntries, Math.max(limits.checkpointEntriesMin, entriesKept)),
    checkpointBytes: limits.checkpointBytes,
    entriesKept,
    bytesKeptMax: limits.logBytesKeptMax,
    bytesHeldMax: limits.logBytesHeldMax,
  });
