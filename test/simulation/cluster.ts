import { logIndex, memberId, term } from '../../raft/types.js';
import type { Member, MemberId } from '../../raft/types.js';
import { emptyMembership } from '../../raft/core/membership.js';
import type { BrokenMode } from './broken.js';
import { Checker } from './checker.js';
import { noCounts } from './counts.js';
import type { Counts } from './counts.js';
import { faults, operations } from './faults.js';
import { Network } from './network.js';
import type { Parcel } from './network.js';
import type { Prng } from './prng.js';
import { healed } from './profile.js';
import type { Profile } from './profile.js';
import { SimulatedServer } from './server.js';
import type { Surroundings } from './server.js';
import type { StoreState } from './store.js';
import { Timeline } from './timeline.js';

/** Receives one line for each event, with step and virtual time. */
export type Trace = (step: number, time: number, line: string) => void;

const emptyStore: StoreState = { index: logIndex(0), term: term(0), fingerprint: 0, membership: emptyMembership };

/** All servers of a schedule with network, clients and faults on one timeline. */
export class Cluster {
  readonly timeline = new Timeline();
  readonly counts: Counts = noCounts();
  readonly servers: SimulatedServer[] = [];
  readonly network: Network;
  readonly checker: Checker;
  profile: Profile;
  readonly #around: Surroundings;
  readonly #byId = new Map<MemberId, SimulatedServer>();
  readonly #awake = new Set<SimulatedServer>();
  #faultsOn = true;
  #nextWrite = 1;
  #touched: SimulatedServer | null = null;

  constructor(
    readonly prng: Prng,
    profile: Profile,
    mode: BrokenMode,
    trace: Trace | null,
  ) {
    this.profile = profile;
    this.checker = new Checker(() => this.servers);
    this.network = new Network(
      this,
      (parcel) => this.#deliver(parcel),
      (parcel) => this.#reportSnapshot(parcel, false),
    );
    const { heartbeatTicks, electionTicks, sizes } = profile;
    this.#around = {
      ...mode,
      checker: this.checker,
      counts: this.counts,
      trace: trace === null ? null : (line) => trace(this.counts.steps, this.timeline.now, line),
      elected: (server) => this.#elected(server),
      settings: { ...sizes, heartbeatTicks, electionTicks, random: prng.below },
      send: (message, snapshot) => this.network.send({ message, snapshot }, this.profile),
    };
    const ids = Array.from({ length: profile.servers }, (_, at) => memberId(`s${at + 1}`));
    const members: Member[] = ids.map((id) => ({ id, role: 'voter', address: `${id}:1` }));
    for (const id of ids) this.#addServer(id, { ...emptyStore, membership: { members, removed: [] } });
    this.timeline.after(1, () => this.#client());
    this.timeline.after(profile.faultEvery, () => this.#fault());
    this.timeline.after(profile.operationEvery, () => this.#operation());
  }

  /** Runs one event and the checks. */
  step(): void {
    this.counts.steps++;
    this.#touched = null;
    this.timeline.step();
    if (this.#touched !== null) this.checker.afterStep(this.#touched);
  }

  running(): SimulatedServer[] {
    return this.servers.filter((server) => server.core !== null);
  }

  /** Servers in the leader role, newest term first. */
  leaders(): SimulatedServer[] {
    return this.servers.filter((server) => server.isLeader).sort((a, b) => b.term - a.term);
  }

  /** A joining server starts with an empty disk and no members. */
  ensureServer(id: MemberId): void {
    if (!this.#byId.has(id)) this.#addServer(id, emptyStore);
  }

  crash(server: SimulatedServer): void {
    server.crash(this.prng.chance(500));
    if (this.prng.chance(500)) this.network.loseFrom(server.id);
    this.timeline.after(this.prng.between(1, this.profile.downMax), () => this.restart(server));
  }

  restart(server: SimulatedServer): void {
    if (server.core !== null) return;
    this.counts.restarts++;
    server.start();
    this.wake(server);
  }

  /** Ends all faults. */
  heal(): void {
    this.#around.trace?.('all faults end');
    this.#faultsOn = false;
    this.profile = healed(this.profile);
    this.network.heal();
    for (const server of this.servers) {
      server.stalledUntil = 0;
      this.restart(server);
    }
  }

  write(server: SimulatedServer): void {
    server.propose(Array.from({ length: this.prng.between(1, 3) }, () => numbered(this.#nextWrite++)));
    this.wake(server);
  }

  /** Schedules a server's pending work. */
  wake(server: SimulatedServer): void {
    if (this.#awake.has(server)) return;
    this.#awake.add(server);
    this.timeline.after(this.prng.below(2), () => this.#work(server));
  }

  #addServer(id: MemberId, store: StoreState): void {
    const server = new SimulatedServer(id, store, this.#around);
    this.servers.push(server);
    this.#byId.set(id, server);
    server.start();
    this.timeline.after(this.prng.between(1, this.profile.tickInstants), () => this.#tick(server));
  }

  #tick(server: SimulatedServer): void {
    const { tickInstants } = this.profile;
    this.timeline.after(this.prng.between(tickInstants - 2, tickInstants + 2), () => this.#tick(server));
    if (server.core === null || this.#isStalled(server)) return;
    this.#touched = server;
    server.core.tick();
    this.wake(server);
  }

  #work(server: SimulatedServer): void {
    this.#awake.delete(server);
    if (this.#isStalled(server)) return;
    this.#touched = server;
    const staged = this.prng.chance(this.profile.staged);
    while (server.work()) {
      this.checker.afterStep(server);
      if (server.hasPromised && this.prng.chance(this.profile.crashAfterPromise)) return this.crash(server);
      if (!staged) continue;
      this.#awake.add(server);
      this.timeline.after(this.prng.between(0, this.profile.stageDelayMax), () => this.#work(server));
      return;
    }
  }

  #elected(server: SimulatedServer): void {
    if (!this.prng.chance(this.profile.crashAfterElection)) return;
    const { life } = server;
    this.timeline.after(this.prng.below(4 * this.profile.delayMax), () => {
      if (server.core !== null && server.life === life && this.#faultsOn) this.crash(server);
    });
  }

  #deliver(parcel: Parcel): void {
    const server = this.#byId.get(parcel.message.to);
    if (server?.core == null) {
      this.#reportSnapshot(parcel, false);
      return;
    }
    if (this.#isStalled(server)) {
      this.timeline.after(server.stalledUntil - this.timeline.now + this.prng.below(2 * this.profile.delayMax), () =>
        this.#deliver(parcel),
      );
      return;
    }
    this.counts.messagesDelivered++;
    this.#touched = server;
    server.receive(parcel.message, parcel.snapshot);
    this.#reportSnapshot(parcel, true);
    this.wake(server);
  }

  /** A snapshot's sender learns its result with a delay, if it has not crashed, whether or not it still leads. */
  #reportSnapshot({ message, snapshot }: Parcel, ok: boolean): void {
    if (snapshot === null) return;
    const sender = this.#byId.get(message.from);
    const life = sender?.life;
    this.timeline.after(this.prng.between(1, 30), () => {
      if (sender?.core && sender.life === life) sender.core.reportSnapshot(message.to, ok);
    });
  }

  #client(): void {
    const { clientEvery, reads } = this.profile;
    if (clientEvery === 0) return;
    this.timeline.after(this.prng.between(1, 2 * clientEvery), () => this.#client());
    const server = this.prng.pick(this.running());
    if (server === undefined || this.#isStalled(server)) return;
    this.#touched = server;
    if (this.prng.chance(reads)) {
      const reader = this.prng.chance(500) ? server : (this.#aLeader() ?? server);
      reader.read();
      this.wake(reader);
    } else {
      this.write(this.#aLeader() ?? server);
    }
  }

  /** Clients try any server in the leader role; partitions may have several. */
  #aLeader(): SimulatedServer | undefined {
    return this.prng.pick(this.leaders().filter((server) => !this.#isStalled(server)));
  }

  #fault(): void {
    if (!this.#faultsOn) return;
    const { faultEvery, faults: kinds } = this.profile;
    this.timeline.after(this.prng.between(1, 2 * faultEvery), () => this.#fault());
    const kind = this.prng.pick(kinds);
    this.#around.trace?.(`fault: ${kind}`);
    faults[kind](this);
  }

  #operation(): void {
    if (!this.#faultsOn) return;
    const { operationEvery, operations: kinds } = this.profile;
    this.timeline.after(this.prng.between(1, 2 * operationEvery), () => this.#operation());
    const kind = this.prng.pick(kinds);
    this.#around.trace?.(`operation: ${kind}`);
    operations[kind](this);
  }

  #isStalled(server: SimulatedServer): boolean {
    return server.stalledUntil > this.timeline.now;
  }
}

function numbered(write: number): Uint8Array {
  return Uint8Array.of(write >>> 24, write >>> 16, write >>> 8, write);
}
