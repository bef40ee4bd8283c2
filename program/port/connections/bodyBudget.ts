import { tooManyRequests, type StatusError } from '../../../api/status.js';
import { Shares } from './shares.js';

const mib = 1024 * 1024;
/** Bounds incomplete bodies of all clients. The slots of active requests bound complete ones. */
export const bodyBytesOfAllMax = 256 * mib;
/** The same for one owner (`ownerOf`). */
export const bodyBytesOfOneMax = 32 * mib;

export class BodyBudget {
  readonly #ofAllMax: number;
  readonly #ofOneMax: number;
  #all = 0;
  readonly #own = new Shares();

  constructor(ofAllMax = bodyBytesOfAllMax, ofOneMax = bodyBytesOfOneMax) {
    this.#ofAllMax = ofAllMax;
    this.#ofOneMax = ofOneMax;
  }

  get bytes(): number {
    return this.#all;
  }

  take(owner: string, bytes: number): boolean {
    const share = this.#own.of(owner);
    if (share.amount + bytes > this.#ofOneMax || this.#all + bytes > this.#ofAllMax) return false;
    share.amount += bytes;
    this.#all += bytes;
    return true;
  }

  giveBack(owner: string, bytes: number): void {
    if (bytes === 0) return;
    this.#own.of(owner).amount -= bytes;
    this.#all -= bytes;
  }
}

export const tooManyBodies = (): StatusError =>
  tooManyRequests('the server is receiving too many large request bodies, please try again later', 1);
