import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject, Answer } from '../../fixtures/apiClient.js';
import type { KeyOperation } from '../checks/history.js';
import { recordExpired, refusals, type Actor } from './actor.js';
import { drawRequest, type RequestKind } from './mix.js';
import { outcomeOf } from './outcome.js';
import { listedIn, objectOf, pathOf, versionOf } from './place.js';
import { Segment } from './watcher.js';

/** Of 1,000 updates and deletes, this many have an expected version. */
const guardedPermille = 800;
const leaseEveryMs = 2_000;
const timeoutMs = 5_000;
const lookMs = 150;
const pauseMs = 15;
const pauseAfterFailureMs = 100;

interface Known {
  readonly version: number;
}

interface Write {
  readonly kind: 'create' | 'update' | 'delete';
  readonly value?: string;
  readonly expected?: number | null;
}

/** Sends one request after another in a typical mix, and records the answers. Writes start from its last read, as those of kubectl and controllers do. */
export class TrafficClient {
  readonly #actor: Actor;
  readonly #known = new Map<string, Known>();
  #writes = 0;
  #leaseMs = -Infinity;
  #lease: number | null = null;
  /** The version of the newest list. */
  #listed: number | null = null;
  readonly #next: Readonly<Record<RequestKind, () => Promise<boolean>>> = {
    list: () => this.#list(),
    cachedList: () => this.#cachedList(),
    watch: () => this.#look(),
    get: () => this.#get(this.#anyKey()),
    update: () => this.#update(this.#presentKey()),
    create: () => this.#create(this.#actor.prng.pick(this.#place.keys.filter((key) => !this.#known.has(key))) ?? this.#anyKey()),
    delete: () => this.#delete(this.#presentKey()),
  };

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  get #name(): Actor['name'] {
    return this.#actor.name;
  }
  get #server(): Actor['server'] {
    return this.#actor.server;
  }
  get #place(): Actor['place'] {
    return this.#actor.place;
  }
  get #recorder(): Actor['recorder'] {
    return this.#actor.recorder;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#recorder.requests++;
      const answered = await this.step();
      await delay(answered ? pauseMs : pauseAfterFailureMs);
    }
  }

  async fill(): Promise<void> {
    for (const key of this.#place.keys) await this.#create(key);
  }

  /** Sends one request; true with an answer. */
  step(): Promise<boolean> {
    return performance.now() - this.#leaseMs > leaseEveryMs ? this.#renew() : this.#next[drawRequest(this.#actor.prng)]();
  }

  #anyKey(): string {
    return this.#actor.prng.pick(this.#place.keys) ?? '';
  }

  #presentKey(): string {
    return this.#actor.prng.pick(this.#place.keys.filter((key) => this.#known.has(key))) ?? this.#anyKey();
  }

  async #ask(method: string, path: string, body?: object): Promise<Answer | null> {
    return await this.#server.request(method, path, { ...(body === undefined ? {} : { body }), timeoutMs }).catch(() => null);
  }

  async #list(): Promise<boolean> {
    const startMs = performance.now();
    const answer = await this.#ask('GET', pathOf(this.#place));
    const endMs = performance.now();
    if (!this.#usable(answer, 'list')) return false;
    const list = answer.body as ApiObject;
    this.#listed = versionOf(list);
    this.#saw(this.#listed, 'list', startMs, endMs);
    this.#recorder.lists.push(listedIn(this.#name, 'list', list));
    const byName = new Map((list.items ?? []).map((item) => [item.metadata.name, item]));
    for (const key of this.#place.keys) this.#read(key, byName.get(key), startMs, endMs);
    return true;
  }

  #saw(revision: number, from: string, startMs: number, endMs: number): void {
    this.#recorder.sightings.push({ client: this.#name, revision, from, startMs, endMs });
  }

  /** The list may be old, but has one version. */
  async #cachedList(): Promise<boolean> {
    const answer = await this.#ask('GET', `${pathOf(this.#place)}?resourceVersion=0`);
    if (!this.#usable(answer, 'cached list')) return false;
    this.#recorder.lists.push(listedIn(this.#name, 'cached list', answer.body as ApiObject));
    return true;
  }

  async #look(): Promise<boolean> {
    const from = this.#listed;
    if (from === null) return await this.#list();
    const stream = this.#server.watch(`${pathOf(this.#place)}?watch=1&timeoutSeconds=2&resourceVersion=${from}`);
    const timer = setTimeout(() => {
      stream.close();
    }, timeoutMs);
    const opened = await stream.opened.then(
      () => true,
      () => false,
    );
    clearTimeout(timer);
    if (opened) await delay(lookMs);
    stream.close();
    const history = new Segment(`${this.#name}, looking`, from);
    const kept = stream.events.reduce((good, event) => history.show(event) && good, true);
    this.#recorder.watches.push(history);
    if (kept) return opened;
    this.#listed = null;
    await recordExpired(this.#actor, 'watch', from, null);
    return true;
  }

  async #get(key: string): Promise<boolean> {
    const startMs = performance.now();
    const answer = await this.#ask('GET', `${pathOf(this.#place)}/${key}`);
    const endMs = performance.now();
    if (answer?.status !== 404 && !this.#usable(answer, 'get')) return false;
    this.#read(key, answer?.status === 200 ? (answer.body as ApiObject) : undefined, startMs, endMs);
    return true;
  }

  #usable(answer: Answer | null, what: string): answer is Answer {
    if (answer === null || refusals.has(answer.status)) return false;
    if (answer.status === 200) return true;
    this.#recorder.unexpected(this.#name, `${what} was answered with ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`);
    return false;
  }

  #read(key: string, object: ApiObject | undefined, startMs: number, endMs: number): void {
    const base = { key, client: this.#name, startMs, endMs, kind: 'read' } as const;
    if (object === undefined) {
      this.#known.delete(key);
      this.#recorder.add({ ...base, result: 'absent' });
      return;
    }
    const version = Number(object.metadata.resourceVersion);
    this.#known.set(key, { version });
    this.#recorder.add({ ...base, result: 'found', version, value: object.data?.['left'] ?? '' });
  }

  #value(): string {
    return `${this.#name}.${++this.#writes}`;
  }

  #expected(key: string): number | null {
    return this.#actor.prng.chance(guardedPermille) ? (this.#known.get(key)?.version ?? null) : null;
  }

  async #create(key: string): Promise<boolean> {
    const value = this.#value();
    return await this.#record(key, { kind: 'create', value }, () => this.#ask('POST', pathOf(this.#place), objectOf(key, value)));
  }

  async #update(key: string): Promise<boolean> {
    const value = this.#value();
    const expected = this.#expected(key);
    return await this.#record(key, { kind: 'update', value, expected }, () =>
      this.#ask('PUT', `${pathOf(this.#place)}/${key}`, objectOf(key, value, expected === null ? undefined : String(expected))),
    );
  }

  async #delete(key: string): Promise<boolean> {
    const expected = this.#expected(key);
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(expected === null ? {} : { preconditions: { resourceVersion: String(expected) } }),
    };
    return await this.#record(key, { kind: 'delete', expected }, () => this.#ask('DELETE', `${pathOf(this.#place)}/${key}`, options));
  }

  async #record(key: string, write: Write, send: () => Promise<Answer | null>): Promise<boolean> {
    const startMs = performance.now();
    const outcome = outcomeOf(write.kind, await send());
    const endMs = outcome.result === 'unknown' ? Infinity : performance.now();
    if (outcome.result === 'unexpected') this.#recorder.unexpected(this.#name, outcome.details);
    if (outcome.result === 'refused' || outcome.result === 'unexpected') return false;
    this.#recorder.add({ key, client: this.#name, startMs, endMs, ...write, ...outcome } as KeyOperation);
    if (outcome.result === 'done' && write.kind !== 'delete') this.#saw(outcome.version, `${write.kind} of ${key}`, startMs, endMs);
    // The version is known after a write, and must be read again after a failure.
    if (outcome.result === 'done' && write.kind !== 'delete') this.#known.set(key, { version: outcome.version });
    else this.#known.delete(key);
    return outcome.result !== 'unknown';
  }

  /** Renews its own lease, as nodes and leaders do. */
  async #renew(): Promise<boolean> {
    this.#leaseMs = performance.now();
    const value = this.#value();
    const path = `/apis/coordination.k8s.io/v1/namespaces/${this.#place.namespace}/leases`;
    const key = `lease/${this.#name}`;
    const body = (version: number | null): object => ({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: this.#name, ...(version === null ? {} : { resourceVersion: String(version) }) },
      spec: { holderIdentity: value, leaseDurationSeconds: 15 },
    });
    const held = this.#lease;
    this.#lease = null;
    if (held === null) return await this.#take(key, path, value, body);
    return await this.#record(key, { kind: 'update', value, expected: held }, async () =>
      this.#renewed(await this.#ask('PUT', `${path}/${this.#name}`, body(held))),
    );
  }

  #renewed(answer: Answer | null): Answer | null {
    if (answer?.status !== 200 && answer?.status !== 201) return answer;
    this.#lease = Number((answer.body as ApiObject).metadata.resourceVersion);
    this.#recorder.renewals.push({ client: this.#name, member: this.#actor.member(), atMs: performance.now() });
    return answer;
  }

  /** Reads the lease and creates it if missing; the next renewal updates it. */
  async #take(key: string, path: string, value: string, body: (version: number | null) => object): Promise<boolean> {
    const startMs = performance.now();
    const answer = await this.#ask('GET', `${path}/${this.#name}`);
    const endMs = performance.now();
    const base = { key, client: this.#name, startMs, endMs, kind: 'read' } as const;
    if (answer?.status === 404) {
      this.#recorder.add({ ...base, result: 'absent' });
      return await this.#record(key, { kind: 'create', value }, async () => this.#renewed(await this.#ask('POST', path, body(null))));
    }
    if (!this.#usable(answer, 'get of a lease')) return false;
    const lease = answer.body as ApiObject & { readonly spec: { readonly holderIdentity: string } };
    this.#lease = Number(lease.metadata.resourceVersion);
    this.#recorder.add({ ...base, result: 'found', version: this.#lease, value: lease.spec.holderIdentity });
    return true;
  }
}
