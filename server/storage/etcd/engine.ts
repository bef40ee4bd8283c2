import { setTimeout as delay } from 'node:timers/promises';
import { revision as asRevision, type Revision } from '../../../raft/index.js';
import type {
  BarrierOutcome,
  Change,
  ChangeBatch,
  ChangesResult,
  Comparison,
  EngineOperation,
  KeyValue,
  RangeOptions,
  RangeResult,
  StoreEngine,
  WriteOutcome,
} from '../engine.js';
import type { EtcdClient } from './client.js';
import { EtcdError, failureOf } from './failure.js';
import type { Leases } from './leases.js';
import {
  compact,
  range,
  txn,
  type EtcdKeyValue,
  type RangeRequest,
  type RangeResponse,
  type RequestOp,
  type WatchEvent,
} from './messages.js';
import { answersProgressRightly } from './progress.js';
import { EtcdWatch } from './watch.js';

export interface EtcdEngineOptions {
  readonly client: EtcdClient;
  /** End exclusive; other content of the etcd is not read. */
  readonly start: string;
  readonly end: string;
  readonly leases: Leases;
  readonly report?: (what: string, error: unknown) => void;
}

const readTimeoutMs = 10_000;
const connectTimeoutMs = 5_000;
const rewatchPauseMs = 50;
const rewatchPauseMsMax = 1_000;
/** A written revision usually arrives as an event. */
const nudgeAfterMs = 30;
/** Unanswered requests after which another member is tried. */
const nudgesMax = 5;
const nudgeAgainMs = 400;
const pageKeysFirst = 100;
const pageKeysMin = 10;

interface Waiter {
  readonly revision: number;
  readonly resolve: (reached: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A store engine over an etcd. One watch over all keys delivers changes:
 *
 *     etcd ──watch──▶ delivered: "all up to revision D" ──▶ listeners (watch cache)
 *          ◀──txn───  write ─── waits until D ≥ its revision
 *          ◀──range── barrier ─ reads the newest revision R from a majority, waits until D ≥ R
 *
 * Reads without a revision use D. A broken watch continues after D on another member, without a loss; only if that history is compacted do listeners receive a
 * gap. See DESIGN.md.
 */
export class EtcdEngine implements StoreEngine {
  readonly #options: EtcdEngineOptions;
  readonly #listeners = new Set<(batch: ChangeBatch) => void>();
  readonly #failureListeners = new Set<(error: Error) => void>();
  readonly #waiters = new Set<Waiter>();
  readonly #started: Promise<void>;
  #watch: EtcdWatch | null = null;
  #delivered = 0;
  #lastEvent = 0;
  /** Changes are known from here on. */
  #floor = 0;
  #compacted = 0;
  #rightProgress = false;
  #nudging: NodeJS.Timeout | null = null;
  #nudges = 0;
  #rewatchPauseMs = rewatchPauseMs;
  #bytesPerKey = 0;
  #closed = false;

  constructor(options: EtcdEngineOptions) {
    this.#options = options;
    this.#started = this.#start();
    this.#started.catch(() => undefined);
  }

  get revision(): number {
    return this.#delivered;
  }

  async write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly EngineOperation[] },
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<WriteOutcome> {
    const deadline = performance.now() + timeoutMs;
    const { comparisons } = transaction;
    try {
      const success = await Promise.all(transaction.operations.map((operation) => this.#requestOf(operation)));
      const answer = await this.#options.client.call(
        txn,
        {
          compare: comparisons.map(({ key, modRevision }) => ({ result: 0 as const, target: 2 as const, key, modRevision })),
          success,
          failure: comparisons.map(({ key }) => ({ range: { key } })),
        },
        { timeoutMs: deadline - performance.now(), repeatable: false },
      );
      const revision = asRevision(answer.header.revision);
      if (!answer.succeeded) {
        const current = answer.responses.map(({ range: found }) => (found?.kvs[0] === undefined ? null : keyValueOf(found.kvs[0])));
        return { outcome: 'conflict', revision, current };
      }
      await this.#reach(revision, deadline - performance.now());
      return { outcome: 'applied', revision };
    } catch (error) {
      return failedWrite(failureOf(error));
    }
  }

  /** Other servers write to it too. */
  current(): null {
    return null;
  }

  async barrier(timeoutMs: number): Promise<BarrierOutcome> {
    const deadline = performance.now() + timeoutMs;
    try {
      const revision = await this.#newest(timeoutMs);
      if (await this.#reach(revision, deadline - performance.now())) return { outcome: 'reached', revision: asRevision(this.#delivered) };
      return { outcome: 'unavailable', reason: `etcd is at revision ${revision}, and this server has heard up to ${this.#delivered} only` };
    } catch (error) {
      return { outcome: 'unavailable', reason: failureOf(error).message };
    }
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    await this.#started;
    for (;;) {
      const result = await this.#rangeAt(options, Math.max(1, options.revision ?? this.#delivered));
      if (result.outcome !== 'compacted' || options.revision !== null) return result;
      // The present was compacted before later changes were delivered.
      if (!(await this.#reach(result.compacted, readTimeoutMs)))
        throw new EtcdError(
          'unavailable',
          `etcd has compacted up to ${result.compacted}, and this server has heard up to ${this.#delivered} only`,
        );
    }
  }

  async changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    await this.#started;
    const known = Math.max(this.#floor, this.#compacted);
    if (after < known) return { outcome: 'compacted', compacted: asRevision(known) };
    if (after >= this.#lastEvent) return { outcome: 'found', changes: [], through: asRevision(Math.max(after, this.#delivered)) };
    return this.#readBack(after, { through: this.#lastEvent, bytesMax });
  }

  async compact(wanted: Revision, timeoutMs: number): Promise<WriteOutcome> {
    await this.#started;
    const revision = Math.min(wanted, this.#delivered);
    try {
      await this.#options.client.call(compact, { revision }, { timeoutMs, repeatable: true });
    } catch (error) {
      const failure = failureOf(error);
      return failure.kind === 'compacted' ? { outcome: 'compacted', revision: asRevision(this.#delivered) } : failedWrite(failure);
    }
    this.#compacted = Math.max(this.#compacted, revision);
    this.#tell([], this.#delivered, false);
    return { outcome: 'applied', revision: asRevision(this.#delivered) };
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The process must end: etcd was restored to an earlier state. */
  onFailure(listener: (error: Error) => void): void {
    this.#failureListeners.add(listener);
  }

  stop(): void {
    this.#closed = true;
    this.#watch?.stop();
    if (this.#nudging !== null) clearTimeout(this.#nudging);
    for (const waiter of this.#waiters) this.#settle(waiter, false);
    this.#options.client.close();
  }

  async #start(): Promise<void> {
    for (let pauseMs = rewatchPauseMs; ; pauseMs = Math.min(pauseMs * 2, rewatchPauseMsMax)) {
      try {
        this.#delivered = this.#floor = this.#lastEvent = await this.#newest(connectTimeoutMs);
        break;
      } catch (error) {
        if (this.#closed) throw error;
        this.#options.report?.('etcd does not answer', error);
      }
      await delay(pauseMs, undefined, { ref: false });
    }
    await this.#readVersions();
    this.#rewatch();
  }

  async #readVersions(): Promise<void> {
    const members = await this.#options.client.members(connectTimeoutMs);
    const versions = members.flatMap(([, answer]) => (answer instanceof EtcdError ? [] : [answer.version]));
    // A silent member may be older than the others.
    this.#rightProgress = versions.length === members.length && versions.every(answersProgressRightly);
  }

  #rewatch(): void {
    if (this.#closed) return;
    const { client, start, end, report } = this.#options;
    this.#nudges = 0;
    this.#watch = new EtcdWatch(
      { client, start, end, from: this.#delivered + 1, trusted: () => this.#rightProgress },
      {
        events: (events) => {
          this.#rewatchPauseMs = rewatchPauseMs;
          this.#hear(events);
        },
        progress: (revision) => {
          this.#rewatchPauseMs = rewatchPauseMs;
          if (revision > this.#delivered) this.#tell([], revision, false);
        },
        compacted: (revision) => {
          this.#lose(revision).then(
            () => this.#rewatch(),
            (error: unknown) => {
              report?.('the state after a gap cannot be read', error);
              this.#rewatchLater();
            },
          );
        },
        ended: (error) => {
          if (this.#closed) return;
          report?.('the watch on etcd has ended, and goes on elsewhere', error);
          const again = (): void => this.#rewatchLater();
          this.#lookBack().then(again, again);
        },
      },
    );
  }

  #rewatchLater(): void {
    if (this.#closed) return;
    setTimeout(() => this.#rewatch(), this.#rewatchPauseMs).unref();
    this.#rewatchPauseMs = Math.min(this.#rewatchPauseMs * 2, rewatchPauseMsMax);
  }

  async #lookBack(): Promise<void> {
    const newest = await this.#newest(connectTimeoutMs);
    if (newest >= this.#delivered) return;
    const error = new EtcdError(
      'refused',
      `etcd is at revision ${newest}, behind ${this.#delivered}, which it had reported: it was restored from an earlier state`,
    );
    for (const listener of this.#failureListeners) listener(error);
  }

  async #lose(compacted: number): Promise<void> {
    const newest = await this.#newest(connectTimeoutMs);
    this.#compacted = Math.max(this.#compacted, compacted);
    this.#floor = this.#lastEvent = newest;
    this.#tell([], newest, true);
  }

  #hear(events: readonly WatchEvent[]): void {
    const fresh = events.filter(({ kv }) => kv.modRevision > this.#delivered);
    const last = fresh.at(-1)?.kv.modRevision;
    if (last === undefined) return;
    this.#lastEvent = last;
    this.#tell(fresh.map(changeOf), last, false);
  }

  #tell(changes: readonly Change[], revision: number, gap: boolean): void {
    this.#delivered = Math.max(this.#delivered, revision);
    this.#nudges = 0;
    const batch = { changes, revision: asRevision(this.#delivered), compacted: asRevision(this.#compacted), gap };
    for (const listener of this.#listeners) listener(batch);
    for (const waiter of this.#waiters) if (waiter.revision <= this.#delivered) this.#settle(waiter, true);
  }

  async #reach(revision: number, timeoutMs: number): Promise<boolean> {
    if (revision <= this.#delivered) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          this.#settle(waiter, false);
        },
        Math.max(0, timeoutMs),
      );
      const waiter: Waiter = { revision, resolve, timer };
      this.#waiters.add(waiter);
      this.#nudgeIn(nudgeAfterMs);
    });
  }

  #settle(waiter: Waiter, reached: boolean): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    waiter.resolve(reached);
  }

  #nudgeIn(ms: number): void {
    if (this.#closed) return;
    this.#nudging ??= setTimeout(() => {
      this.#nudging = null;
      if (this.#waiters.size === 0 || this.#closed) return;
      this.#nudge();
      this.#nudgeIn(nudgeAgainMs);
    }, ms).unref();
  }

  #nudge(): void {
    this.#nudges++;
    if (this.#nudges > nudgesMax) {
      this.#nudges = 0;
      // The member may answer other calls, but delivers no events.
      this.#watch?.giveUp();
      return;
    }
    if (this.#rightProgress) this.#watch?.askProgress();
    else this.#mark();
  }

  /** Our own write in the watch replaces unreliable progress answers. */
  #mark(): void {
    const put: RequestOp = { put: { key: `${this.#options.start}raftplane/progress`, value: Buffer.alloc(0) } };
    this.#options.client
      .call(txn, { compare: [], success: [put], failure: [] }, { timeoutMs: nudgeAgainMs, repeatable: true })
      .catch((error: unknown) => {
        this.#options.report?.('a mark of progress cannot be written', error);
      });
  }

  /** Returns a majority's newest revision. */
  async #newest(timeoutMs: number): Promise<number> {
    const { start } = this.#options;
    const answer = await this.#options.client.call(range, { key: start, countOnly: true }, { timeoutMs, repeatable: true });
    return answer.header.revision;
  }

  async #rangeAt(options: RangeOptions, at: number): Promise<RangeResult> {
    if (at > this.#delivered) return { outcome: 'future', revision: asRevision(this.#delivered) };
    if (at < this.#compacted) return { outcome: 'compacted', compacted: asRevision(this.#compacted) };
    try {
      return await this.#pages(options, at);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== 'compacted') throw failure;
      return { outcome: 'compacted', compacted: asRevision(await this.#compactedRevision(at)) };
    }
  }

  async #pages({ start, end, limit, bytesMax }: RangeOptions, at: number): Promise<RangeResult> {
    const request: RangeRequest = { key: start, rangeEnd: end ?? '\0', revision: at };
    const ask = (more: Partial<RangeRequest>): Promise<RangeResponse> =>
      this.#options.client.call(range, { ...request, ...more }, { timeoutMs: readTimeoutMs, repeatable: true });
    if (limit === 0) return { outcome: 'found', revision: asRevision(at), items: [], remaining: (await ask({ countOnly: true })).count };
    const items: KeyValue[] = [];
    let bytes = 0;
    for (let key = start; ;) {
      const page = await ask({
        key,
        limit: this.#keysFor(limit === null ? Infinity : limit - items.length, bytesMax === undefined ? null : bytesMax - bytes),
      });
      for (const kv of page.kvs) {
        items.push(keyValueOf(kv));
        bytes += kv.value.length;
      }
      if (page.kvs.length > 0) this.#bytesPerKey = Math.max(1, bytes / items.length);
      const remaining = page.count - page.kvs.length;
      const last = page.kvs.at(-1);
      if (
        last === undefined ||
        remaining === 0 ||
        (limit !== null && items.length >= limit) ||
        (bytesMax !== undefined && bytes >= bytesMax)
      )
        return { outcome: 'found', revision: asRevision(at), items, remaining };
      key = `${last.key}\0`;
    }
  }

  /** etcd bounds pages only by keys: earlier values predict sizes. */
  #keysFor(limit: number, bytes: number | null): number {
    const fitting =
      bytes === null ? Infinity : this.#bytesPerKey === 0 ? pageKeysFirst : Math.max(pageKeysMin, Math.floor(bytes / this.#bytesPerKey));
    const keys = Math.min(limit, fitting);
    return keys === Infinity ? 0 : keys;
  }

  /** `through` had an event, so it arrives again. */
  #readBack(after: number, { through, bytesMax }: { readonly through: number; readonly bytesMax: number }): Promise<ChangesResult> {
    return new Promise((resolve, reject) => {
      const replay = new Replay(through, bytesMax);
      const timer = setTimeout(() => {
        watch.stop();
        reject(new EtcdError('unavailable', 'etcd did not report again what it had reported before'));
      }, readTimeoutMs);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        watch.stop();
        settle();
      };
      const { client, start, end: rangeEnd } = this.#options;
      const watch: EtcdWatch = new EtcdWatch(
        { client, start, end: rangeEnd, from: after + 1, trusted: () => false },
        {
          events: (events) => {
            const complete = replay.add(events);
            if (complete !== null)
              end(() => {
                resolve({ outcome: 'found', changes: replay.changes, through: complete });
              });
          },
          progress: () => undefined,
          compacted: (revision) => {
            this.#compacted = Math.max(this.#compacted, revision);
            end(() => {
              resolve({ outcome: 'compacted', compacted: asRevision(revision) });
            });
          },
          ended: (error) => {
            end(() => {
              reject(error);
            });
          },
        },
      );
    });
  }

  /** etcd reports it only to an earlier watch. */
  async #compactedRevision(at: number): Promise<number> {
    const result = await new Promise<number>((resolve, reject) => {
      const { client, start, end } = this.#options;
      const watch = new EtcdWatch(
        { client, start, end, from: at, trusted: () => false },
        {
          events: () => {
            watch.stop();
            resolve(this.#delivered);
          },
          progress: () => undefined,
          compacted: resolve,
          ended: reject,
        },
      );
    });
    this.#compacted = Math.max(this.#compacted, result);
    return this.#compacted;
  }

  async #requestOf(operation: EngineOperation): Promise<RequestOp> {
    if (operation.type === 'delete') return { deleteRange: { key: operation.key } };
    const { key, value, ttlMs } = operation;
    return { put: { key, value, ...(ttlMs === undefined ? {} : { lease: await this.#options.leases.leaseFor(ttlMs) }) } };
  }
}

class Replay {
  readonly changes: Change[] = [];
  readonly #through: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(through: number, bytesMax: number) {
    this.#through = through;
    this.#bytesMax = bytesMax;
  }

  /** Returns the last complete revision once that is enough, or null. */
  add(events: readonly WatchEvent[]): Revision | null {
    for (const event of events) {
      const { modRevision } = event.kv;
      const complete = this.changes.at(-1)?.revision;
      if (complete !== undefined && complete !== modRevision && (this.#isFull || modRevision > this.#through)) return complete;
      this.changes.push(changeOf(event));
      this.#bytes += event.kv.value.length;
    }
    const last = this.changes.at(-1)?.revision;
    return last !== undefined && (last >= this.#through || this.#isFull) ? last : null;
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#bytesMax;
  }
}

function failedWrite(failure: EtcdError): WriteOutcome {
  switch (failure.kind) {
    case 'refused':
      return { outcome: 'rejected', reason: failure.message };
    case 'unavailable':
      return { outcome: 'unavailable', reason: failure.message };
    case 'compacted':
    case 'future':
    case 'unknown':
      return { outcome: 'unknown', reason: failure.message };
  }
}

const keyValueOf = ({ key, value, createRevision, modRevision, version }: EtcdKeyValue): KeyValue => ({
  key,
  value,
  createRevision: asRevision(createRevision),
  modRevision: asRevision(modRevision),
  version,
});

const changeOf = ({ type, kv }: WatchEvent): Change => ({
  revision: asRevision(kv.modRevision),
  key: kv.key,
  value: type === 1 ? null : kv.value,
  createRevision: asRevision(kv.createRevision),
});
