import { setTimeout as delay } from 'node:timers/promises';
import type { Prng } from '../simulation/prng.js';
import type { OrdinaryClient, Stored } from './clients/ordinaryClient.js';
import { patchKinds } from './clients/ordinaryClient.js';
import { drawText } from './text.js';

const namesPerUser = 8;
const pauseMsMax = 80;
const findingsMax = 5;

/** A change that watches must show. Only the event has a deletion's version. */
export type Change = readonly [type: 'ADDED' | 'MODIFIED' | 'DELETED', resourceVersion: string];

interface Verb {
  readonly title: string;
  readonly weight: number;
  readonly send: (user: SoakUser, name: string, known: Stored | undefined) => Promise<void>;
}
type Verbs = readonly [Verb, ...Verb[]];

/** Sends requests one after another in an order from the seed, and checks each response: no other client writes its objects. Differences are findings. */
export class SoakUser {
  readonly findings: string[] = [];
  /** The changes of each object, in order. */
  readonly changes = new Map<string, Change[]>();
  requests = 0;
  readonly #name: string;
  readonly #client: OrdinaryClient;
  readonly #prng: Prng;
  readonly #objects = new Map<string, Stored>();

  constructor(name: string, client: OrdinaryClient, prng: Prng) {
    this.#name = name;
    this.#client = client;
    this.#prng = prng;
  }

  /** Ends after the current request, or with the fifth finding. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.findings.length < findingsMax) {
      const name = `${this.#name}-${this.#prng.below(namesPerUser)}`;
      const known = this.#objects.get(name);
      const { title, send } = draw(known === undefined ? verbsOfAbsent : verbsOfPresent, this.#prng);
      try {
        await send(this, name, known);
      } catch (error) {
        this.findings.push(`${this.#name}: ${title} ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      this.requests++;
      // A request follows a large response at once or after a pause.
      if (this.#prng.chance(500)) await delay(this.#prng.below(pauseMsMax));
    }
    this.#client.close();
  }

  async create(name: string): Promise<void> {
    const text = drawText(this.#prng);
    const { status, object } = await this.#client.create(name, text);
    this.#written(status, 201, object, { name, text }, 'ADDED');
  }

  async createAgain(name: string): Promise<void> {
    expectStatus((await this.#client.create(name, drawText(this.#prng))).status, 409);
  }

  async read(name: string, known: Stored | undefined): Promise<void> {
    const { status, object } = await this.#client.read(name);
    expectStatus(status, known === undefined ? 404 : 200);
    if (known !== undefined) expectObject(object, known);
  }

  async replace(name: string, known: Stored | undefined): Promise<void> {
    const text = drawText(this.#prng);
    const { status, object } = await this.#client.replace(name, text, known?.resourceVersion ?? '');
    this.#written(status, 200, object, { name, text }, 'MODIFIED');
  }

  /** The version before the last change, if any. */
  async replaceStale(name: string): Promise<void> {
    const [, stale] = this.changes.get(name)?.at(-2) ?? [];
    if (stale === undefined || stale === '') return;
    expectStatus((await this.#client.replace(name, drawText(this.#prng), stale)).status, 409);
  }

  async patch(name: string): Promise<void> {
    const text = drawText(this.#prng);
    const { status, object } = await this.#client.patch(name, text, this.#prng.pick(patchKinds) ?? 'merge');
    this.#written(status, 200, object, { name, text }, 'MODIFIED');
  }

  async remove(name: string, known: Stored | undefined): Promise<void> {
    expectStatus((await this.#client.remove(name)).status, known === undefined ? 404 : 200);
    if (known !== undefined) this.#gone(name);
  }

  async list(): Promise<void> {
    const { status, items } = await this.#client.list();
    expectStatus(status, 200);
    if (items.length !== this.#objects.size) throw new Error(`${items.length} objects are listed, ${this.#objects.size} are there`);
    for (const item of items) expectObject(item, this.#objects.get(item.name));
  }

  async removeAll(): Promise<void> {
    expectStatus((await this.#client.removeAll()).status, 200);
    for (const name of [...this.#objects.keys()]) this.#gone(name);
  }

  #written(
    status: number,
    expected: number,
    object: Stored | null,
    content: { readonly name: string; readonly text: string },
    type: 'ADDED' | 'MODIFIED',
  ): void {
    expectStatus(status, expected);
    const before = this.#objects.get(content.name);
    const written = { ...content, resourceVersion: object?.resourceVersion ?? '' };
    expectObject(object, written);
    this.#objects.set(content.name, written);
    // A write without effect makes no change.
    if (before?.resourceVersion !== written.resourceVersion) this.#record(content.name, [type, written.resourceVersion]);
  }

  #gone(name: string): void {
    this.#objects.delete(name);
    this.#record(name, ['DELETED', '']);
  }

  #record(name: string, change: Change): void {
    const changes = this.changes.get(name);
    if (changes === undefined) this.changes.set(name, [change]);
    else changes.push(change);
  }
}

function expectStatus(status: number, expected: number): void {
  if (status !== expected) throw new Error(`status ${status} instead of ${expected}`);
}

function expectObject(object: Stored | null, expected: Stored | undefined): void {
  if (object === null || expected === undefined) throw new Error(object === null ? 'no object came' : `${object.name} should be gone`);
  if (object.name !== expected.name) throw new Error(`${object.name} came`);
  if (object.resourceVersion !== expected.resourceVersion)
    throw new Error(`resource version ${object.resourceVersion} instead of ${expected.resourceVersion}`);
  if (object.text === expected.text) return;
  const at = [...object.text].findIndex((character, index) => character !== expected.text[index]);
  throw new Error(`a text of ${object.text.length} characters instead of ${expected.text.length}, different from character ${at} on`);
}

const verbsOfAbsent: Verbs = [
  { title: 'create', weight: 5, send: (user, name) => user.create(name) },
  { title: 'read', weight: 1, send: (user, name, known) => user.read(name, known) },
  { title: 'remove', weight: 1, send: (user, name, known) => user.remove(name, known) },
  { title: 'list', weight: 1, send: (user) => user.list() },
];
const verbsOfPresent: Verbs = [
  { title: 'read', weight: 6, send: (user, name, known) => user.read(name, known) },
  { title: 'replace', weight: 3, send: (user, name, known) => user.replace(name, known) },
  { title: 'patch', weight: 3, send: (user, name) => user.patch(name) },
  { title: 'create again', weight: 1, send: (user, name) => user.createAgain(name) },
  { title: 'replace a stale version', weight: 1, send: (user, name) => user.replaceStale(name) },
  { title: 'remove', weight: 2, send: (user, name, known) => user.remove(name, known) },
  { title: 'list', weight: 2, send: (user) => user.list() },
  { title: 'remove all', weight: 1, send: (user) => user.removeAll() },
];

function draw(verbs: Verbs, prng: Prng): Verb {
  let place = prng.below(verbs.reduce((sum, { weight }) => sum + weight, 0));
  return verbs.find(({ weight }) => (place -= weight) < 0) ?? verbs[0];
}
