import type { Message } from '../../raft/core/messages.js';
import type { MemberId } from '../../raft/types.js';
import type { Counts } from './counts.js';
import type { Prng } from './prng.js';
import type { Profile } from './profile.js';
import type { StoreState } from './store.js';
import type { Timeline } from './timeline.js';

export interface Parcel {
  readonly message: Message;
  /** The content that accompanies an `installSnapshot`. */
  readonly snapshot: StoreState | null;
}

/** Delays, drops, duplicates and reorders messages; cuts links in one or both directions. */
export class Network {
  readonly #world: { readonly prng: Prng; readonly timeline: Timeline; readonly counts: Counts };
  readonly #deliver: (parcel: Parcel) => void;
  /** Called for a lost parcel. */
  readonly #lost: (parcel: Parcel) => void;
  #cut = new Map<string, number>();
  /** Parcels sent before this time are lost with the sender's buffers. */
  readonly #lostBefore = new Map<MemberId, number>();

  constructor(
    world: { readonly prng: Prng; readonly timeline: Timeline; readonly counts: Counts },
    deliver: (parcel: Parcel) => void,

    lost: (parcel: Parcel) => void,
  ) {
    this.#world = world;
    this.#deliver = deliver;
    this.#lost = lost;
  }

  send(parcel: Parcel, profile: Profile): void {
    const { prng, counts } = this.#world;
    const { from, to } = parcel.message;
    if (this.#isCut(from, to) || prng.chance(profile.drop)) {
      counts.messagesDropped++;
      this.#lost(parcel);
      return;
    }
    this.#carry(parcel, profile);
    if (!prng.chance(profile.duplicate)) return;
    counts.messagesDuplicated++;
    this.#carry(parcel, profile);
  }

  /** Cuts all links between the two groups for `duration`. */
  split(group: readonly MemberId[], rest: readonly MemberId[], duration: number): void {
    for (const a of group)
      for (const b of rest)
        for (const [from, to] of [
          [a, b],
          [b, a],
        ] as const)
          this.cutOff(from, to, duration);
  }

  cutOff(from: MemberId, to: MemberId, duration: number): void {
    this.#cut.set(`${from}>${to}`, this.#world.timeline.now + duration);
  }

  /** Loses a server's messages in transit. */
  loseFrom(id: MemberId): void {
    this.#lostBefore.set(id, this.#world.timeline.now);
  }

  heal(): void {
    this.#cut.clear();
  }

  #carry(parcel: Parcel, profile: Profile): void {
    const { prng, timeline } = this.#world;
    const delay = prng.chance(profile.longDelay) ? prng.between(50, 400) : prng.between(1, profile.delayMax);
    const { from, to } = parcel.message;
    const sentAt = timeline.now;
    // Cut links also stop messages in transit.
    timeline.after(delay, () =>
      this.#isCut(from, to) || sentAt < (this.#lostBefore.get(from) ?? 0) ? this.#lost(parcel) : this.#deliver(parcel),
    );
  }

  #isCut(from: MemberId, to: MemberId): boolean {
    const until = this.#cut.get(`${from}>${to}`);
    return until !== undefined && until > this.#world.timeline.now;
  }
}
