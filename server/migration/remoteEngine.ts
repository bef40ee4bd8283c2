import { setTimeout as delay } from 'node:timers/promises';
import { revision, type Revision } from '../../raft/index.js';
import { RefusedError, type Servers } from '../operations/connection.js';
import type { BarrierOutcome, ChangesResult, RangeOptions, RangeResult, StoreEngine, WriteOutcome } from '../storage/engine.js';
import { changesFromJson, rangeFromJson, type ChangesAnswer, type RangeAnswer } from '../storage/wire.js';
import { errorText } from '../../api/errorText.js';

/** Time for a server that restarts, or lacks a leader. */
const waitMsMax = 60_000;
const pauseMs = 200;
/** Another server would respond the same. */
const definite: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 501]);
const readOnly: WriteOutcome = { outcome: 'rejected', reason: 'the store of running servers is only read' };

/** Reads the built-in store of running servers through the operators' paths. Keeps to a server that responds. */
export class RemoteEngine implements StoreEngine {
  readonly #servers: Servers;
  #preferred = 0;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  async barrier(): Promise<BarrierOutcome> {
    try {
      return { outcome: 'reached', revision: revision(((await this.#ask('GET', 'revision')) as { readonly revision: number }).revision) };
    } catch (error) {
      return { outcome: 'unavailable', reason: errorText(error) };
    }
  }

  current(): null {
    return null;
  }

  /** A server that is behind is asked again. */
  async range({ start, end, revision: at, limit, bytesMax }: RangeOptions): Promise<RangeResult> {
    const query = queryOf({ start, end, revision: at, limit, bytes: bytesMax });
    for (const deadline = performance.now() + waitMsMax; ; await delay(pauseMs)) {
      const result = rangeFromJson((await this.#ask('GET', `range?${query}`)) as RangeAnswer);
      if (result.outcome !== 'future' || performance.now() > deadline) return result;
    }
  }

  async changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    return changesFromJson((await this.#ask('GET', `changes?${queryOf({ after, bytes: bytesMax })}`)) as ChangesAnswer);
  }

  /** Ends all writes to the store; refused writers receive `reason`. */
  async seal(reason: string): Promise<void> {
    await this.#ask('PUT', 'seal', { reason });
  }

  async unseal(): Promise<void> {
    await this.#ask('DELETE', 'seal');
  }

  write(): Promise<WriteOutcome> {
    return Promise.resolve(readOnly);
  }

  compact(): Promise<WriteOutcome> {
    return Promise.resolve(readOnly);
  }

  onChanges(): () => void {
    throw new Error('broken invariant: a store that is read from outside tells nothing by itself');
  }

  /** Every request is idempotent. */
  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const { addresses } = this.#servers;
    for (const deadline = performance.now() + waitMsMax; ; await delay(pauseMs)) {
      try {
        return await this.#servers.ask(addresses[this.#preferred % addresses.length]!, method, `/raft/v1/${path}`, body);
      } catch (error) {
        if ((error instanceof RefusedError && definite.has(error.code)) || performance.now() > deadline) throw error;
        this.#preferred++;
      }
    }
  }
}

const queryOf = (parts: Readonly<Record<string, string | number | null | undefined>>): string =>
  new URLSearchParams(
    Object.entries(parts).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)] as [string, string]])),
  ).toString();
