import type { ProposeForward, RefusedForward } from '../transport/contract.js';
import type { Term } from '../types.js';

interface Session {
  attempt: number;
  part: number;
  last: number;
}

/** Takes proposals in order, and each sequence at most once per term. The memory ends with the leadership, which is unique in a term. */
export class Sessions {
  readonly #sessionsMax: number;
  #term: Term | null = null;
  #sessions = new Map<string, Session>();

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax;
  }

  /** `append` adds all or none of the commands in the message's term. Returns the answer to send, if any. */
  receive(message: ProposeForward, leads: boolean, append: (commands: readonly Uint8Array[]) => boolean): RefusedForward | null {
    const first = message.proposals[0];
    if (first === undefined) return null;
    if (!leads) return refusal(message, false, first.sequence);
    if (this.#term !== message.term) this.#begin(message.term);
    const session = this.#session(message.session);
    if (session === null) return refusal(message, true, first.sequence);
    return receiveInOrder(session, message, append);
  }

  #begin(term: Term): void {
    this.#term = term;
    this.#sessions = new Map();
  }

  #session(name: string): Session | null {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    if (this.#sessions.size >= this.#sessionsMax) return null;
    const session = { attempt: 0, part: 0, last: 0 };
    this.#sessions.set(name, session);
    return session;
  }
}

function receiveInOrder(
  session: Session,
  message: ProposeForward,
  append: (commands: readonly Uint8Array[]) => boolean,
): RefusedForward | null {
  // An abandoned attempt must have no further effect.
  if (message.attempt < session.attempt) return null;
  if (message.attempt > session.attempt) {
    session.attempt = message.attempt;
    session.part = 0;
  }
  if (message.part < session.part) return null;
  if (message.part > session.part) return refusal(message, true, session.last + 1);
  const fresh = message.proposals.filter(({ sequence }) => sequence > session.last);
  if (fresh.length > 0 && !append(fresh.map(({ command }) => command))) return refusal(message, true, session.last + 1);
  session.part += 1;
  session.last = fresh[fresh.length - 1]?.sequence ?? session.last;
  return null;
}

function refusal(message: ProposeForward, leads: boolean, refusedFrom: number): RefusedForward {
  return { type: 'refused', term: message.term, session: message.session, attempt: message.attempt, leads, refusedFrom };
}
