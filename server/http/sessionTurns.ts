import type { Http2Session, ServerHttp2Stream } from 'node:http2';

/** Requests of one HTTP/2 connection that begin in one turn of the event loop. */
export const begunPerTurnMax = 64;
/** Requests of one connection that wait for such a turn; more than streams may be open, since those that were taken back count until then. */
const waitingMax = 8_192;

interface Waiting { readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>; readonly begin: () => void }
interface Lane { begun: number; waiting: Waiting[] }

/**
 * A connection of HTTP/2 may bring a thousand requests with one read. Node hands each of them over before it has looked at the next frame, be it
 * the one that takes the request back: whoever opens and resets streams as fast as it can has every one of them begun (CVE-2023-44487), and keeps
 * everybody else waiting meanwhile. Here some begin at once and the others in the next turns, when others have had theirs; those that were taken back
 * by then never begin.
 */
export class SessionTurns {
  readonly #lanes = new WeakMap<Http2Session, Lane>();
  /** Those with requests that have begun in this turn, or wait. */
  #touched: Lane[] = [];
  readonly #perTurnMax: number;
  readonly #inNextTurn: (action: () => void) => void;

  constructor(perTurnMax = begunPerTurnMax, inNextTurn: (action: () => void) => void = setImmediate) {
    this.#perTurnMax = perTurnMax;
    this.#inNextTurn = inNextTurn;
  }

  take(session: Http2Session, stream: Waiting['stream'], begin: () => void): void {
    const lane = this.#laneOf(session);
    if (lane.begun >= this.#perTurnMax) {
      if (lane.waiting.length >= waitingMax) session.destroy();
      else lane.waiting.push({ stream, begin });
      return;
    }
    if (lane.begun === 0) this.#touch(lane);
    lane.begun += 1;
    begin();
  }

  #laneOf(session: Http2Session): Lane {
    const known = this.#lanes.get(session);
    if (known !== undefined) return known;
    const lane: Lane = { begun: 0, waiting: [] };
    this.#lanes.set(session, lane);
    return lane;
  }

  #touch(lane: Lane): void {
    if (this.#touched.length === 0) this.#inNextTurn(this.#turn);
    this.#touched.push(lane);
  }

  readonly #turn = (): void => {
    const touched = this.#touched;
    this.#touched = [];
    for (const lane of touched) {
      lane.begun = 0;
      if (lane.waiting.length > 0) this.#goOn(lane);
    }
  };

  /** Begins what waits, up to the bound. A lane in which some begin again, and which might have more, is looked at again in the next turn. */
  #goOn(lane: Lane): void {
    const { waiting } = lane;
    lane.waiting = [];
    let at = 0;
    for (; at < waiting.length && lane.begun < this.#perTurnMax; at += 1) {
      const { stream, begin } = waiting[at] as Waiting;
      if (stream.closed || stream.destroyed) continue;
      if (lane.begun === 0) this.#touch(lane);
      lane.begun += 1;
      begin();
    }
    lane.waiting = [...waiting.slice(at), ...lane.waiting];
  }
}
