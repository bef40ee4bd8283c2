import { setImmediate as turn } from 'node:timers/promises';
import type { ApiClient } from '../fixtures/apiClient.js';
import type { Counts } from './counts.js';
import { Latencies } from '../fixtures/latencies.js';
import type { Target } from './target.js';

export type Errand = 'probe' | 'read' | 'write';

/** Counts of requests of one kind that have ended. Their memory does not depend on how many there are. */
class Tally {
  /** Counts by status; 0: the connection failed, or no answer came within `timeLimitMs`. */
  readonly statuses = new Map<number, number>();
  readonly latencies = new Latencies();

  get ended(): number {
    return sum(this.statuses.values());
  }

  get failed(): number {
    return this.ended - (this.statuses.get(200) ?? 0);
  }

  note(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.latencies.add(ms);
  }
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

const errands: readonly Errand[] = ['probe', 'read', 'write'];
/** The limit of an ordinary client. */
const timeLimitMs = 30_000;
const namespace = 'bystander';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

/** An honest client during an attack: it asks `/livez` without credentials, and reads and writes a config map as an ordinary user. */
export class Bystander {
  readonly #clients: Readonly<Record<Errand, ApiClient>>;
  readonly #tallies: Readonly<Record<Errand, Tally>> = { probe: new Tally(), read: new Tally(), write: new Tally() };
  #running = true;
  #waiting: (() => void)[] = [];
  readonly #loops: Promise<unknown>;

  private constructor(clients: Readonly<Record<Errand, ApiClient>>) {
    this.#clients = clients;
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

  /** Resolves when each kind of request has succeeded `rounds` more times; rejects when one fails. */
  async served(rounds = 3): Promise<void> {
    const before = this.#failed();
    await this.answered(rounds);
    if (this.#failed() > before) throw new Error(`the bystander was refused: ${JSON.stringify(this.summary().statuses)}`);
  }

  /** Resolves when each errand has ended `rounds` more times since the call, well or not. */
  async answered(rounds = 3): Promise<void> {
    const wanted = errands.map((errand) => ({ tally: this.#tallies[errand], ended: this.#tallies[errand].ended + rounds }));
    while (wanted.some(({ tally, ended }) => tally.ended < ended)) {
      if (!this.#running) throw new Error('the bystander has stopped');
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #failed(): number {
    return sum(errands.map((errand) => this.#tallies[errand].failed));
  }

  /** The counts of an idle server plus the bystander's own requests. */
  static beside(counts: Counts): Counts {
    return { ...counts, readOnly: counts.readOnly + 2, mutating: counts.mutating + 1 };
  }

  /** Counts by status, and latencies in milliseconds: median, 99th percentile and maximum. */
  summary(errand?: Errand): {
    readonly statuses: Readonly<Record<number, number>>;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  } {
    const tallies = errand === undefined ? errands.map((each) => this.#tallies[each]) : [this.#tallies[errand]];
    const statuses: Record<number, number> = {};
    for (const tally of tallies) for (const [status, count] of tally.statuses) statuses[status] = (statuses[status] ?? 0) + count;
    const latencies = Latencies.of(tallies.map((tally) => tally.latencies));
    return { statuses, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99), maxMs: latencies.at(1) };
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#loops;
    for (const client of Object.values(this.#clients)) client.close();
  }

  async #loop(errand: Errand): Promise<void> {
    for (let round = 1; this.#running; round += 1) {
      const asked = performance.now();
      const status = await this.#ask(errand, round).catch(() => 0);
      this.#tallies[errand].note(status, performance.now() - asked);
      for (const resolve of this.#waiting.splice(0)) resolve();
      await turn();
    }
  }

  async #ask(errand: Errand, round: number): Promise<number> {
    const client = this.#clients[errand];
    const timing = { timeoutMs: timeLimitMs };
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
