import type { ServiceError } from '@grpc/grpc-js';
import type { EtcdClient, WatchStream } from './client.js';
import { failureOf, type EtcdError } from './failure.js';
import type { WatchEvent, WatchResponse } from './messages.js';

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly start: string;
  readonly end: string;
  /** The first revision that is told. */
  readonly from: number;
  /** Whether a revision in a response without events says that all before it has been told; see `progress.ts`. */
  readonly trusted: () => boolean;
}

/** Is told of one watch, in order. */
export interface EtcdWatchSink {
  /** Complete revisions, in order; those before the first one asked for are left out. */
  events(events: readonly WatchEvent[]): void;
  /** Nothing more will come up to this revision. */
  progress(revision: number): void;
  /** The watch cannot begin where it was to: history before this revision is gone. No call follows. */
  compacted(revision: number): void;
  /** The stream has broken, or the member was given up. No call follows. */
  ended(error: EtcdError): void;
}

/**
 * One watch on one member, until it breaks. Large responses come in fragments, which are put together: a revision is told whole or not at all, so that who
 * goes on after the last one told misses nothing and sees nothing twice.
 */
export class EtcdWatch {
  #stream: WatchStream | null = null;
  #url: string | null = null;
  #fragments: WatchEvent[] = [];
  #over = false;
  #forget: () => void = () => {};

  constructor(
    private readonly options: EtcdWatchOptions,
    private readonly sink: EtcdWatchSink,
  ) {
    this.#open().catch((error: unknown) => {
      this.#end(failureOf(error));
    });
  }

  /** Asks the member how far it has got; the answer comes as progress, where that can be trusted. */
  askProgress(): void {
    this.#stream?.write({ progress: {} });
  }

  /** The member tells nothing any more: ends as if the stream had broken, and others ask another member as well. */
  giveUp(): void {
    if (this.#url !== null) this.options.client.suspect(this.#url);
    this.#end(failureOf(new Error('the member does not say how far it has got')));
  }

  /** Ends it without a further call. */
  stop(): void {
    this.#over = true;
    this.#forget();
    this.#stream?.cancel();
  }

  async #open(): Promise<void> {
    const { client, start, end, from } = this.options;
    const { url, stream } = await client.watch();
    if (this.#over) return stream.cancel();
    this.#stream = stream;
    this.#url = url;
    this.#forget = client.onSuspect((suspected) => {
      if (suspected === url) this.#end(failureOf(new Error(`${url} does not answer`)));
    });
    stream.on('data', (response: WatchResponse) => {
      this.#receive(response);
    });
    stream.on('error', (error: ServiceError) => {
      if (!this.#over) client.suspect(url);
      this.#end(failureOf(error));
    });
    stream.on('end', () => {
      this.#end(failureOf(new Error('the stream has ended')));
    });
    stream.write({ create: { key: start, rangeEnd: end, startRevision: from, progressNotify: true, fragment: true } });
  }

  #receive(response: WatchResponse): void {
    if (this.#over) return;
    if (response.canceled) return this.#canceled(response);
    if (response.created) return;
    for (const event of response.events) this.#fragments.push(event);
    if (response.fragment) return;
    const events = this.#fragments;
    this.#fragments = [];
    if (events.length === 0) {
      if (this.options.trusted()) this.sink.progress(response.header.revision);
      return;
    }
    const wanted = events.filter(({ kv }) => kv.modRevision >= this.options.from);
    if (wanted.length > 0) this.sink.events(wanted);
  }

  #canceled({ compactRevision, cancelReason }: WatchResponse): void {
    if (compactRevision > 0) {
      this.stop();
      this.sink.compacted(compactRevision);
    } else this.#end(failureOf(new Error(`etcd has ended the watch: ${cancelReason}`)));
  }

  #end(error: EtcdError): void {
    if (this.#over) return;
    this.stop();
    this.sink.ended(error);
  }
}
