import { setImmediate as turn } from 'node:timers/promises';
import type { ApiClient } from '../fixtures/apiClient.js';
import type { Counts } from './counts.js';
import type { Target } from './target.js';

export type Errand = 'probe' | 'read' | 'write';

/** One request of the bystander. Status 0: the connection failed, or no answer came within `patienceMs`. */
export interface Noted {
  readonly errand: Errand;
  readonly status: number;
  readonly ms: number;
}

const errands: readonly Errand[] = ['probe', 'read', 'write'];
/** Nobody who means well waits longer for so little. */
const patienceMs = 30_000;
const namespace = 'bystander';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const notesMax = 100_000;

/**
 * Somebody who means well beside an attack: asks `/livez` without credentials, and reads and writes a config map as an ordinary user, each in a loop of
 * its own, one request at a time.
 */
export class Bystander {
  readonly notes: Noted[] = [];
  #running = true;
  #waiting: (() => void)[] = [];
  readonly #loops: Promise<unknown>;

  private constructor(private readonly clients: Readonly<Record<Errand, ApiClient>>) {
    this.#loops = Promise.all(
      errands.map(async (errand) => {
        await this.#loop(errand);
      }),
    );
  }

  static async start(target: Target): Promise<Bystander> {
    if ((await target.admin.request('GET', `/api/v1/namespaces/${namespace}`)).status === 404) await target.namespace(namespace);
    const { client } = await target.user('bystander', {
      namespace,
      rules: [{ verbs: ['get', 'create', 'patch'], resources: ['configmaps'] }],
    });
    const { name, body } = { name: 'seen', body: { metadata: { name: 'seen' }, data: { n: '0' } } };
    if ((await client.request('GET', `${configMaps}/${name}`)).status === 404) await client.expect(201, 'POST', configMaps, { body });
    return new Bystander({ probe: target.as('none'), read: client, write: client });
  }

  /** Resolves when each errand has been done `rounds` more times since the call with a success: it rejects when there is a failure among them. */
  async served(rounds = 3): Promise<void> {
    const since = this.notes.length;
    await this.answered(rounds);
    const bad = this.notes.slice(since).filter(({ status }) => status !== 200);
    if (bad.length > 0) throw new Error(`the bystander was refused: ${JSON.stringify(bad.slice(0, 5))}`);
  }

  /** Resolves when each errand has ended `rounds` more times since the call, well or not. */
  async answered(rounds = 3): Promise<void> {
    const since = this.notes.length;
    const done = (): boolean =>
      errands.every((errand) => this.notes.slice(since).filter((note) => note.errand === errand).length >= rounds);
    while (!done()) {
      if (!this.#running || this.notes.length >= notesMax)
        throw new Error(`the bystander has stopped, after ${this.notes.length} requests`);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Counts of a calm server with what the bystander itself may have under way at any moment. */
  static beside(counts: Counts): Counts {
    return { ...counts, readOnly: counts.readOnly + 2, mutating: counts.mutating + 1 };
  }

  /** Everything so far: how often which status came, and the latencies in milliseconds that half, 99 of 100, and all stayed under. */
  summary(errand?: Errand): {
    readonly statuses: Readonly<Record<number, number>>;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  } {
    const notes = this.notes.filter((note) => errand === undefined || note.errand === errand);
    const statuses: Record<number, number> = {};
    for (const { status } of notes) statuses[status] = (statuses[status] ?? 0) + 1;
    const times = notes.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return { statuses, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }

  /** Its connections end with it. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#loops;
    for (const client of Object.values(this.clients)) client.close();
  }

  async #loop(errand: Errand): Promise<void> {
    for (let round = 1; this.#running && this.notes.length < notesMax; round += 1) {
      const asked = performance.now();
      const status = await this.#ask(errand, round).catch(() => 0);
      this.notes.push({ errand, status, ms: performance.now() - asked });
      for (const resolve of this.#waiting.splice(0)) resolve();
      await turn();
    }
  }

  async #ask(errand: Errand, round: number): Promise<number> {
    const client = this.clients[errand];
    const timing = { timeoutMs: patienceMs };
    if (errand === 'probe') return (await client.request('GET', '/livez', timing)).status;
    if (errand === 'read') return (await client.request('GET', `${configMaps}/seen`, timing)).status;
    return (
      await client.request('PATCH', `${configMaps}/seen`, {
        ...timing,
        body: { data: { n: String(round) } },
        type: 'application/merge-patch+json',
      })
    ).status;
  }
}
