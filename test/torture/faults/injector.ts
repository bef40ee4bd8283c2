import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from '../checks/finding.js';
import type { TortureCluster, TortureMember } from '../cluster/tortureCluster.js';
import { ChangeTookTooLong, join, leave } from './membership.js';
import type { Fault, FaultKind, PlannedFault, Target } from './plan.js';

/** From SIGTERM to the end, and from the start to readiness, while other faults go on. */
const stopGraceMs = 30_000;
const readyMs = 90_000;
const changeMs = 120_000;

type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;

/**
 * Makes a plan come true. Faults overlap, but a process is under one fault at a time: a member that is under one already, and so a fault that finds
 * nobody left, is passed over and logged as such. Membership changes one at a time, as operators are told to do.
 */
export class Injector {
  readonly findings: Finding[] = [];
  readonly counts = new Map<string, number>();
  readonly #busy = new Set<string>();
  #changing = false;
  readonly #stop = new AbortController();

  constructor(private readonly cluster: TortureCluster, private readonly log: (line: string) => void) {}

  /** Resolves when the last fault is over and everything that it broke has been mended. */
  async run(plan: readonly PlannedFault[]): Promise<void> {
    const start = performance.now();
    const running: Promise<void>[] = [];
    for (const { atMs, fault } of plan) {
      await delay(Math.max(0, start + atMs - performance.now()), undefined, { signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) break;
      running.push(this.#inject(fault));
    }
    await Promise.all(running);
    this.cluster.network.heal();
    for (const exit of this.cluster.unexpectedExits.splice(0)) this.#finding('availability', `a server ended by itself: ${exit}`);
  }

  /** No further faults; those under way end in their time. */
  stop(): void {
    this.#stop.abort();
  }

  async #inject(fault: Fault): Promise<void> {
    const name = JSON.stringify(fault);
    try {
      const done = await (this.#effects[fault.kind] as (fault: Fault) => Promise<string | null>)(fault);
      this.log(done === null ? `passed over: ${name}` : `over: ${fault.kind} ${done}`);
      if (done !== null) this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof ChangeTookTooLong)) throw error;
      this.#finding('operations', error.message);
    }
  }

  /** Each resolves when the fault is over: with what it met, or null when there was nobody to meet. */
  readonly #effects: { readonly [Kind in FaultKind]: (fault: FaultOf<Kind>) => Promise<string | null> } = {
    kill: ({ target, ms }) => this.#with(target, async (member) => { await this.#down(member, 'SIGKILL', ms); }),
    killAll: async ({ ms }) => {
      if (this.#busy.size > 0 || this.#changing) return null;
      const all = [...this.cluster.members];
      await Promise.all(all.map((member) => this.#hold(member, () => this.#down(member, 'SIGKILL', ms))));
      return 'all';
    },
    pause: ({ target, ms }) => this.#with(target, async (member) => {
      this.log(`SIGSTOP ${member.id} for ${ms} ms`);
      member.process.pause();
      await delay(ms);
      member.process.resume();
    }),
    partition: async ({ target, direction, ms }) => {
      const member = await this.#choose(target);
      if (member === null) return null;
      this.log(`cut ${member.id} off (${direction}) for ${ms} ms`);
      const cut = (state: boolean): void => this.#links(member, direction, state);
      cut(true);
      await delay(ms);
      cut(false);
      return member.id;
    },
    slowNetwork: async ({ delayMs, breaksPermille, ms }) => {
      this.log(`network: ${delayMs} ms late, ${breaksPermille} of 1,000 pieces break, for ${ms} ms`);
      this.#everywhere({ delayMs, breaksPermille });
      await delay(ms);
      this.#everywhere({ delayMs: 0, breaksPermille: 0 });
      return 'all';
    },
    disk: async ({ target, state, syncMs, ms }) => {
      const { disks, mayEnd } = this.cluster;
      return disks === null ? null : await this.#with(target, async (member) => {
        this.log(`disk of ${member.id} is ${state} (${syncMs} ms) for ${ms} ms`);
        if (state !== 'slow') mayEnd.add(member.id);
        disks.set(member.id, state, syncMs);
        await delay(ms);
        disks.set(member.id, 'good');
        if (state === 'slow') return;
        // A server that lost its disk ends; whoever runs it starts it again. One that noticed nothing is started again too.
        this.log(`${member.id} ${member.process.running ? 'still runs' : 'has ended'}`);
        await member.process.kill();
        mayEnd.delete(member.id);
        member.process.start();
      });
    },
    rollingRestart: async () => {
      for (const member of [...this.cluster.members]) {
        if (!this.#busy.has(member.id)) await this.#hold(member, () => this.#down(member, 'SIGTERM', 0));
      }
      return 'all';
    },
    addAndRemoveMember: ({ ms }) => this.#change(async () => {
      const member = await this.cluster.prepare(null);
      this.cluster.members.push(member);
      return await this.#hold(member, async () => {
        this.log(`add ${member.id}`);
        await join(this.cluster, member, changeMs);
        await delay(ms);
        this.log(`remove ${member.id}`);
        this.cluster.mayEnd.add(member.id);
        await leave(this.cluster, member.id, changeMs);
        await member.process.kill();
        this.cluster.forget(member);
        return member.id;
      });
    }),
    replaceWiped: ({ target }) => this.#change(() => this.#with(target, async (lost) => {
      const next = await this.cluster.prepare(lost.securePort);
      this.log(`wipe ${lost.id}, ${next.id} comes in its place`);
      await lost.process.kill();
      this.cluster.forget(lost);
      this.cluster.members.push(next);
      await this.#hold(next, async () => {
        await leave(this.cluster, lost.id, changeMs);
        await join(this.cluster, next, changeMs);
      });
    })),
  };

  async #down(member: TortureMember, signal: 'SIGKILL' | 'SIGTERM', ms: number): Promise<void> {
    this.log(`${signal} ${member.id}, down for ${ms} ms`);
    if (signal === 'SIGKILL') await member.process.kill();
    else if (!(await member.process.stop(stopGraceMs))) this.#finding('availability', `${member.id} did not end within ${stopGraceMs} ms of SIGTERM`);
    await delay(ms);
    member.process.start();
    if (signal === 'SIGTERM') await this.cluster.ready(member, readyMs);
  }

  async #change(work: () => Promise<string | null>): Promise<string | null> {
    if (this.#changing) return null;
    this.#changing = true;
    try {
      return await work();
    } finally {
      this.#changing = false;
    }
  }

  async #with(target: Target, work: (member: TortureMember) => Promise<void>): Promise<string | null> {
    const member = await this.#choose(target);
    if (member === null) return null;
    await this.#hold(member, () => work(member));
    return member.id;
  }

  async #hold<T>(member: TortureMember, work: () => Promise<T>): Promise<T> {
    this.#busy.add(member.id);
    try {
      return await work();
    } finally {
      this.#busy.delete(member.id);
    }
  }

  async #choose(target: Target): Promise<TortureMember | null> {
    const leader = await this.cluster.leader();
    const free = (member: TortureMember): boolean => !this.#busy.has(member.id) && this.cluster.members.includes(member);
    if (target.role === 'leader') return leader !== null && free(leader) ? leader : null;
    const followers = this.cluster.members.filter((member) => member !== leader && free(member));
    return followers[target.nth % followers.length] ?? null;
  }

  #links(member: TortureMember, direction: 'both' | 'in' | 'out', cut: boolean): void {
    for (const other of this.cluster.members) {
      if (other === member) continue;
      if (direction !== 'out') this.cluster.network.set(other.id, member.id, { cut });
      if (direction !== 'in') this.cluster.network.set(member.id, other.id, { cut });
    }
  }

  #everywhere(state: { readonly delayMs: number; readonly breaksPermille: number }): void {
    for (const { id } of this.cluster.members) for (const { id: other } of this.cluster.members) if (id !== other) this.cluster.network.set(id, other, state);
  }

  #finding(promise: string, details: string): void {
    this.log(`FINDING ${promise}: ${details}`);
    this.findings.push({ promise, details });
  }
}
