import { tooManyRequests } from '../../../api/status.js';
import { anonymousUser } from '../../authentication/authenticator.js';
import type { User } from '../../../api/user.js';
import { OwnCount, type Count } from './counts.js';
import { Shares, type Share } from './shares.js';
import { standingOf } from './standing.js';

/** Further room for essential users. */
const reserveShare = 0.25;
/** Further room for administrators, who inspect an overloaded server. */
const administratorsShare = 9;
/** Load above which every user is held to a share. */
const contendedShare = 0.5;
/** Share of one user, where slots are contended. */
const userShare = 1 / 3;
const unauthenticatedShare = 1 / 8;
const ownMin = 8;

/** The owner of slots: a user, or the unauthenticated clients of one address. */
export const ownerOf = ({ name }: User, address: string | undefined): string =>
  name === anonymousUser ? `${name} ${address ?? ''}` : name;

/** A request holds a slot while the server works, not while the client sends its body or takes the response. */
export class Slots {
  readonly #max: number;
  readonly #all: Count;
  taken = 0;
  readonly #own = new Shares();
  readonly #contended: number;

  /** A `max` of 0 is no limit. `all` counts the slots of all threads; each thread counts users' shares separately. */
  constructor(max: number, all: Count = new OwnCount()) {
    this.#max = max;
    this.#all = all;
    this.#contended = max === 0 ? Infinity : Math.min(max, Math.max(ownMin, Math.ceil(max * contendedShare)));
  }

  enter(owner: string, user: User): Share {
    const share = this.#own.of(owner);
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
      case 'unauthenticated':
        return own < share(unauthenticatedShare) ? max : 0;
    }
  }
}
