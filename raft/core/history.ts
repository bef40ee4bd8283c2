import type { Entry, LogIndex, MemberId, Membership } from '../types.js';
import { decodeMembership, roleOf, votersOf } from './membership.js';

interface Known {
  readonly index: LogIndex;
  readonly membership: Membership;
}

/**
 * The memberships that still matter: the newest committed one, and those of uncommitted entries above it, oldest first. A server uses the newest
 * of its log, committed or not (dissertation, section 4.1), so truncation must be able to go back.
 */
export class MembershipHistory {
  private known: [Known, ...Known[]];
  /** Of the current membership; kept because every commit decision asks for it. */
  voters: readonly MemberId[];

  constructor(index: LogIndex, membership: Membership) {
    this.known = [{ index, membership }];
    this.voters = votersOf(membership);
  }

  get current(): Membership {
    return this.newest.membership;
  }

  /** Index of the entry that the current membership comes from. */
  get currentIndex(): LogIndex {
    return this.newest.index;
  }

  /** Takes note of the membership entries among `entries`, which were just appended. */
  appended(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.kind === 'membership') this.known.push({ index: entry.index, membership: decodeMembership(entry.data) });
    }
    this.refresh();
  }

  /** Entries from `from` on are gone. The oldest membership is committed, so it stays. */
  truncated(from: LogIndex): void {
    const [oldest, ...later] = this.known;
    this.known = [oldest, ...later.filter((item) => item.index < from)];
    this.refresh();
  }

  /** Forgets what can no longer come back. */
  committed(commit: LogIndex): void {
    while (this.known[1] !== undefined && this.known[1].index <= commit) this.known.shift();
  }

  reset(index: LogIndex, membership: Membership): void {
    this.known = [{ index, membership }];
    this.refresh();
  }

  /**
   * A voter may campaign. So may one that only an uncommitted entry removes: of two servers the leaving leader may be the only one whose log
   * is new enough to win, and without it the other could never be elected (dissertation, section 4.2.2).
   */
  mayCampaign(id: MemberId): boolean {
    return this.voters.includes(id) || roleOf(this.known[0].membership, id) === 'voter';
  }

  private get newest(): Known {
    return this.known[this.known.length - 1] ?? this.known[0];
  }

  private refresh(): void {
    this.voters = votersOf(this.current);
  }
}
