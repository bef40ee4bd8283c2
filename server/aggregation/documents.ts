import type { JsonValue } from '../../api/object.js';
import { memberAt, textAt } from '../../api/json/members.js';
import type { BuiltDocument, Encoding } from '../openapi/build.js';
import { createBuilder, type Builder } from '../openapi/builder.js';
import type { RemoteDocument } from '../openapi/remote/contract.js';
import { contentHash } from '../endpoints/conditional.js';
import { jsonCodec } from '../../workers/codecs/json.js';
import type { ApiService, ApiServices } from './apiServices.js';
import type { ServiceConnections } from './connections.js';
import { download, type Download } from './downloads.js';

/**
 * OpenAPI documents of extension servers, as in kube-aggregator (pkg/controllers/openapi, openapiv3). The index of version 3 and the document of version 2 are
 * polled while a server is available, documents of version 3 fetched on request.
 */

/** `successfulUpdateDelay` of kube-aggregator. */
const lookAgainMs = 60_000;
/** The delay after a failure, doubled after each further one. */
const retryMs = 1_000;
const retryMsMax = 600_000;
const indexTimeoutMs = 10_000;
const documentTimeoutMs = 30_000;
/** Read in one turn of the event loop. */
const indexBytesMax = 256 * 1024;
const documentBytesMax = 16 * 1024 * 1024;
const depthMax = 50;

export interface RemoteDocumentsOptions {
  readonly services: ApiServices;
  readonly connections: ServiceConnections;
  readonly report: (name: string, error: unknown) => void;
  /** For tests. */
  readonly lookAgainMs?: number;
}

interface Indexed {
  readonly hash: string;
  readonly query: string;
}

class Known {
  readonly tags = { index: null as string | null, v2: null as string | null };
  v2Bytes = '';
  v2: BuiltDocument | null = null;
  /** Null for programs without version 3. */
  index: Indexed | null = null;
  /** Version 3 documents by encoding, for their hash. */
  shown: { readonly hash: string; readonly documents: Map<Encoding, Promise<BuiltDocument>>; kept: Promise<Uint8Array> | null } | null =
    null;
  failures = 0;
  /** Timer of the next poll; undefined during one, null while unavailable. */
  timer: NodeJS.Timeout | undefined | null;
  readonly ended = new AbortController();

  constructor(
    readonly service: ApiService,
    /** Changes with the identity of the program. */
    readonly key: string,
  ) {}

  /** The hash of the version 3 document, original or converted from version 2. */
  get hash(): string | null {
    return this.index?.hash ?? this.v2?.hash ?? null;
  }

  /** Pauses polling. */
  wait(): void {
    clearTimeout(this.timer ?? undefined);
    this.timer = null;
  }

  end(): void {
    this.wait();
    this.ended.abort();
  }
}

export class RemoteDocuments {
  readonly #options: RemoteDocumentsOptions;
  readonly #known = new Map<string, Known>();
  readonly #builder: Builder = createBuilder();
  #made: readonly RemoteDocument[] | null = null;

  constructor(options: RemoteDocumentsOptions) {
    this.#options = options;
    options.services.onChange((name) => {
      this.#changed(name);
    });
    for (const { name } of options.services.all()) this.#changed(name);
  }

  /** The array is replaced with every change. */
  all(): readonly RemoteDocument[] {
    return (this.#made ??= [...this.#known]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, known]) => ({
        path: pathOf(known.service),
        hash: this.#isAvailable(name) ? known.hash : null,
        v2: known.v2?.gzip ?? null,
        document: (encoding) => this.#document(known, encoding),
      })));
  }

  async stop(): Promise<void> {
    for (const known of this.#known.values()) known.end();
    await this.#builder.close();
  }

  #isAvailable(name: string): boolean {
    const service = this.#options.services.get(name);
    return service !== null && service.target !== null && service.availability?.status === 'True';
  }

  #changed(name: string): void {
    const service = this.#options.services.get(name);
    const before = this.#known.get(name);
    this.#made = null;
    const key = service === null || service.target === null ? null : keyOf(service);
    const available = this.#isAvailable(name);
    if (before !== undefined && before.key === key) {
      if (available && before.timer === null) void this.#look(before);
      else if (!available && before.timer !== undefined) before.wait();
      return;
    }
    // Results of an earlier state do not count.
    before?.end();
    this.#known.delete(name);
    if (service === null || key === null || !available) return;
    const known = new Known(service, key);
    this.#known.set(name, known);
    void this.#look(known);
  }

  /** Runs one poll at a time per service. Reports only the first of several failures. */
  async #look(known: Known): Promise<void> {
    const { report, lookAgainMs: after = lookAgainMs } = this.#options;
    known.timer = undefined;
    const [index, v2] = await Promise.allSettled([this.#lookAtIndex(known), this.#lookAtV2(known)]);
    if (known.ended.signal.aborted) return;
    const failed = [index, v2].find((each) => each.status === 'rejected');
    if (failed === undefined) known.failures = 0;
    else if (known.failures++ === 0) report(known.service.name, failed.reason);
    known.timer = null;
    if (!this.#isAvailable(known.service.name)) return;
    known.timer = setTimeout(
      () => {
        void this.#look(known);
      },
      failed === undefined ? after : Math.min(retryMs * 2 ** Math.min(known.failures - 1, 20), retryMsMax),
    ).unref();
  }

  #ask(known: Known, path: string, { tag, index = false }: { tag: string | null; index?: boolean }): Promise<Download> {
    return download(this.#options.connections, known.service, {
      path,
      known: tag,
      bytesMax: index ? indexBytesMax : documentBytesMax,
      timeoutMs: index ? indexTimeoutMs : documentTimeoutMs,
      signal: known.ended.signal,
    });
  }

  async #lookAtIndex(known: Known): Promise<void> {
    const answer = await this.#ask(known, '/openapi/v3', { tag: known.tags.index, index: true });
    if (answer.outcome === 'same') return;
    known.tags.index = answer.outcome === 'found' ? answer.etag : null;
    this.#set(() => {
      known.index = answer.outcome === 'found' ? indexed(answer.bytes, known.service) : null;
    });
  }

  async #lookAtV2(known: Known): Promise<void> {
    const { group, version } = known.service;
    const answer = await this.#ask(known, '/openapi/v2', { tag: known.tags.v2 });
    if (answer.outcome === 'same' || (answer.outcome === 'found' && answer.hash === known.v2Bytes)) return;
    // An unusable document is not tried again until it changes.
    known.v2Bytes = answer.outcome === 'found' ? answer.hash : '';
    const v2 = answer.outcome === 'found' ? await this.#builder.take({ of: { group, version }, version: 2, bytes: answer.bytes }) : null;
    known.tags.v2 = answer.outcome === 'found' ? answer.etag : null;
    // A document with the same content for this version counts as unchanged.
    if (v2?.hash !== known.v2?.hash)
      this.#set(() => {
        known.v2 = v2;
      });
  }

  #set(change: () => void): void {
    change();
    this.#made = null;
  }

  /** Returns the version 3 document with the index's hash. Parallel callers share a fetch; the next caller repeats a failed one. */
  async #document(known: Known, encoding: Encoding): Promise<BuiltDocument> {
    const hash = known.hash ?? '';
    if (known.shown?.hash !== hash) known.shown = { hash, documents: new Map(), kept: null };
    const { shown } = known;
    const before = shown.documents.get(encoding);
    if (before !== undefined) return before;
    const made = (known.index === null ? this.#converted(known, encoding) : this.#fetched(known, shown, encoding)).then((document) => ({
      ...document,
      hash: known.hash ?? '',
    }));
    shown.documents.set(encoding, made);
    made.catch(() => {
      shown.documents.delete(encoding);
      shown.kept = null;
    });
    return made;
  }

  async #converted({ v2 }: Known, encoding: Encoding): Promise<BuiltDocument> {
    if (v2 === null) throw new Error('the program has no document');
    return this.#builder.show({ kept: v2.gzip, version: 2, encoding });
  }

  async #fetched(known: Known, shown: NonNullable<Known['shown']>, encoding: Encoding): Promise<BuiltDocument> {
    const kept = await (shown.kept ??= this.#fetch(known));
    return this.#builder.show({ kept, version: 3, encoding });
  }

  async #fetch(known: Known): Promise<Uint8Array> {
    const { group, version } = known.service;
    let answer = await this.#askV3(known);
    if (answer.outcome === 'moved') {
      // It has changed since its index was read.
      const index = indexedAt(answer.location);
      this.#set(() => {
        known.index = index;
      });
      answer = await this.#askV3(known);
    }
    if (answer.outcome !== 'found') throw new Error('the program does not show the document that its index names');
    return (await this.#builder.take({ of: { group, version }, version: 3, bytes: answer.bytes })).gzip;
  }

  #askV3(known: Known): Promise<Download> {
    return this.#ask(known, `/openapi/v3/${pathOf(known.service)}${known.index?.query ?? ''}`, { tag: null });
  }
}

const pathOf = ({ group, version }: ApiService): string => `apis/${group}/${version}`;
const keyOf = ({ group, version, target, ca, trusting }: ApiService): string => JSON.stringify([group, version, target, ca, trusting]);

/** Null when the index lacks the version. Throws for an invalid index. */
function indexed(bytes: Buffer, service: ApiService): Indexed | null {
  const parsed = jsonCodec.decode(bytes, { findDuplicates: false, depthMax });
  if (!parsed.ok) throw new Error('the index of OpenAPI documents cannot be read');
  const url = textAt(memberAt(parsed.value as JsonValue, 'paths', pathOf(service)), 'serverRelativeURL');
  return url === '' ? null : indexedAt(url);
}

/** Requires a plain hash of the address, which becomes part of this server's addresses. */
function indexedAt(url: string): Indexed {
  const hash = new URLSearchParams(url.split('?')[1] ?? '').get('hash') ?? '';
  return /^[\w-]{1,256}$/.test(hash) ? { hash, query: `?hash=${hash}` } : { hash: contentHash(Buffer.from(url)), query: '' };
}
