import { tooManyRequests } from '../../../api/status.js';
import { anonymousUser } from '../../authentication/authenticator.js';
import type { User } from '../../../api/user.js';
import { OwnCount, type Count } from './counts.js';
import { Shares, type Share } from './shares.js';
import { standingOf } from './standing.js';

/** Essential users have this much more room, which no other user can fill. */
const reserveShare = 0.25;
/** Administrators are admitted under overload to inspect it, within a bound of their own. */
const administratorsShare = 9;
/** Load above which every user is held to a share: other requests wait, or will soon. */
const contendedShare = 0.5;
/** Share of one user, where slots are contended. Administrators are exempt. */
const userShare = 1 / 3;
const strangersShare = 1 / 8;
/** Shares of very few slots would be none. */
const ownMin = 8;

/** Returns the owner that slots count for: a user, or the unauthenticated clients of one address. */
export const ownerOf = ({ name }: User, address: string | undefined): string =>
  name === anonymousUser ? `${name} ${address ?? ''}` : name;

/** Requests of one kind that are handled at once. A slot is held while the server works, not while a client sends its body or takes its response. */
export class Slots {
  readonly #max: number;
  readonly #all: Count;
  taken = 0;
  readonly #own = new Shares();
  readonly #contended: number;

  /** `max` of 0 means no limit. `all` counts the held slots, on all threads where there are several; the shares of users are counted on each. */
  constructor(max: number, all: Count = new OwnCount()) {
    this.#max = max;
    this.#all = all;
    this.#contended = max === 0 ? Infinity : Math.min(max, Math.max(ownMin, Math.ceil(max * contendedShare)));
  }

  /** Takes a slot, or throws 429. The share is for `leave`. */
  enter(owner: string, user: User): Share {
    const share = this.#own.of(owner);
    // The second attempt runs only where the first finds no room.
    if (!this.#all.take(this.#contended) && !this.#all.take(this.#limitFor(user, share.amount)))
      throw tooManyRequests('too many requests, please try again later', 1);
    share.amount += 1;
    this.taken += 1;
    return share;
  }

  leave(share: Share): void {
    share.amount -= 1;
    this.taken -= 1;
    this.#all.leave();
  }

  /** The bound including this one; 0 where the user has its share. */
  #limitFor(user: User, own: number): number {
    const max = this.#max;
    const share = (part: number): number => Math.max(ownMin, Math.ceil(max * part));
    switch (standingOf(user)) {
      case 'administrator':
        return Math.ceil(max * (1 + administratorsShare));
      case 'essential':
        return own < share(userShare) ? Math.ceil(max * (1 + reserveShare)) : 0;
      case 'ordinary':
        return own < share(userShare) ? max : 0;
      case 'stranger':
        return own < share(strangersShare) ? max : 0;
    }
  }
}
