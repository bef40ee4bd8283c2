import type { FailPoint } from '../../../raft/failPoints.js';
import type { Finding } from '../checks/finding.js';
import type { TortureCluster, TortureMember } from '../cluster/tortureCluster.js';
import type { Target } from './fault.js';

/** The shared state of faults: the cluster, busy members, the log, and findings. */
export class Scene {
  readonly findings: Finding[] = [];
  /** Fail points that members died at. */
  readonly pointsMet = new Set<FailPoint>();
  readonly #busy = new Set<string>();
  #changing = false;

  constructor(
    readonly cluster: TortureCluster,
    readonly log: (line: string) => void,
  ) {}

  /** No fault and no membership change is active. */
  get quiet(): boolean {
    return this.#busy.size === 0 && !this.#changing;
  }

  isBusy(member: Pick<TortureMember, 'id'>): boolean {
    return this.#busy.has(member.id);
  }

  /** Runs one membership change at a time: null during another. */
  async change(work: () => Promise<string | null>): Promise<string | null> {
    if (this.#changing) return null;
    this.#changing = true;
    try {
      return await work();
    } finally {
      this.#changing = false;
    }
  }

  /** Reserves the target during `work`. Null when it is busy or absent. */
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
