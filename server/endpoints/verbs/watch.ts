import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { internalError, StatusError } from '../../api/status.js';
import type { ServedResource } from '../../catalogue/resources.js';
import type { ListMeta } from '../encoders/encoder.js';
import { watchFailure } from '../../registry/failures.js';
import type { Failure, Version, Watch, WatchEvent, WatchSink } from '../../storage/contract.js';
import { asWritable, drained, encodeObject, isGone, PARTIAL, typeOf, writeHead } from '../answers.js';
import type { RequestContext } from '../context.js';
import { negotiate, type Representation } from '../negotiation.js';
import { parseWatchOptions, type WatchOptions } from '../options/listOptions.js';
import type { Route } from '../routing.js';
import { tableOf } from '../table/table.js';
import type { VerbDeps, VerbHandler } from './deps.js';

/**
 * Bytes that may wait for a client beyond what its connection holds. A client that is further behind is cut off: it resumes from its last
 * version, and nobody else pays for it.
 */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;
/** During initial events the watch pauses above this. */
const BUFFERED_BYTES_PAUSE = 256 * 1024;
const BOOKMARK_INTERVAL_MS = 60_000;
/** The last bookmark comes this long before the end, so that a client can resume close to it. */
const LAST_BOOKMARK_BEFORE_END_MS = 2_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** GET with `watch`, and the older `/watch/` paths: a stream of events until the time is over or the client goes. */
export const watch: VerbHandler = async (context, route, deps) => {
  const representation = negotiate(context, { collection: true, stream: true });
  const options = parseWatchOptions(context.query, route.resource);
  const seconds = options.timeoutSeconds ?? deps.minRequestTimeoutSeconds * (1 + Math.random());
  const stream = new WatchStream(context, route.resource, representation, options, Math.max(0, seconds) * 1000);
  await stream.run(sink => startWatch(route, options, deps, sink));
};

async function startWatch(route: Route, options: WatchOptions, { registry }: VerbDeps, sink: WatchSink): Promise<Watch> {
  const { resource, namespace, name } = route;
  const fields = name === '' ? options.fields : [...options.fields, { field: 'metadata.name', equals: true, value: name }];
  const scope = resource.namespaced ? namespace : null;
  const query = { namespace: scope, labels: options.labels, fields };
  const { resourceVersion, initialEvents } = options;
  if (resourceVersion !== '' && Number(resourceVersion) !== 0) return registry.watch(resource, { ...query, start: { at: 'after', version: Number(resourceVersion) }, initialEvents }, sink);
  if (initialEvents) return registry.watch(resource, { ...query, start: { at: resourceVersion === '' ? 'mostRecent' : 'any' }, initialEvents: true }, sink);
  // Nothing of what is there, only what follows: from the current version on.
  const now = await registry.list(resource, { ...query, consistency: { at: 'mostRecent' }, limit: 1, after: null });
  return registry.watch(resource, { ...query, start: { at: 'after', version: now.version }, initialEvents: false }, sink);
}

/** One watch as its client sees it. Events are encoded at most once for all watches that show them alike. */
class WatchStream implements WatchSink {
  private watch: Watch | null = null;
  private ended: (() => void) | null = null;
  private failure: Failure | null = null;
  private open = false;
  private over = false;
  private headersShown = false;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly frameKey: string;

  constructor(
    private readonly context: RequestContext, private readonly resource: ServedResource, private readonly representation: Representation,
    private readonly options: WatchOptions, private readonly timeoutMs: number,
  ) {
    const { encoder, form } = representation;
    this.frameKey = `${encoder.mediaType} ${resource.group}/${resource.version} ${form.form}${form.form === 'table' ? `${form.include} ${form.apiVersion}` : ''}`;
  }

  /** Settles when the stream is over. Throws StatusError if the watch fails before anything is sent. */
  async run(start: (sink: WatchSink) => Promise<Watch>): Promise<void> {
    this.watch = await start(this);
    // A watch that cannot be served at all says so within its first turn; then a status is clearer than a stream with an error in it.
    await nextTurn();
    const early = this.failure as Failure | null;
    if (early !== null && early.outcome !== 'expired') throw watchFailure(early, this.options.resourceVersion);
    if (this.context.signal.aborted || isGone(this.context.response)) return this.watch.stop();
    await new Promise<void>(resolve => {
      this.ended = resolve;
      this.begin();
    });
  }

  private begin(): void {
    const { response, signal } = this.context;
    response.once('close', () => this.finish(false));
    signal.addEventListener('abort', () => this.finish(true), { once: true });
    this.openStream();
    if (this.failure !== null) return this.end(this.failure);
    if (this.over) return;
    this.timers.push(setTimeout(() => this.finish(true), this.timeoutMs));
    if (this.options.bookmarks) this.scheduleBookmark(performance.now() + this.timeoutMs);
  }

  event(event: WatchEvent): void {
    if (this.over) return;
    try {
      this.write(event.frame(this.keyFor(), each => this.encode(each)));
    } catch (error) {
      // Storage is in the middle of telling everybody; what is wrong with one object must end this watch and nothing else.
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const { encoder } = this.representation;
    this.write(encoder.frame('ERROR', encoder.document((error instanceof StatusError ? error : internalError(error)).toStatus())));
    this.finish(true);
  }

  synced(version: Version): void {
    if (this.options.bookmarks && this.options.initialEvents) this.write(this.bookmark(version, true));
  }

  end(reason: Failure): void {
    this.failure = reason;
    if (!this.open || this.over) return;
    const { encoder } = this.representation;
    this.write(encoder.frame('ERROR', encoder.document(watchFailure(reason, this.options.resourceVersion).toStatus())));
    this.finish(true);
  }

  drained(): Promise<void> | null {
    const { response } = this.context;
    return response.writableLength < BUFFERED_BYTES_PAUSE || isGone(response) ? null : drained(response);
  }

  /** Tables show their columns in the first event only. */
  private keyFor(): string {
    return this.representation.form.form === 'table' && !this.headersShown ? `${this.frameKey} first` : this.frameKey;
  }

  private encode({ type, object }: WatchEvent): Buffer {
    const { encoder, form } = this.representation;
    if (form.form !== 'table') return encoder.frame(type, encodeObject(this.representation, this.resource, object));
    return encoder.frame(type, encoder.document(tableOf(this.resource, [object], { resourceVersion: String(object.version) }, form, !this.headersShown)));
  }

  private openStream(): void {
    const { encoder } = this.representation;
    if (this.open) return;
    this.open = true;
    writeHead(this.context, 200, contentTypeOf(encoder.mediaType, encoder.streamType), null);
    // HTTP/2 responses have the method as well; only their declared type does not.
    (this.context.response as ServerResponse).flushHeaders();
  }

  private write(frame: Buffer): void {
    if (this.over) return;
    this.openStream();
    this.headersShown = true;
    const { response } = this.context;
    asWritable(response).write(frame);
    if (response.writableLength > BUFFERED_BYTES_MAX) {
      this.finish(false);
      response.destroy();
    }
  }

  private scheduleBookmark(endAt: number): void {
    const left = endAt - performance.now() - LAST_BOOKMARK_BEFORE_END_MS;
    if (left <= 0) return;
    this.timers.push(setTimeout(() => {
      this.timers.length = Math.min(this.timers.length, 1);
      const version = this.watch?.version ?? 0;
      if (version > 0) this.write(this.bookmark(version, false));
      this.scheduleBookmark(endAt);
    }, Math.min(left, BOOKMARK_INTERVAL_MS)));
  }

  private bookmark(version: Version, initialEventsEnd: boolean): Buffer {
    const { encoder, form } = this.representation;
    const meta = { resourceVersion: String(version), ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}) };
    if (form.form === 'table') return encoder.frame('BOOKMARK', encoder.document(tableOf(this.resource, [], meta as ListMeta, form, !this.headersShown)));
    const type = form.form === 'partial' ? { kind: PARTIAL, apiVersion: form.apiVersion } : typeOf(this.resource);
    return encoder.frame('BOOKMARK', encoder.document({ ...type, metadata: meta }));
  }

  private finish(endResponse: boolean): void {
    if (this.over) return;
    this.over = true;
    this.watch?.stop();
    for (const timer of this.timers) clearTimeout(timer);
    if (endResponse && !this.context.response.writableEnded) this.context.response.end();
    this.ended?.();
  }
}

/** JSON streams keep the plain type; others say that they are streams. */
const contentTypeOf = (mediaType: string, streamType: string | null): string => (streamType === null || streamType === mediaType ? mediaType : streamType);
