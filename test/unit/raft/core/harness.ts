import { createCore } from '../../../../raft/core/core.js';
import type { Core, CoreOptions } from '../../../../raft/core/contract.js';
import { defaultSizes } from '../../../../raft/core/limits.js';
import type { Message, MessageBody, MessageOf, MessageType } from '../../../../raft/core/messages.js';
import type { LogReader, Ready } from '../../../../raft/core/ready.js';
import { logIndex, memberId, term } from '../../../../raft/types.js';
import type { Entry, EntryKind, HardState, LogIndex, Member, MemberId, Membership, SnapshotMeta, Term } from '../../../../raft/types.js';

export const a = memberId('a');
export const b = memberId('b');
export const c = memberId('c');
export const d = memberId('d');
export const e = memberId('e');

export const electionTicks = 10;

export function members(voters: readonly MemberId[], learners: readonly MemberId[] = []): Membership {
  const member =
    (role: Member['role']) =>
    (id: MemberId): Member => ({ id, role, address: `${id}:1` });
  return { members: [...voters.map(member('voter')), ...learners.map(member('learner'))], removed: [] };
}

export function entry(
  index: number,
  entryTerm: number,
  kind: EntryKind = 'command',
  data: Uint8Array = bytes(`${index}/${entryTerm}`),
): Entry {
  return { index: logIndex(index), term: term(entryTerm), kind, data };
}

/** Entries 1, 2, ... of the given terms. */
export function entries(...terms: readonly number[]): Entry[] {
  return terms.map((entryTerm, at) => entry(at + 1, entryTerm));
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A log in memory that implements `LogReader` and counts reads. */
export class MemoryLog implements LogReader {
  reads = 0;
  constructor(
    public stored: Entry[] = [],
    public base: { index: number; term: number } = { index: 0, term: 0 },
  ) {}

  get firstIndex(): LogIndex {
    return logIndex(this.base.index + 1);
  }
  get lastIndex(): LogIndex {
    return logIndex(this.base.index + this.stored.length);
  }

  termAt(index: LogIndex): Term | null {
    return index === this.base.index ? term(this.base.term) : (this.stored[index - this.base.index - 1]?.term ?? null);
  }

  entries(from: LogIndex, to: LogIndex, bytesMax: number): Entry[] {
    this.reads++;
    const found: Entry[] = [];
    let size = 0;
    for (const item of this.stored) {
      if (item.index < from || item.index > to) continue;
      size += item.data.length;
      if (size > bytesMax && found.length > 0) break;
      found.push(item);
    }
    return found;
  }

  put(added: readonly Entry[]): void {
    for (const item of added) this.stored = [...this.stored.filter(({ index }) => index < item.index), item];
  }

  cut(index: number): void {
    this.base = { index, term: this.termAt(logIndex(index)) ?? 0 };
    this.stored = this.stored.filter((item) => item.index > index);
  }
}

export interface ServerOptions extends Partial<CoreOptions> {
  readonly stored?: Entry[];
  readonly hard?: Partial<HardState>;
}

/** A core with its disk and all output. */
export class TestServer {
  readonly core: Core;
  readonly disk: MemoryLog;
  hardState: HardState;
  applied: Entry[] = [];
  reads: { readonly id: number; readonly index: LogIndex }[] = [];
  failedReads: number[] = [];
  installed: SnapshotMeta[] = [];
  #sent: Message[] = [];

  constructor(
    readonly id: MemberId,
    membership: Membership,
    { stored = [], hard = {}, ...options }: ServerOptions = {},
  ) {
    this.disk = (options.log as MemoryLog | undefined) ?? new MemoryLog(stored);
    this.hardState = { term: term(stored.at(-1)?.term ?? 0), vote: null, commit: logIndex(0), ...hard };
    this.core = createCore({
      ...defaultSizes,
      id,
      membership,
      hardState: this.hardState,
      appliedIndex: logIndex(0),
      log: this.disk,
      heartbeatTicks: 2,
      electionTicks: electionTicks,
      random: () => 0,
      snapshotSource: () => ({ index: this.core.commit, term: term(this.hardState.term), membership }),
      ...options,
    });
  }

  /** Processes all Readys and returns them. */
  settle(): Ready[] {
    const done: Ready[] = [];
    for (let ready = this.core.ready(); ready !== null; ready = this.core.ready()) {
      this.carryOut(ready);
      done.push(ready);
    }
    return done;
  }

  carryOut(ready: Ready): void {
    this.#sent.push(...ready.immediate);
    this.save(ready);
    this.#sent.push(...ready.afterSync);
    this.applied.push(...ready.committed);
    const last = ready.committed.at(-1);
    if (last !== undefined) this.core.applied(last.index);
    this.reads.push(...ready.reads);
    this.failedReads.push(...ready.failedReads);
  }

  save({ install, persist }: Ready): void {
    if (install !== null) {
      this.installed.push(install);
      this.disk.base = { index: install.index, term: install.term };
      this.disk.stored = [];
    }
    this.disk.put(persist?.entries ?? []);
    this.hardState = persist?.hardState ?? this.hardState;
    this.core.persisted();
  }

  tick(times = 1): this {
    for (let i = 0; i < times; i++) this.core.tick();
    this.settle();
    return this;
  }

  receive(from: MemberId, messageTerm: number, body: MessageBody): this {
    this.core.step({ from, to: this.id, term: term(messageTerm), ...body });
    this.settle();
    return this;
  }

  /** Messages sent since the last call. */
  take(): Message[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  takeOf<T extends MessageType>(type: T, to?: MemberId): MessageOf<T>[] {
    return this.take().filter((message): message is MessageOf<T> => message.type === type && (to === undefined || message.to === to));
  }

  /** Makes it the leader of the next term by votes of `voters`. */
  elect(...voters: readonly MemberId[]): this {
    this.tick(2 * electionTicks);
    const campaignTerm = this.core.term + 1;
    for (const from of voters) this.receive(from, campaignTerm, { type: 'preVoteReply', granted: true });
    for (const from of voters) this.receive(from, this.core.term, { type: 'voteReply', granted: true });
    if (this.core.role !== 'leader') throw new Error(`${this.id} is ${this.core.role} of term ${this.core.term}`);
    return this;
  }

  accept(from: MemberId, match: number, round = 0): this {
    return this.receive(from, this.core.term, { type: 'appendReply', round, result: { accepted: true, match: logIndex(match) } });
  }
}

export interface AppendShape {
  readonly previous?: readonly [index: number, term: number];
  readonly entries?: readonly Entry[];
  readonly commit?: number;
  readonly round?: number;
}

export function append({ previous = [0, 0], entries: items = [], commit = 0, round = 0 }: AppendShape): MessageBody {
  return {
    type: 'append',
    previousIndex: logIndex(previous[0]),
    previousTerm: term(previous[1]),
    entries: items,
    commit: logIndex(commit),
    round,
  };
}

/** Connected servers: delivers all messages except those that `lose` selects. */
export class TestCluster {
  readonly servers: ReadonlyMap<MemberId, TestServer>;

  constructor(ids: readonly MemberId[], options: (id: MemberId) => ServerOptions = () => ({})) {
    const turn = (id: MemberId): number => ids.indexOf(id);
    this.servers = new Map(
      ids.map((id) => [id, new TestServer(id, members(ids), { random: (below) => Math.min(turn(id) * 3, below - 1), ...options(id) })]),
    );
  }

  at(id: MemberId): TestServer {
    const server = this.servers.get(id);
    if (server === undefined) throw new Error(`no server ${id}`);
    return server;
  }

  settle(lose: (message: Message) => boolean = () => false): void {
    for (let busy = true; busy;) {
      busy = false;
      for (const server of this.servers.values()) {
        server.settle();
        for (const message of server.take()) {
          busy = true;
          if (!lose(message)) this.servers.get(message.to)?.core.step(message);
        }
      }
    }
  }

  tick(times: number, lose?: (message: Message) => boolean): void {
    for (let i = 0; i < times; i++) {
      for (const server of this.servers.values()) server.core.tick();
      this.settle(lose);
    }
  }
}
