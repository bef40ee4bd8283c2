import { tooManyRequests, type StatusError } from '../../../api/status.js';
import { Shares } from './shares.js';

const mib = 1024 * 1024;
/** Bodies on their way into a process, of all clients together. A body that is there whole is bounded by the slots of those who work on it. */
const bodyBytesOfAllMax = 256 * mib;
/** The same for one user, or for the strangers of one address. */
const bodyBytesOfOneMax = 32 * mib;

/** Counts the bytes of bodies that clients have begun to send and have not sent to the end: half a body costs its sender nothing, and this server its memory. */
export class BodyBudget {
  #all = 0;
  readonly #own = new Shares();

  private ofOneMax: number;

  constructor(
    private ofAllMax = bodyBytesOfAllMax,
    { ofOneMax = bodyBytesOfOneMax }: { readonly ofOneMax?: number } = {},
  ) {
    this.ofOneMax = ofOneMax;
  }

  /** One of several threads has its part of what the process has. */
  shareAmong(threads: number): void {
    this.ofAllMax = bodyBytesOfAllMax / threads;
    this.ofOneMax = bodyBytesOfOneMax / threads;
  }

  /** Of all clients, now. */
  get bytes(): number {
    return this.#all;
  }

  /** Whether there is room for further bytes; they count from now on. */
  take(owner: string, bytes: number): boolean {
    const share = this.#own.of(owner);
    if (share.amount + bytes > this.ofOneMax || this.#all + bytes > this.ofAllMax) return false;
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

/** All connections of a process share its memory. */
export const bodyBudget = new BodyBudget();

export const tooManyBodies = (): StatusError =>
  tooManyRequests('the server is receiving too many large request bodies, please try again later', 1);
