import type { Core, MembershipChange } from '../core/contract.js';
import type { MembershipOutcome } from '../replica-api.js';
import type { Entry, LogIndex, Term } from '../types.js';
import type { ReplicaSink } from './sink.js';

interface Change { readonly id: number; readonly index: LogIndex; readonly term: Term; readonly deadlineMs: number }
interface Transfer { readonly id: number; readonly deadlineMs: number }

/** Membership changes and leadership transfers that operators wait for. There are few of them. */
export class Administration {
  readonly #core: Core;
  readonly #sink: ReplicaSink;
  #changes: Change[] = [];
  #transfers: Transfer[] = [];

  constructor(core: Core, sink: ReplicaSink) {
    this.#core = core;
    this.#sink = sink;
  }

  changeMembership(id: number, change: MembershipChange, deadlineMs: number): void {
    const result = this.#core.changeMembership(change);
    if (result.outcome === 'appended') this.#changes.push({ id, index: result.first, term: result.term, deadlineMs });
    else if (result.outcome === 'full') this.#sink.membership(id, { outcome: 'unavailable', reason: 'the log takes no more entries just now' });
    else this.#sink.membership(id, result);
  }

  transferLeadership(id: number, deadlineMs: number): void {
    this.#core.transferLeadership(null);
    this.#transfers.push({ id, deadlineMs });
    this.leadershipChanged();
  }

  leadershipChanged(): void {
    if (this.#core.role === 'leader') return;
    const alone = this.#core.leader === null;
    this.#transfers = this.#transfers.filter(({ id }) => {
      if (!alone) this.#sink.done(id);
      return alone;
    });
  }

  /** An entry was applied: it is the awaited one if it has its term, and otherwise has taken its place. */
  applied(entries: readonly Entry[]): void {
    if (this.#changes.length === 0) return;
    for (const entry of entries) {
      this.#settle((change) => change.index === entry.index, (change) =>
        change.term === entry.term ? { outcome: 'applied' } : { outcome: 'unavailable', reason: 'another leader replaced the change' });
    }
  }

  expire(nowMs: number): void {
    this.#settle(({ deadlineMs }) => deadlineMs <= nowMs, () => ({ outcome: 'unknown', reason: 'the change was not committed within the time limit' }));
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
