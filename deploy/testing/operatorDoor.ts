import { Connection } from '../../controllers/client/connection.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ConnectionSettings } from '../../controllers/client/kubeconfig.js';
import { RestApi } from '../../controllers/client/rest.js';

/** The part of `/raft/v1/status` that tests need. */
export interface MemberStatus {
  readonly memberId: string;
  readonly leaderId: string | null;
  readonly role: string;
  readonly term: number;
}

export interface KeysFound {
  readonly revision: number;
  readonly keys: readonly string[];
}

export interface KeptObject {
  readonly group: string;
  readonly resource: string;
  readonly object: KubeObject;
}

const requestCharactersMax = 1024 * 1024;

/** Splits objects into JSON texts that fit into one request each. */
function inRequests(objects: readonly KeptObject[]): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const text of objects.map((object) => JSON.stringify(object))) {
    if (text.length > left) {
      parts.push([]);
      left = requestCharactersMax;
    }
    parts.at(-1)!.push(text);
    left -= text.length;
  }
  return parts;
}

/** Limit of a member's response time in the search for the leader. */
const answerTimeoutMs = 1_000;
const changeTimeoutMs = 15_000;

export class OperatorDoor {
  readonly #connection: Connection;

  constructor(settings: ConnectionSettings) {
    this.#connection = new Connection(settings);
  }

  /** Returns null for a member that does not answer. */
  status(): Promise<MemberStatus | null> {
    return this.#ask('GET', '/raft/v1/status', answerTimeoutMs).then(
      (answer) => answer as MemberStatus,
      () => null,
    );
  }

  async transferLeadership(): Promise<void> {
    await this.#ask('POST', '/raft/v1/transfer', changeTimeoutMs);
  }

  async compact(): Promise<void> {
    await this.#ask('POST', '/raft/v1/compact', changeTimeoutMs);
  }

  /** Returns the store's keys created after a revision, and the current revision. Null with another store than the built-in one. */
  async keysMadeAfter(revision: number): Promise<KeysFound | null> {
    return (await this.#ask('GET', `/raft/v1/keys?after=${revision}`, changeTimeoutMs, { or404: true })) as KeysFound | null;
  }

  /** Ignores finalizers. */
  async removeKeys(keys: readonly string[]): Promise<void> {
    await this.#ask('DELETE', '/raft/v1/keys', changeTimeoutMs, { body: JSON.stringify({ keys }) });
  }

  /** Stores objects unchanged, over existing ones, without admission. */
  async putObjects(objects: readonly KeptObject[]): Promise<void> {
    for (const part of inRequests(objects))
      await this.#ask('PUT', '/raft/v1/objects', changeTimeoutMs, { body: `{"objects":[${part.join(',')}]}` });
  }

  /** Resolves when the member has a version of an object, or does not answer. */
  async seen(path: string, resourceVersion: string): Promise<void> {
    await this.#ask('GET', `${path}?resourceVersion=${resourceVersion}`, changeTimeoutMs).catch(() => undefined);
  }

  /** Speaks the API to this member. */
  get api(): RestApi {
    return new RestApi({ connection: this.#connection, userAgent: 'raftplane-testing' });
  }

  close(): void {
    this.#connection.close();
  }

  async #ask(
    method: string,
    path: string,
    timeoutMs: number,
    { body, or404 = false }: { readonly body?: string; readonly or404?: boolean } = {},
  ): Promise<unknown> {
    const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const bytes = body === undefined ? {} : { body: Buffer.from(body) };
    const { status, stream } = await this.#connection.request({ method, path, headers, timeoutMs, ...bytes });
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    if (status === 404 && or404) return null;
    if (status !== 200) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return JSON.parse(text);
  }
}
