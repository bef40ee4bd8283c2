import { encodeMembership } from '../../raft/core/membership.js';
import type { Entry, LogIndex, MemberId, Membership, Term } from '../../raft/types.js';
import { fingerprintOf } from './store.js';
import type { StoreState } from './store.js';

/** A rule of Raft's figure 3, or a promise to clients, does not hold. */
class RuleBroken extends Error {
  constructor(
    readonly rule: string,
    details: string,
  ) {
    super(`${rule}: ${details}`);
  }
}

/** What the checker sees of a server. */
export interface Observed {
  readonly id: MemberId;
  /** Grows with every restart. */
  readonly life: number;
  readonly term: Term;
  readonly isLeader: boolean;
  termAt(index: number): Term | null;
}

interface Chosen {
  readonly term: Term;
  readonly fingerprint: number;
  /** The term in which it was seen to be committed: that of a leader, or of a follower that a leader told. May be later than the entry's own. */
  readonly committedIn: Term;
  /** Of the store after this entry. */
  store: number | null;
}

/** Watches all servers from outside and remembers what they must never contradict. Each check compares one step with that memory. */
export class Checker {
  readonly #servers: () => readonly Observed[];
  readonly #leaders = new Map<Term, string>();
  /** Every entry that any server ever wrote, by index and term, with the term of the entry before it. */
  readonly #written = new Map<string, { readonly fingerprint: number; readonly previousTerm: Term }>();
  /** Committed entries by index; the first is at 1. */
  readonly #chosen: Chosen[] = [];
  readonly #encodings = new WeakMap<Membership, string>();
  /** The newest index that a client knows to be in force. */
  #known = 0;

  constructor(servers: () => readonly Observed[]) {
    this.#servers = servers;
  }

  get chosenIndex(): number {
    return this.#chosen.length;
  }

  /** What a read that begins now must see at least: the answers that clients have had so far. */
  get floor(): number {
    return this.#known;
  }

  termOfChosen(index: number): Term | null {
    return this.#chosen[index - 1]?.term ?? null;
  }

  /** Election safety, and leader completeness at the moment of the election. */
  afterStep(server: Observed): void {
    if (!server.isLeader) return;
    const who = `${server.id} in life ${server.life}`;
    const leader = this.#leaders.get(server.term);
    if (leader === who) return;
    if (leader !== undefined) throw new RuleBroken('one leader per term', `${leader} and ${who} both lead term ${server.term}`);
    this.#leaders.set(server.term, who);
    this.#checkComplete(server);
  }

  /** Log matching: two logs that agree on an entry's index and term agree on it and on all before it. */
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

  /** State-machine safety: no two servers take different entries as committed at one index. And leader completeness for those that lead already. */
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

  /** Servers that applied equally many entries hold equal stores, however they got there: by log or by snapshot. */
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

  /** A client was told that its write at `index` is done. */
  acknowledged(index: LogIndex): void {
    this.#known = Math.max(this.#known, index);
  }

  /** A client was told the state at `index`; `floor` is what this checker had when the read began. */
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

  /** Leader completeness: what was committed in a term is in the logs of the leaders of later terms. By log matching, the newest such entry speaks for all. */
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
