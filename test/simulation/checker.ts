import { encodeMembership } from '../../raft/core/membership.js';
import type { Entry, LogIndex, MemberId, Membership, Term } from '../../raft/types.js';
import { fingerprintOf } from './store.js';
import type { StoreState } from './store.js';

/** A violated rule of Raft's figure 3, or a violated promise to clients. */
class RuleBroken extends Error {
  constructor(
    readonly rule: string,
    details: string,
  ) {
    super(`${rule}: ${details}`);
  }
}

export interface Observed {
  readonly id: MemberId;
  readonly life: number;
  readonly term: Term;
  readonly isLeader: boolean;
  termAt(index: number): Term | null;
}

interface Chosen {
  readonly term: Term;
  readonly fingerprint: number;
  /** The term in which it was seen as committed, by a leader or a follower: possibly later than the entry's own. */
  readonly committedIn: Term;
  /** The store's fingerprint after this entry. */
  store: number | null;
}

/** Observes all servers and compares each step with what it has seen before. */
export class Checker {
  readonly #servers: () => readonly Observed[];
  readonly #leaders = new Map<Term, string>();
  /** Every entry written by any server, by index and term, with the previous entry's term. */
  readonly #written = new Map<string, { readonly fingerprint: number; readonly previousTerm: Term }>();
  /** Committed entries by index, from 1. */
  readonly #chosen: Chosen[] = [];
  readonly #encodings = new WeakMap<Membership, string>();
  /** The newest acknowledged index. */
  #known = 0;

  constructor(servers: () => readonly Observed[]) {
    this.#servers = servers;
  }

  get chosenIndex(): number {
    return this.#chosen.length;
  }

  /** A read that begins now must see at least this index. */
  get floor(): number {
    return this.#known;
  }

  termOfChosen(index: number): Term | null {
    return this.#chosen[index - 1]?.term ?? null;
  }

  /** Checks election safety, and leader completeness at the election. */
  afterStep(server: Observed): void {
    if (!server.isLeader) return;
    const who = `${server.id} in life ${server.life}`;
    const leader = this.#leaders.get(server.term);
    if (leader === who) return;
    if (leader !== undefined) throw new RuleBroken('one leader per term', `${leader} and ${who} both lead term ${server.term}`);
    this.#leaders.set(server.term, who);
    this.#checkComplete(server);
  }

  /** Log matching: logs with the same index and term have the same entry and the same entries before it. */
  wrote(server: MemberId, entry: Entry, previousTerm: Term | null): void {
    if (previousTerm === null) throw new RuleBroken('log matching', `${server} writes entry ${entry.index} behind one it does not have`);
    const key = `${entry.index}/${entry.term}`;
    const fingerprint = fingerprintOf(entry);
    const before = this.#written.get(key);
    if (before === undefined) this.#written.set(key, { fingerprint, previousTerm });
    else if (before.fingerprint !== fingerprint || before.previousTerm !== previousTerm) {
      throw new RuleBroken(
        'log matching',
        `${server} writes an entry ${entry.index} of term ${entry.term} that differs from another server's, or follows a different one`,
      );
    }
  }

  /** A server uses the newest membership of its log, committed or not (dissertation, section 4.1). */
  usesMembership(server: MemberId, used: Membership, newest: Membership): void {
    if (this.#encoded(used) === this.#encoded(newest)) return;
    throw new RuleBroken('membership of the log', `${server} uses ${JSON.stringify(used)} while its log says ${JSON.stringify(newest)}`);
  }

  /** Checks state-machine safety (one committed entry for each index), and leader completeness for current leaders. */
  committed(server: Observed, entry: Entry): void {
    const fingerprint = fingerprintOf(entry);
    const before = this.#chosen[entry.index - 1];
    if (before !== undefined) {
      if (before.fingerprint !== fingerprint || before.term !== entry.term) {
        throw new RuleBroken(
          'state-machine safety',
          `${server.id} applies an entry of term ${entry.term} at ${entry.index}, another server one of term ${before.term}`,
        );
      }
      return;
    }
    if (entry.index !== this.#chosen.length + 1)
      throw new RuleBroken('state-machine safety', `${server.id} applies entry ${entry.index} while ${this.#chosen.length + 1} is unknown`);
    this.#chosen.push({ term: entry.term, fingerprint, committedIn: server.term, store: null });
    for (const other of this.#servers()) if (other.isLeader && other.term > server.term) this.#checkComplete(other);
  }

  /** Servers with the same applied index have equal stores, by log or by snapshot. */
  applied(server: MemberId, store: StoreState): void {
    const chosen = this.#chosen[store.index - 1];
    if (chosen === undefined) {
      if (store.index > 0)
        throw new RuleBroken('state-machine safety', `${server} holds a store of ${store.index}, which nobody committed`);
      return;
    }
    chosen.store ??= store.fingerprint;
    if (chosen.store !== store.fingerprint)
      throw new RuleBroken('state-machine safety', `the store of ${server} differs from another server's at ${store.index}`);
  }

  /** A client's write at `index` was acknowledged. */
  acknowledged(index: LogIndex): void {
    this.#known = Math.max(this.#known, index);
  }

  /** A client read the state at `index`; `floor` is from the start of the read. */
  readDone(server: MemberId, index: number, floor: number): void {
    if (index < floor)
      throw new RuleBroken(
        'linearizable reads',
        `a read at ${server} saw the state at ${index}, although ${floor} was known to clients before it began`,
      );
    this.#known = Math.max(this.#known, index);
  }

  #encoded(membership: Membership): string {
    const known = this.#encodings.get(membership);
    if (known !== undefined) return known;
    const text = Buffer.from(encodeMembership(membership)).toString('latin1');
    this.#encodings.set(membership, text);
    return text;
  }

  /** Leader completeness: an entry committed in a term is in the logs of later leaders. By log matching, checking the newest one suffices. */
  #checkComplete(leader: Observed): void {
    const newest = this.#chosen.findLastIndex((entry) => entry.committedIn < leader.term) + 1;
    if (newest === 0) return;
    const term = leader.termAt(newest);
    if (term !== this.#chosen[newest - 1]?.term) {
      throw new RuleBroken(
        'leader completeness',
        `${leader.id} leads term ${leader.term} without the committed entry ${newest} of term ${this.#chosen[newest - 1]?.term}`,
      );
    }
  }
}
