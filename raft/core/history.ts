import type { Entry, LogIndex, MemberId, Membership } from '../types.js';
import { decodeMembership, roleOf, votersOf } from './membership.js';

interface Known {
  readonly index: LogIndex;
  readonly membership: Membership;
}

/** A server uses the newest in its log, committed or not (dissertation, section 4.1), so truncation must be able to go back. */
export class MembershipHistory {
  #known: [Known, ...Known[]];
  voters: readonly MemberId[];

  constructor(index: LogIndex, membership: Membership) {
    this.#known = [{ index, membership }];
    this.voters = votersOf(membership);
  }

  get current(): Membership {
    return this.#newest.membership;
  }

  get currentIndex(): LogIndex {
    return this.#newest.index;
  }

  appended(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.kind === 'membership') this.#known.push({ index: entry.index, membership: decodeMembership(entry.data) });
    }
    this.#refresh();
  }

  truncated(from: LogIndex): void {
    const [oldest, ...later] = this.#known;
    this.#known = [oldest, ...later.filter((item) => item.index < from)];
    this.#refresh();
  }

  committed(commit: LogIndex): void {
    while (this.#known[1] !== undefined && this.#known[1].index <= commit) this.#known.shift();
  }

  reset(index: LogIndex, membership: Membership): void {
    this.#known = [{ index, membership }];
    this.#refresh();
  }

  /** Even a voter removed by an uncommitted entry may: only its log may be new enough to win (dissertation, section 4.2.2). */
  mayCampaign(id: MemberId): boolean {
    return this.voters.includes(id) || roleOf(this.#known[0].membership, id) === 'voter';
  }

  get #newest(): Known {
    return this.#known[this.#known.length - 1] ?? this.#known[0];
  }

  #refresh(): void {
    this.voters = votersOf(this.current);
  }
}
