import http2 from 'node:http2';
import type { Api, DeleteOptions, GetOptions, ListOptions, Patch, Watch, WatchOptions } from './api.js';
import { pause, systemClock, type Clock } from './clock.js';
import type { Connection } from './connection.js';
import { type Answer } from './connection.js';
import { acceptOf, decodeBody, encodeBody, exactMemberOf, isProtobuf, jsonType, type ContentType, type MetadataForm } from './encoding.js';
import { ApiError, ConnectionError, StoppedError, UnreadableError, type StatusDocument } from './errors.js';
import { keyOf, type KubeObject, type ObjectKey, type ObjectList } from '../../api/meta/object.js';
import { apiVersionOf, groupResourceOf, pathOf, type Resource } from '../../api/meta/resource.js';
import type { Throttle } from './throttle.js';
import { StreamWatch } from './watchStream.js';

/**
 * The API over HTTP, in JSON or Protobuf. Always in JSON: patches, everything without a Protobuf form (custom types, discovery), and types for which a server
 * refuses Protobuf.
 */

export interface ObservedRequest {
  readonly verb: string;
  readonly path: string;
  readonly code: number;
  readonly seconds: number;
}

export interface RestOptions {
  readonly connection: Connection;
  /** The part before the slash becomes the field manager of writes. */
  readonly userAgent: string;
  /** Preferred encoding of requests and responses; JSON by default. */
  readonly contentType?: ContentType;
  readonly throttle?: Throttle;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Called before each write; throws when this client must not write. */
  readonly mayWrite?: () => void;
  /** Headers added to each request, such as its own identity. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
  /** Called for a 401, which precedes all handling; the request is then repeated once with new headers. */
  readonly unauthorized?: () => void;
  /** Retries of a request that had no effect, and the response timeout. A client with a deadline needs less of both. */
  readonly retries?: number;
  readonly timeoutMs?: number;
  readonly observe?: (request: ObservedRequest) => void;
}

/** Retries, as in client-go, of requests not executed by server or network. */
const defaultRetries = 10;
const retryAfterDefaultSeconds = 1;
const reconnectDelayMs = 200;
const defaultTimeoutMs = 60_000;
/** A list may be long, but not unbounded. */
const answerBytesMax = 512 * 1024 * 1024;

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The request's type; without it, body and response are JSON. */
  readonly about?: Resource;
  readonly form?: MetadataForm;
  readonly body?: unknown;
  /** Content type of a JSON body with another name: patches. */
  readonly type?: string;
  readonly accept?: string;
}

export class RestApi implements Api {
  readonly #options: RestOptions;
  readonly #clock: Clock;
  /** Types for which the server does not support Protobuf. */
  readonly #jsonOnly = new Set<string>();

  constructor(options: RestOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns a client of the same server with other options. */
  with(changes: Partial<RestOptions>): RestApi {
    return new RestApi({ ...this.#options, ...changes });
  }

  get<T extends KubeObject>(type: Resource<T>, key: ObjectKey, options: GetOptions = {}): Promise<T> {
    return this.#ask({ method: 'GET', path: pathOf(type, key) + queryOf({ ...options }), about: type });
  }

  async list<T extends KubeObject>(type: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const { namespace, metadataOnly, ...query } = options;
    const list = await this.#ask<ObjectList<T> & { items: T[] | null }>({
      method: 'GET',
      path: pathOf(type, { namespace: namespace ?? '' }) + queryOf(query),
      about: type,
      ...(metadataOnly ? { form: 'PartialObjectMetadataList' } : {}),
    });
    // Restores the object's kind in a metadata document, which has its own.
    return { ...list, items: (list.items ?? []).map((item) => (metadataOnly ? ofType(type, item) : named(type, item))) };
  }

  create<T extends KubeObject>(type: Resource<T>, object: T): Promise<T> {
    return this.#ask({
      method: 'POST',
      path: pathOf(type, { namespace: object.metadata.namespace ?? '' }),
      about: type,
      body: named(type, object),
    });
  }

  update<T extends KubeObject>(type: Resource<T>, object: T, { subresource = '' }: { readonly subresource?: string } = {}): Promise<T> {
    return this.#ask({ method: 'PUT', path: pathOf(type, { ...keyOf(object), subresource }), about: type, body: named(type, object) });
  }

  patch<T extends KubeObject>(
    type: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    { subresource = '' }: { readonly subresource?: string } = {},
  ): Promise<T> {
    return this.#ask({
      method: 'PATCH',
      path: pathOf(type, { ...key, subresource }) + queryOf({ ...patch.apply }),
      about: type,
      body: patch.body,
      type: patch.type,
    });
  }

  async delete(type: Resource, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    await this.#ask({
      method: 'DELETE',
      path: pathOf(type, key),
      about: type,
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
    });
  }

  async deleteCollection(type: Resource, namespace: string, options: DeleteOptions = {}): Promise<void> {
    await this.#ask({
      method: 'DELETE',
      path: pathOf(type, { namespace }),
      about: type,
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
    });
  }

  post<A>(type: Resource, key: ObjectKey, subresource: string, body: unknown): Promise<A> {
    return this.#ask({ method: 'POST', path: pathOf(type, { ...key, subresource }), about: type, body });
  }

  read<A>(path: string, form?: { readonly accept: string }): Promise<A> {
    return this.#ask({ method: 'GET', path, ...form });
  }

  async watch<T extends KubeObject>(type: Resource<T>, { namespace, metadataOnly, ...query }: WatchOptions): Promise<Watch<T>> {
    const path = pathOf(type, { namespace: namespace ?? '' }) + queryOf({ watch: true, ...query });
    const answer = await this.#send({ method: 'GET', path, about: type, ...(metadataOnly ? { form: 'PartialObjectMetadata' } : {}) }, null);
    return new StreamWatch<T>(answer.stream, isProtobuf(answer.headers['content-type']), exactMemberOf(type));
  }

  async #ask<A>(call: Call): Promise<A> {
    const answer = await this.#send(call, this.#options.timeoutMs ?? defaultTimeoutMs);
    return decodeBody(await bodyOf(answer), answer.headers['content-type'], { exactMember: exactMemberOf(call.about) }) as A;
  }

  #preferred({ about }: Call): ContentType {
    const { contentType = jsonType } = this.#options;
    return about === undefined || this.#jsonOnly.has(groupResourceOf(about)) ? jsonType : contentType;
  }

  /** Resolves with a successful response. Retries reads, and requests that certainly had no effect. */
  async #send(call: Call, timeoutMs: number | null): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      await this.#options.throttle?.take(this.#options.signal);
      const outcome = await this.#attempt(call, timeoutMs).then<Answer | number, number>(
        (answer) => (answer.status < 300 ? answer : this.#refusal(call, answer, attempt)),
        (error: unknown) => this.#broken(call, error, attempt),
      );
      if (typeof outcome !== 'number') return outcome;
      await pause(this.#clock, outcome, this.#options.signal);
    }
  }

  async #attempt(call: Call, timeoutMs: number | null): Promise<Answer> {
    const { connection, userAgent, headers, mayWrite, signal, observe } = this.#options;
    const { method, path } = call;
    const { content, type, accept } = this.#spelled(call);
    const own = (await headers?.()) ?? {};
    if (signal?.aborted) throw new StoppedError('the client is stopped');
    const started = this.#clock.elapsed();
    const answer = await connection.request({
      method,
      path,
      ...(content ? { body: content } : {}),
      ...(signal ? { signal } : {}),
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(mayWrite && method !== 'GET' ? { mayLeave: mayWrite } : {}),
      headers: {
        accept,
        'user-agent': userAgent,
        ...own,
        ...(content ? { 'content-type': type, 'content-length': String(content.length) } : {}),
      },
    });
    observe?.({ verb: method, path, code: answer.status, seconds: (this.#clock.elapsed() - started) / 1000 });
    return answer;
  }

  #spelled(call: Call): { readonly content: Buffer | undefined; readonly type: string; readonly accept: string } {
    const preferred = this.#preferred(call);
    const accept = call.accept ?? acceptOf(preferred, call.about, call.form);
    if (call.body === undefined) return { content: undefined, type: jsonType, accept };
    const body = encodeBody(call.type === undefined ? preferred : jsonType, call.body);
    return { content: body.bytes, type: call.type ?? body.type, accept };
  }

  /** Returns whether a request refused for its encoding can be repeated in JSON; its type then uses JSON only. */
  #fallsBack(call: Call, status: number): boolean {
    if ((status !== 415 && status !== 406) || !call.about || this.#preferred(call) === jsonType) return false;
    this.#jsonOnly.add(groupResourceOf(call.about));
    return true;
  }

  /** Returns the wait before a repetition. Throws errors for the caller. */
  async #refusal(call: Call, answer: Answer, attempt: number): Promise<number> {
    const status = statusOf(await bodyOf(answer), answer.headers['content-type']);
    if (this.#fallsBack(call, answer.status)) return 0;
    const header = answer.headers['retry-after'];
    const seconds = header !== undefined && /^\d+$/.test(header) ? Number(header) : null;
    const error = new ApiError(answer.status, status, `${call.method} ${call.path}`, seconds ?? status.details?.retryAfterSeconds ?? null);
    if (answer.status === 401 && attempt === 0 && this.#options.unauthorized) {
      this.#options.unauthorized();
      return 0;
    }
    // 429, and 503 with Retry-After, precede all handling. A 504 does not: the write may have been executed.
    const turnedAway = answer.status === 429 || (answer.status === 503 && seconds !== null);
    const again = turnedAway || (call.method === 'GET' && answer.status >= 500 && seconds !== null);
    // A budget also refuses evictions with 429, which the caller handles.
    if (!again || attempt >= (this.#options.retries ?? defaultRetries) || call.path.endsWith('/eviction')) throw error;
    return (error.retryAfterSeconds ?? retryAfterDefaultSeconds) * 1000;
  }

  #broken(call: Call, error: unknown, attempt: number): number {
    if (this.#options.signal?.aborted) throw new StoppedError('the client is stopped');
    const again = error instanceof ConnectionError && (error.definite || call.method === 'GET');
    if (!again || attempt >= (this.#options.retries ?? defaultRetries)) throw error;
    return reconnectDelayMs * Math.min(attempt + 1, 10);
  }
}

/** List items lack kind and apiVersion, which owner references and events need. */
export function named<T extends KubeObject>(type: Resource, object: T): T {
  return object.kind !== undefined && object.apiVersion !== undefined ? object : ofType(type, object);
}

const ofType = <T extends KubeObject>(type: Resource, object: T): T => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });

function queryOf(options: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) if (value !== undefined && value !== '') query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function bodyOf({ stream }: Answer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > answerBytesMax) stream.destroy(new Error('the answer is too long'));
    });
    // A cancelled stream ends like a complete one; only its code differs, which is final at the close.
    let ended = false;
    const broke = (error?: Error): void => reject(new ConnectionError('the connection broke within an answer', false, error));
    // A connection that broke in the turn of the head reports nothing more.
    if (stream.destroyed)
      return stream.readableEnded && stream.rstCode === http2.constants.NGHTTP2_NO_ERROR ? resolve(Buffer.alloc(0)) : broke();
    stream
      .once('end', () => {
        ended = true;
      })
      .once('error', broke)
      .once('close', () => {
        if (ended && stream.rstCode === http2.constants.NGHTTP2_NO_ERROR) resolve(Buffer.concat(chunks));
        else broke();
      });
  });
}

function statusOf(body: Buffer, contentType: string | undefined): StatusDocument {
  try {
    const value = decodeBody(body, contentType);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    // Some refusals are no Status: unserved paths are answered in plain text.
    if (!(error instanceof UnreadableError)) throw error;
  }
  return body.length === 0 || isProtobuf(contentType) ? {} : { message: body.toString('utf8').trim() };
}
