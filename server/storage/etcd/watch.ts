import type { ServiceError } from '@grpc/grpc-js';
import type { EtcdClient, WatchStream } from './client.js';
import { failureOf, type EtcdError } from './failure.js';
import type { WatchEvent, WatchResponse } from './messages.js';

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly start: string;
  readonly end: string;
  readonly from: number;
  readonly trusted: () => boolean;
}

export interface EtcdWatchSink {
  events(events: readonly WatchEvent[]): void;
  progress(revision: number): void;
  /** No call follows. */
  compacted(revision: number): void;
  /** No call follows. */
  ended(error: EtcdError): void;
}

/** Joins fragments of large responses: a revision is delivered whole or not at all. */
export class EtcdWatch {
  readonly #options: EtcdWatchOptions;
  readonly #sink: EtcdWatchSink;
  #stream: WatchStream | null = null;
  #url: string | null = null;
  #fragments: WatchEvent[] = [];
  #over = false;
  #forget: () => void = () => {};

  constructor(options: EtcdWatchOptions, sink: EtcdWatchSink) {
    this.#options = options;
    this.#sink = sink;
    this.#open().catch((error: unknown) => {
      this.#end(failureOf(error));
    });
  }

  askProgress(): void {
    this.#stream?.write({ progress: {} });
  }

  /** Ends like a broken stream; other calls switch members too. */
  giveUp(): void {
    if (this.#url !== null) this.#options.client.suspect(this.#url);
    this.#end(failureOf(new Error('the member does not say how far it has got')));
  }

  stop(): void {
    this.#over = true;
    this.#forget();
    this.#stream?.cancel();
  }

  async #open(): Promise<void> {
    const { client, start, end, from } = this.#options;
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
      if (this.#options.trusted()) this.#sink.progress(response.header.revision);
      return;
    }
    const wanted = events.filter(({ kv }) => kv.modRevision >= this.#options.from);
    if (wanted.length > 0) this.#sink.events(wanted);
  }

  #canceled({ compactRevision, cancelReason }: WatchResponse): void {
    if (compactRevision > 0) {
      this.stop();
      this.#sink.compacted(compactRevision);
    } else this.#end(failureOf(new Error(`etcd has ended the watch: ${cancelReason}`)));
  }

  #end(error: EtcdError): void {
    if (this.#over) return;
    this.stop();
    this.#sink.ended(error);
  }
}
