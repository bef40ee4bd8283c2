import type { FailPoint } from '../../../raft/failPoints.js';
import type { Finding } from '../checks/finding.js';
import type { TortureCluster, TortureMember } from '../cluster/tortureCluster.js';
import type { Target } from './fault.js';

/** What faults share: the cluster, who is under a fault at the moment, the log, and what was found. */
export class Scene {
  readonly findings: Finding[] = [];
  /** The fail points at which somebody died. */
  readonly pointsMet = new Set<FailPoint>();
  readonly #busy = new Set<string>();
  #changing = false;

  constructor(
    readonly cluster: TortureCluster,
    readonly log: (line: string) => void,
  ) {}

  /** Nobody is under a fault, and no change of the membership goes on. */
  get quiet(): boolean {
    return this.#busy.size === 0 && !this.#changing;
  }

  isBusy(member: Pick<TortureMember, 'id'>): boolean {
    return this.#busy.has(member.id);
  }

  /** Changes of the membership come one at a time: null while another one goes on. */
  async change(work: () => Promise<string | null>): Promise<string | null> {
    if (this.#changing) return null;
    this.#changing = true;
    try {
      return await work();
    } finally {
      this.#changing = false;
    }
  }

  /** Holds the target while `work` goes on. Null when it is under another fault, or there is none. */
  async with(target: Target, work: (member: TortureMember) => Promise<void>): Promise<string | null> {
    const member = await this.choose(target);
    if (member === null) return null;
    await this.hold(member, () => work(member));
    return member.id;
  }

  async hold<T>(member: Pick<TortureMember, 'id'>, work: () => Promise<T>): Promise<T> {
    this.#busy.add(member.id);
    try {
      return await work();
    } finally {
      this.#busy.delete(member.id);
    }
  }

  /** Who the target is now, unless that one is under a fault. */
  async choose(target: Target): Promise<TortureMember | null> {
    const leader = await this.cluster.leader();
    const free = (member: TortureMember): boolean => !this.isBusy(member) && this.cluster.members.includes(member);
    if (target.role === 'leader') return leader !== null && free(leader) ? leader : null;
    const followers = this.cluster.members.filter((member) => member !== leader && free(member));
    return followers[target.nth % followers.length] ?? null;
  }

  finding(promise: string, details: string): void {
    this.log(`FINDING ${promise}: ${details}`);
    this.findings.push({ promise, details });
  }
}
