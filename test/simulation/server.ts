import { logIndex } from '../../raft/types.js';
import type { Entry, LogIndex, MemberId, Membership, Term } from '../../raft/types.js';
import type { Core, CoreOptions } from '../../raft/core/contract.js';
import type { Message } from '../../raft/core/messages.js';
import type { Ready } from '../../raft/core/ready.js';
import type { Checker, Observed } from './checker.js';
import type { Counts } from './counts.js';
import { Disk } from './disk.js';
import type { DiskFaults } from './disk.js';
import { apply, metaOf } from './store.js';
import type { StoreState } from './store.js';

export type Stage = (server: SimulatedServer, ready: Ready) => void;

/** A server's dependencies; broken modes replace some. */
export interface Surroundings {
  readonly makeCore: (options: CoreOptions) => Core;
  readonly disk: DiskFaults;
  readonly stages: readonly Stage[];
  readonly checker: Checker;
  readonly counts: Counts;
  readonly settings: Omit<CoreOptions, 'id' | 'hardState' | 'membership' | 'appliedIndex' | 'log' | 'snapshotSource'>;
  /** Receives a line for each event, or null. */
  readonly trace: ((line: string) => void) | null;
  readonly elected: (server: SimulatedServer) => void;
  readonly send: (message: Message, snapshot: StoreState | null) => void;
}

export const stages = {
  sendImmediate: (server, ready) => server.send(ready.immediate),
  write: (server, ready) => server.write(ready),
  sync: (server, ready) => server.sync(ready),
  sendAfterSync: (server, ready) => server.send(ready.afterSync),
  apply: (server, ready) => server.apply(ready),
  answerReads: (server, ready) => server.answerReads(ready),
} satisfies Record<string, Stage>;

/** The order that `Ready` requires; see raft/core/ready.ts. */
export const orderedStages: readonly Stage[] = [
  stages.sendImmediate,
  stages.write,
  stages.sync,
  stages.sendAfterSync,
  stages.apply,
  stages.answerReads,
];

/** A server: core, disk, store, and waiting clients. A crash keeps only the disk. */
export class SimulatedServer implements Observed {
  readonly #around: Surroundings;
  readonly disk: Disk;
  life = 0;
  stalledUntil = 0;
  core: Core | null = null;
  store: StoreState;
  hasPromised = false;
  #current: { readonly ready: Ready; readonly membership: Membership; stage: number } | null = null;
  /** Received snapshots by index and term; the store discards old ones. */
  #received: StoreState[] = [];
  #writes: { readonly index: LogIndex; readonly term: Term }[] = [];
  #reads = new Map<number, { readonly floor: number; index: LogIndex | null }>();
  #nextRead = 1;
  #wasLeader = false;

  constructor(
    readonly id: MemberId,
    initial: StoreState,
    around: Surroundings,
  ) {
    this.#around = around;
    this.disk = new Disk(initial, around.disk);
    this.store = initial;
  }

  get isLeader(): boolean {
    return this.core?.role === 'leader';
  }

  get term(): Term {
    return this.core?.term ?? this.disk.hardState.term;
  }

  get isInsideReady(): boolean {
    return this.#current !== null;
  }

  termAt(index: number): Term | null {
    // Entries before the log are in the store, and were compared when applied.
    if (index < this.disk.firstIndex - 1) return this.core?.role === 'leader' ? this.#around.checker.termOfChosen(index) : null;
    return this.disk.termAt(logIndex(index));
  }

  start(): void {
    this.life++;
    this.#around.trace?.(
      `${this.id} starts life ${this.life}: ${JSON.stringify(this.disk.hardState)} log ${this.disk.firstIndex} to ${this.disk.lastIndex}`,
    );
    this.store = this.disk.checkpoint;
    const { settings, makeCore } = this.#around;
    this.core = makeCore({
      ...settings,
      id: this.id,
      hardState: this.disk.hardState,
      membership: this.store.membership,
      appliedIndex: this.store.index,
      log: this.disk,
      snapshotSource: () => metaOf(this.store),
    });
  }

  crash(writeSurvives: boolean): void {
    this.#around.trace?.(`${this.id} crashes${this.#current === null ? '' : ` before stage ${this.#current.stage} of its Ready`}`);
    this.#around.counts.crashes++;
    if (this.#current !== null) this.#around.counts.crashesInsideReady++;
    this.core = null;
    this.#current = null;
    this.#wasLeader = false;
    this.#received = [];
    this.#writes = [];
    this.#reads.clear();
    this.disk.crash(writeSurvives);
  }

  receive(message: Message, snapshot: StoreState | null): void {
    this.#around.trace?.(`${this.id} <- ${message.from} ${describeMessage(message)}`);
    // A snapshot may be newer than its announcement, which follows it.
    if (snapshot !== null) this.#received.push(snapshot);
    const arrived = message.type === 'installSnapshot' && snapshot !== null ? { ...message, snapshot: metaOf(snapshot) } : message;
    this.core?.step(arrived);
  }

  /** Proposes a client's write, which is acknowledged when this server has applied it. */
  propose(commands: readonly Uint8Array[]): void {
    const result = this.core?.propose(commands);
    if (result?.outcome !== 'appended') return;
    for (let at = 0; at < commands.length; at++) this.#writes.push({ index: logIndex(result.first + at), term: result.term });
  }

  read(): void {
    const id = this.#nextRead++;
    this.#reads.set(id, { floor: this.#around.checker.floor, index: null });
    this.core?.read(id);
  }

  /** Runs the next stage of the current Ready, or begins one. Returns false without work. */
  work(): boolean {
    if (this.core === null) return false;
    if (this.#current === null) {
      const ready = this.core.ready();
      if (ready === null) return false;
      this.#noteState(ready);
      this.#current = { ready, membership: this.core.membership, stage: 0 };
    }
    const { ready, stage } = this.#current;
    this.hasPromised = this.#around.stages[stage] === stages.sendAfterSync && ready.afterSync.length > 0;
    this.#around.stages[stage]?.(this, ready);
    if (this.#current !== null && ++this.#current.stage === this.#around.stages.length) this.#current = null;
    return true;
  }

  send(messages: readonly Message[]): void {
    for (const message of messages) this.#around.send(message, message.type === 'installSnapshot' ? this.store : null);
  }

  write({ persist, install }: Ready): void {
    const state = install === null ? undefined : this.#received.find(({ index, term }) => index === install.index && term === install.term);
    if (install !== null && state === undefined)
      throw new Error(`${this.id} is to install a snapshot of ${install.index} that it never received`);
    this.disk.write({ persist, install: install === null || state === undefined ? null : { meta: install, state } });
  }

  sync({ persist, install }: Ready): void {
    const before = this.disk.lastIndex;
    if (persist !== null)
      this.#around.trace?.(
        `${this.id} syncs ${JSON.stringify(persist.hardState)} ${describeEntries(persist.entries)}${install === null ? '' : ` snapshot ${install.index}`}`,
      );
    this.disk.sync();
    const [first] = persist?.entries ?? [];
    if (first !== undefined && first.index <= before && install === null) this.#around.counts.entriesOverwritten++;
    for (const entry of persist?.entries ?? []) this.#around.checker.wrote(this.id, entry, this.disk.termAt(logIndex(entry.index - 1)));
    if (install !== null) this.#installed();
    if (this.#current !== null) this.#around.checker.usesMembership(this.id, this.#current.membership, this.disk.membership());
    this.core?.persisted();
  }

  apply({ committed }: Ready): void {
    if (committed.length > 0) this.#around.trace?.(`${this.id} applies ${describeEntries(committed)}`);
    for (const entry of committed) {
      if (this.disk.termAt(entry.index) !== entry.term)
        throw new Error(`${this.id} is to apply entry ${entry.index} before it is on its disk`);
      this.#around.checker.committed(this, entry);
      this.store = apply(this.store, entry);
      this.#around.checker.applied(this.id, this.store);
    }
    if (committed.length > 0) this.core?.applied(this.store.index);
    this.#acknowledge();
  }

  answerReads({ reads, failedReads }: Ready): void {
    for (const id of failedReads) {
      if (!this.#reads.delete(id)) throw new Error(`${this.id} failed the read ${id}, which is not under way`);
      this.#around.counts.readsFailed++;
    }
    for (const { id, index } of reads) {
      const read = this.#reads.get(id);
      if (read === undefined || read.index !== null) throw new Error(`${this.id} answered the read ${id}, which is not under way`);
      read.index = index;
    }
    for (const [id, { floor, index }] of this.#reads) {
      if (index === null || index > this.store.index) continue;
      this.#reads.delete(id);
      this.#around.counts.readsServed++;
      this.#around.checker.readDone(this.id, this.store.index, floor);
    }
  }

  /** Takes a checkpoint and cuts the log except the last `kept` entries. */
  compact(kept: number): void {
    this.#around.counts.compactions++;
    this.disk.compact(this.store, this.store.index - kept);
  }

  #installed(): void {
    this.#around.counts.snapshotsInstalled++;
    this.store = this.disk.checkpoint;
    this.#received = this.#received.filter(({ index }) => index > this.store.index);
    this.#around.checker.applied(this.id, this.store);
    // Writes that the snapshot covers cannot be identified: their clients time out.
    this.#writes = this.#writes.filter(({ index }) => index > this.store.index);
  }

  #acknowledge(): void {
    while (this.#writes[0] !== undefined && this.#writes[0].index <= this.store.index) {
      const { index, term } = this.#writes[0];
      this.#writes.shift();
      if (this.#around.checker.termOfChosen(index) !== term) continue; // overwritten: definitely not written
      this.#around.counts.writesAcknowledged++;
      this.#around.checker.acknowledged(index);
    }
  }

  #noteState({ state }: Ready): void {
    if (state === null) return;
    this.#around.trace?.(`${this.id} is ${state.role} of term ${state.term}, leader ${state.leader ?? 'unknown'}`);
    const isNew = state.role === 'leader' && !this.#wasLeader;
    this.#wasLeader = state.role === 'leader';
    if (!isNew) return;
    this.#around.counts.elections++;
    this.#around.elected(this);
  }
}

function describeMessage({ from: _from, to: _to, ...rest }: Message): string {
  const { type, term, ...body } = rest;
  return `${type} term ${term} ${JSON.stringify('entries' in body ? { ...body, entries: describeEntries(body.entries) } : body)}`;
}

function describeEntries(entries: readonly Entry[]): string {
  return `[${entries.map(({ index, term, kind }) => `${index}/${term} ${kind}`).join(', ')}]`;
}
