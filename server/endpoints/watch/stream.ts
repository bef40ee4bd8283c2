import { BoundedMap } from '../../../api/boundedMap.js';
import { internalError, StatusError } from '../../../api/status.js';
import { delayMsMax } from '../../../program/flags/duration.js';
import { watchFailure } from '../../registry/failures.js';
import type { ServedResource } from '../../registry/resources.js';
import type { Failure, Version, Watch, WatchEvent, WatchSink } from '../../storage/contract.js';
import type { WatchEnd } from '../../storage/watchEnds.js';
import { encodeObject, typeOf } from '../answers.js';
import type { WatchCount, WatchScope } from '../counts.js';
import { partial, type Representation } from '../negotiation.js';
import { bookmarkTable, tableOf } from '../table/table.js';
import { Batch } from './batch.js';
import { emptyObject } from './emptyObject.js';
import { flusher, type Flushable, type FlushQueue } from './flusher.js';
import type { Framing, Transport, Writer } from './transport.js';

/** Later events stay in storage's shared history: a slow client costs others nothing, and only a watch that falls behind history ends. */
const bufferedBytesMax = 4 * 1024 * 1024;
/** The limit above which a watch pauses while events are replayed. */
const bufferedBytesPause = 256 * 1024;
/** Time after which a client that takes nothing is disconnected. */
const stalledMs = 60_000;
const lingerMs = 10_000;
/** Completion callbacks are costly, so only the write that reaches this limit has one. */
const unaskedBytesMax = 4 * 1024;
const batchesAtOnce = 4;
/** Total above which each watcher gets one batch at a time. */
const underWayBytesOfAll = 16 * 1024 * 1024;
const bookmarkIntervalMs = 60_000;
/** Custom resource definitions come and go. */
const frameKeysMax = 10_000;
/** A client can resume close to the end. */
const lastBookmarkBeforeEndMs = 2_000;
const initialEventsEndAnnotation = 'k8s.io/initial-events-end';

let underWayOfAll = 0;

/** Watches with the same encoding share one text instead of a rope. */
const frameKeys = new BoundedMap<string, string>(frameKeysMax);
const oneOf = (key: string): string => frameKeys.of(key, (text) => text);

function endOf(failure: Failure): WatchEnd {
  switch (failure.outcome) {
    case 'expired':
      return failure.why;
    case 'tooLarge':
      return 'VersionTooLarge';
    case 'unavailable':
      return 'Unavailable';
  }
}

export interface StreamOptions {
  readonly resource: ServedResource;
  readonly representation: Representation;
  readonly framing: Framing;
  /** Unparsed: empty, "0", or a version. */
  readonly resourceVersion: string;
  /** A bookmark follows the initial events. */
  readonly initialEventsEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly count?: WatchCount;
  readonly scope?: WatchScope;
  /** The start of the request, by the monotonic clock. */
  readonly begunAt?: number;
  readonly stalledMs?: number;
}

/**
 * Watches with the same encoding share encoded events, and those that wait for the same events share the joined bytes.
 *
 *     event ──▶ frame (shared) ──▶ pending ──flusher──▶ transport ──▶ client
 *                                     ▲                     │
 *                                     └── waits while the client does not read: storage goes on when there is room again
 */
export class WatchStream implements WatchSink, Flushable, Writer {
  readonly #options: StreamOptions;

  // Fields that every event touches stand together.
  #over = false;
  #queued = false;
  /** The last batch may grow; usually null. */
  #last: Batch | null = null;
  #before: Batch[] | null = null;
  #pendingBytes = 0;
  #unsent = 0;
  /** One write at a time has a callback. */
  #asked = false;
  #headersShown = false;
  readonly #table: boolean;
  readonly #frameKey: string;
  readonly #count: WatchCount | null;
  #transport: Transport | null = null;
  #flushQueue: FlushQueue | undefined = undefined;
  #watch: Watch | null = null;
  #failure: Failure | null = null;
  #endTimer: NodeJS.Timeout | null = null;
  #bookmarkTimer: NodeJS.Timeout | null = null;
  #stallTimer: NodeJS.Timeout | null = null;
  #lingerTimer: NodeJS.Timeout | null = null;
  #whenOver: ((why: WatchEnd) => void) | null = null;
  #emptied: (() => void)[] | null = null;

  constructor(options: StreamOptions) {
    this.#options = options;
    const {
      resource,
      framing,
      representation: { encoder, form },
    } = options;
    this.#table = form.form === 'table';
    this.#count = options.count ?? null;
    this.#frameKey = oneOf(
      `${encoder.mediaType}${framing.name} ${resource.group}/${resource.version} ${form.form}${form.form === 'table' ? `${form.include} ${form.apiVersion}` : ''}`,
    );
  }

  /** An expired version is reported within the stream. */
  get refusal(): StatusError | null {
    return this.#failure === null || this.#failure.outcome === 'expired'
      ? null
      : watchFailure(this.#failure, this.#options.resourceVersion);
  }

  /** Calls `whenOver` once. A promise would keep its waiters as long as the watch. */
  run(watch: Watch, transport: Transport, whenOver: (why: WatchEnd) => void): void {
    this.#watch = watch;
    this.#transport = transport;
    this.#flushQueue = transport.flushQueue;
    this.#whenOver = whenOver;
    const timeoutMs = Math.min(this.#options.timeoutMs, delayMsMax);
    transport.whenClosed(() => {
      this.#closed();
    });
    if (this.#over) return;
    if (this.#last !== null) this.#queue();
    if (this.#failure !== null) return this.end(this.#failure);
    this.#endTimer = setTimeout(() => {
      this.stop('TimedOut');
    }, timeoutMs);
    if (this.#options.bookmarks) this.#scheduleBookmark(performance.now() + timeoutMs);
  }

  stop(why: WatchEnd): void {
    this.#finish(why);
  }

  event(event: WatchEvent): void {
    if (this.#over) return;
    try {
      const frame = event.frame(this.#keyFor(), this.#encode);
      this.#write(frame);
      this.#count?.sent(frame.length);
    } catch (error) {
      // An error with one object must end only this watch.
      this.#fail('EventFailed', error instanceof StatusError ? error : internalError(error));
    }
  }

  synced(version: Version): void {
    const { bookmarks, initialEventsEnd, count, scope = 'cluster', begunAt } = this.#options;
    if (!bookmarks || !initialEventsEnd) return;
    this.#write(this.#bookmark(version, true));
    if (begunAt !== undefined) count?.listed(scope, (performance.now() - begunAt) / 1000);
  }

  end(reason: Failure): void {
    this.#failure = reason;
    if (this.#transport !== null && !this.#over) this.#fail(endOf(reason), watchFailure(reason, this.#options.resourceVersion));
  }

  drained(): Promise<void> | null {
    if (this.#over || this.#waitingBytes < bufferedBytesPause) return null;
    this.#stallTimer ??= setTimeout(() => {
      this.#finish('ClientStalled');
    }, this.#options.stalledMs ?? stalledMs);
    return new Promise((resolve) => {
      (this.#emptied ??= []).push(resolve);
    });
  }

  flush(): void {
    this.#queued = false;
    const transport = this.#transport;
    if (this.#over || this.#last === null || transport === null || this.#asked) return;
    const parts = this.#nextParts();
    if (this.#unsent >= unaskedBytesMax || this.#emptied !== null) {
      this.#asked = true;
      underWayOfAll += this.#unsent;
    }
    transport.write(parts, this.#asked ? this : null);
  }

  #nextParts(): Buffer[] {
    const before = this.#before;
    const last = this.#last;
    const atOnce = underWayOfAll < underWayBytesOfAll ? batchesAtOnce : 1;
    const batches = before?.splice(0, atOnce) ?? [];
    if (last !== null && batches.length < atOnce) {
      batches.push(last);
      this.#last = null;
    }
    if (before?.length === 0) this.#before = null;
    let bytes = 0;
    for (const batch of batches) bytes += batch.bytes;
    this.#pendingBytes -= bytes;
    this.#unsent += bytes;
    return batches.map((batch) => batch.joined);
  }

  taken(): void {
    this.#forgetUnderWay();
    if (this.#stallTimer !== null) this.#stallTimer.refresh();
    if (this.#last !== null && !this.#queued) this.#queue();
    else if (this.#emptied !== null) this.#tellEmptied();
  }

  #forgetUnderWay(): void {
    if (this.#asked) underWayOfAll -= this.#unsent;
    this.#asked = false;
    this.#unsent = 0;
  }

  get #waitingBytes(): number {
    return this.#pendingBytes + this.#unsent;
  }

  #tellEmptied(): void {
    if (this.#stallTimer !== null) clearTimeout(this.#stallTimer);
    this.#stallTimer = null;
    const resolves = this.#emptied ?? [];
    this.#emptied = null;
    for (const resolve of resolves) resolve();
  }

  #fail(why: WatchEnd, error: StatusError): void {
    const { encoder } = this.#options.representation;
    this.#write(this.#framed(encoder.frame('ERROR', encoder.document(error.toStatus()))));
    this.#finish(why);
  }

  #write(frame: Buffer): void {
    if (this.#over) return;
    this.#headersShown = true;
    this.#append(frame);
    if (!this.#queued && !this.#asked) this.#queue();
    if (this.#waitingBytes > bufferedBytesMax) this.#watch?.fallBehind();
  }

  #append(frame: Buffer): void {
    this.#pendingBytes += frame.length;
    const last = this.#last;
    if (last === null) this.#last = Batch.of(frame);
    else if (last.hasRoomFor(frame)) this.#last = last.followedBy(frame);
    else {
      (this.#before ??= []).push(last);
      this.#last = Batch.of(frame);
    }
  }

  #queue(): void {
    this.#queued = this.#transport !== null;
    if (this.#queued) flusher.add(this, this.#flushQueue);
  }

  /** Tables show their columns in the first event only. */
  #keyFor(): string {
    return this.#table && !this.#headersShown ? `${this.#frameKey} first` : this.#frameKey;
  }

  #framed(encoded: Buffer): Buffer {
    return this.#options.framing.frame(encoded);
  }

  /** One closure for all events. */
  readonly #encode = ({ type, object }: WatchEvent): Buffer => {
    const { resource, representation } = this.#options;
    const { encoder, form } = representation;
    if (form.form !== 'table') return this.#framed(encoder.frame(type, encodeObject(representation, resource, object)));
    return this.#framed(
      encoder.frame(
        type,
        encoder.document(tableOf(resource, [object], { resourceVersion: String(object.version) }, { form, headers: !this.#headersShown })),
      ),
    );
  };

  #scheduleBookmark(endAt: number): void {
    const left = endAt - performance.now() - lastBookmarkBeforeEndMs;
    if (left <= 0) return;
    // A timer may fire a moment early.
    const last = left <= bookmarkIntervalMs;
    this.#bookmarkTimer = setTimeout(
      () => {
        const version = this.#watch?.version ?? 0;
        if (version > 0) this.#write(this.#bookmark(version, false));
        if (!last) this.#scheduleBookmark(endAt);
      },
      Math.ceil(Math.min(left, bookmarkIntervalMs)),
    );
  }

  #bookmark(version: Version, initialEventsEnd: boolean): Buffer {
    const {
      resource,
      representation: { encoder, form },
    } = this.#options;
    const meta = {
      resourceVersion: String(version),
      ...(initialEventsEnd ? { annotations: { [initialEventsEndAnnotation]: 'true' } } : {}),
    };
    if (form.form === 'table')
      return this.#framed(
        encoder.frame('BOOKMARK', encoder.document(bookmarkTable(resource, meta, { form, headers: !this.#headersShown }))),
      );
    const object =
      form.form === 'partial'
        ? { kind: partial, apiVersion: form.apiVersion, metadata: meta }
        : { ...typeOf(resource), metadata: meta, ...emptyObject(resource) };
    return this.#framed(encoder.frame('BOOKMARK', encoder.document(object)));
  }

  #finish(why: WatchEnd): void {
    if (this.#over) return;
    const inOrder = why !== 'ClientClosed' && why !== 'ClientStalled';
    const left = this.#last === null ? [] : [...(this.#before ?? []), this.#last];
    if (inOrder && this.#waitingBytes > 0)
      this.#lingerTimer = setTimeout(() => {
        this.#transport?.destroy();
      }, lingerMs);
    this.#before = null;
    this.#last = null;
    this.#over = true;
    this.#forgetUnderWay();
    this.#watch?.stop();
    if (this.#endTimer !== null) clearTimeout(this.#endTimer);
    if (this.#bookmarkTimer !== null) clearTimeout(this.#bookmarkTimer);
    if (inOrder) this.#transport?.end(left.map((batch) => batch.joined));
    if (why === 'ClientStalled') this.#transport?.destroy();
    this.#tellEmptied();
    this.#options.count?.ended(why);
    this.#whenOver?.(why);
  }

  #closed(): void {
    if (this.#lingerTimer !== null) clearTimeout(this.#lingerTimer);
    this.#finish('ClientClosed');
  }
}
