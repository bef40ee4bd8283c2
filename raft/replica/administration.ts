import type { Core, MembershipChange } from '../core/contract.js';
import { votersOf } from '../core/membership.js';
import { quorumSize } from '../core/quorum.js';
import { failPoint } from '../failPoints.js';
import type { MembershipOutcome } from '../replicaApi.js';
import { addressProblem } from '../transport/address.js';
import type { Entry, LogIndex, Term } from '../types.js';
import type { ReplicaSink } from './sink.js';

interface Change {
  readonly id: number;
  readonly index: LogIndex;
  readonly term: Term;
  readonly deadlineMs: number;
}
interface Removal {
  readonly id: number;
  readonly change: MembershipChange & { readonly type: 'remove' };
  readonly deadlineMs: number;
  ticks: number;
}
interface Transfer {
  readonly id: number;
  readonly deadlineMs: number;
}

export class Administration {
  readonly #core: Core;
  readonly #sink: ReplicaSink;
  #changes: Change[] = [];
  #removals: Removal[] = [];
  #transfers: Transfer[] = [];
  readonly #waitTicks: number;

  constructor(core: Core, sink: ReplicaSink, waitTicks: number) {
    this.#core = core;
    this.#sink = sink;
    this.#waitTicks = waitTicks;
  }

  /** A vanished member counts as active for an election timeout, so a majority must answer once more first. */
  changeMembership(id: number, change: MembershipChange, deadlineMs: number): void {
    const objection = change.type === 'addLearner' && this.#core.role === 'leader' ? this.#objectionTo(change.member.address) : null;
    if (objection !== null) this.#sink.membership(id, { outcome: 'refused', reason: objection });
    else if (change.type === 'remove' && this.#core.role === 'leader') this.#removals.push({ id, change, deadlineMs, ticks: 0 });
    else this.#append(id, change, deadlineMs);
  }

  /** A bad address would cost the member its name: names are never reused. */
  #objectionTo(address: string): string | null {
    const there = this.#core.membership.members.find((member) => member.address === address);
    return there === undefined
      ? addressProblem(address)
      : `${address} is where ${there.id} listens; give the new member an address of its own`;
  }

  get waits(): boolean {
    return this.#changes.length + this.#removals.length + this.#transfers.length > 0;
  }

  tick(): void {
    if (this.#removals.length === 0) return;
    const waiting = this.#removals;
    this.#removals = [];
    for (const removal of waiting) {
      removal.ticks += 1;
      const { left, answered } = this.#whoStays(removal);
      if (left === 0 || answered >= quorumSize(left)) this.#append(removal.id, removal.change, removal.deadlineMs);
      else if (removal.ticks < this.#waitTicks) this.#removals.push(removal);
      else
        this.#sink.membership(removal.id, {
          outcome: 'refused',
          reason: `without ${removal.change.id} only ${answered} of ${left} voters would answer, which is no majority; bring the others back, or remove one that does not answer`,
        });
    }
  }

  #whoStays({ change, ticks }: Removal): { readonly left: number; readonly answered: number } {
    const left = votersOf(this.#core.membership).filter((voter) => voter !== change.id);
    const progress = this.#core.progress();
    const answered = left.filter((voter) => voter === this.#core.id || (progress?.get(voter)?.silentTicks ?? ticks) < ticks);
    return { left: left.length, answered: answered.length };
  }

  #append(id: number, change: MembershipChange, deadlineMs: number): void {
    const result = this.#core.changeMembership(change);
    if (result.outcome === 'appended') this.#changes.push({ id, index: result.first, term: result.term, deadlineMs });
    else if (result.outcome === 'full')
      this.#sink.membership(id, { outcome: 'unavailable', reason: 'the log takes no more entries just now' });
    else this.#sink.membership(id, result);
  }

  transferLeadership(id: number, deadlineMs: number): void {
    const { role, membership } = this.#core;
    if (role !== 'leader' || votersOf(membership).every((voter) => voter === this.#core.id)) return this.#sink.done(id);
    this.#core.transferLeadership(null);
    this.#transfers.push({ id, deadlineMs });
  }

  leadershipChanged(): void {
    if (this.#core.role === 'leader') return;
    const alone = this.#core.leader === null;
    this.#transfers = this.#transfers.filter(({ id }) => {
      if (!alone) this.#sink.done(id);
      return alone;
    });
  }

  /** An entry of another term has replaced the awaited one. */
  applied(entries: readonly Entry[]): void {
    if (this.#changes.length === 0) return;
    for (const entry of entries) {
      this.#settle(
        (change) => change.index === entry.index,
        (change) => {
          failPoint?.('membership.applied');
          return change.term === entry.term
            ? { outcome: 'applied' }
            : { outcome: 'unavailable', reason: 'another leader replaced the change' };
        },
      );
    }
  }

  expire(nowMs: number): void {
    this.#settle(
      ({ deadlineMs }) => deadlineMs <= nowMs,
      () => ({ outcome: 'unknown', reason: 'the change was not committed within the time limit' }),
    );
    this.#transfers = this.#transfers.filter(({ id, deadlineMs }) => {
      if (deadlineMs <= nowMs) this.#sink.done(id);
      return deadlineMs > nowMs;
    });
  }

  #settle(which: (change: Change) => boolean, outcome: (change: Change) => MembershipOutcome): void {
    this.#changes = this.#changes.filter((change) => {
      if (!which(change)) return true;
      this.#sink.membership(change.id, outcome(change));
      return false;
    });
  }
}
