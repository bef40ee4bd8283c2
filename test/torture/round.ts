import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type ApiObject } from '../fixtures/apiClient.js';
import { Prng } from '../simulation/prng.js';
import type { Usage } from './checks/bounds.js';
import type { FinalState } from './checks/durability.js';
import type { TortureCluster } from './cluster/tortureCluster.js';
import { Comparer } from './comparer.js';
import { Injector } from './faults/injector.js';
import { planFaults } from './faults/plan.js';
import type { FaultKind } from './faults/table.js';
import { judge, type Judgement } from './judgement.js';
import { Lookout } from './lookout.js';
import type { Actor } from './traffic/actor.js';
import { TrafficClient } from './traffic/client.js';
import { readPages, readPast } from './traffic/pastReaders.js';
import { keysOf, last, listedIn, objectOf, pathOf, versionOf, type Place } from './traffic/place.js';
import { Recorder } from './traffic/recorder.js';
import { Watcher } from './traffic/watcher.js';
import { sampleUsage } from './usage.js';

export interface RoundOptions {
  readonly seed: number;
  readonly namespace: string;
  /** The time for new faults; repairs follow. */
  readonly faultsMs: number;
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Kinds to begin with. */
  readonly first?: readonly FaultKind[] | undefined;
  readonly log: (line: string) => void;
}

/** Clients on one replica each, and clients behind the balancer. */
const pinnedClients = 6;
const balancedClients = 2;
/** Every third watcher pauses after this many of 1,000 watches, for longer than history is kept. */
const awayPermille = 400;
const keyCount = 24;
const sampleEveryMs = 2_000;
const pollMs = 100;
/** The time until every member serves again, and until a write reaches every watch. */
const mendMs = 90_000;
const requestTimeoutMs = 5_000;

/** Runs traffic and faults, then checks all records. */
export async function runRound(cluster: TortureCluster, options: RoundOptions): Promise<Judgement> {
  const round = new Round(cluster, options);
  try {
    await round.begin();
    await round.burn();
    return await round.end();
  } finally {
    await round.close();
  }
}

class Round {
  readonly #cluster: TortureCluster;
  readonly #options: RoundOptions;
  readonly #place: Place;
  readonly #prng: Prng;
  readonly #recorder = new Recorder();
  readonly #injector: Injector;
  readonly #comparer: Comparer;
  readonly #servers: readonly ApiClient[];
  readonly #usage: Usage[] = [];
  #clients: readonly TrafficClient[] = [];
  #watchers: readonly Watcher[] = [];
  #from = 0;
  #lookout: Lookout | null = null;

  constructor(cluster: TortureCluster, options: RoundOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#place = { namespace: options.namespace, keys: keysOf(keyCount) };
    this.#prng = new Prng(options.seed);
    this.#injector = new Injector(cluster, options.log);
    this.#comparer = new Comparer(cluster);
    const addresses = [
      ...Array.from({ length: pinnedClients }, (_, n) => cluster.members[n % cluster.members.length]!.address),
      ...Array.from({ length: balancedClients }, () => cluster.address),
    ];
    this.#servers = addresses.map((address) => new ApiClient(address, cluster));
  }

  async begin(): Promise<void> {
    const created = await this.#until(mendMs, async () =>
      [201, 409].includes(await this.#status('POST', '/api/v1/namespaces', { metadata: { name: this.#place.namespace } })),
    );
    if (!created) throw new Error('the cluster takes no writes before the first fault');
    this.#from = versionOf(await this.#servers[0]!.expect(200, 'GET', pathOf(this.#place)));
    this.#clients = this.#servers.map((_, n) => new TrafficClient(this.#actor(`c${n}`, n)));
    this.#watchers = this.#servers.map((_, n) => new Watcher(this.#actor(`w${n}`, n), this.#from, n % 3 === 1 ? awayPermille : 0));
    await this.#clients[0]!.fill();
  }

  async burn(): Promise<void> {
    const { seed, faultsMs, kinds, first, log } = this.#options;
    const over = new AbortController();
    const sampler = setInterval(() => {
      this.#usage.push(...sampleUsage(this.#cluster));
    }, sampleEveryMs);
    const lookout = (this.#lookout = new Lookout(this.#cluster, () => this.#recorder.latestAcknowledgedMs, log));
    // One of each is pinned to a replica, and one is behind the balancer.
    const readers = [readPages, readPast].flatMap((read, n) =>
      [n, this.#servers.length - 1].map((at) => read(this.#actor(`${read.name}${at}`, at), over.signal)),
    );
    const traffic = [...this.#clients.map((client) => client.run(over.signal)), ...readers, this.#comparer.run(over.signal)];
    try {
      await Promise.all([this.#injector.run(planFaults(seed, faultsMs, kinds, first)), delay(faultsMs)]);
      if (!(await this.#cluster.whole(mendMs)))
        this.#finding('availability', `not every member serves ${mendMs / 1000} s after the last fault`);
    } finally {
      clearInterval(sampler);
      lookout.stop();
      over.abort();
      await Promise.all(traffic);
    }
  }

  /** A last write ends the history: watches that show it are complete up to its version. */
  async end(): Promise<Judgement> {
    const to = await this.#lastWrite();
    if (to === null) this.#finding('availability', `no write was taken ${mendMs / 1000} s after the last fault`);
    const final = to === null ? new Map<string, FinalState>() : await this.#ending(to);
    for (const { promise, details } of this.#injector.findings) this.#finding(promise, details);
    return judge({
      place: this.#place,
      recorder: this.#recorder,
      watches: this.#watchers.flatMap(({ histories }) => histories),
      sights: this.#lookout?.sights ?? [],
      crowding: this.#lookout?.crowding ?? 1,
      usage: this.#usage,
      threads: this.#cluster.threads,
      comparer: this.#comparer,
      faults: this.#injector.counts,
      pointsMet: this.#injector.pointsMet,
      from: this.#from,
      to,
      final,
    });
  }

  async close(): Promise<void> {
    this.#injector.stop();
    await Promise.all(this.#watchers.map((watcher) => watcher.stop()));
    for (const server of this.#servers) server.close();
  }

  #actor(name: string, at: number): Actor {
    return {
      name,
      server: this.#servers[at]!,
      pinned: at < pinnedClients,
      member: () => this.#memberAt(at),
      place: this.#place,
      prng: new Prng(this.#prng.below(2 ** 31)),
      recorder: this.#recorder,
      gone: (what) => this.#cluster.gone(what),
    };
  }

  #memberAt(at: number): string | null {
    return this.#cluster.members.find(({ address }) => address === this.#servers[at]?.address)?.id ?? null;
  }

  async #lastWrite(): Promise<number | null> {
    const path = pathOf(this.#place);
    let version: number | null = null;
    await this.#until(mendMs, async () => {
      await this.#status('POST', path, objectOf(last, last));
      const answer = await this.#servers
        .at(-1)!
        .request('GET', `${path}/${last}`, { timeoutMs: requestTimeoutMs })
        .catch(() => null);
      if (answer?.status === 200) version = versionOf(answer.body as ApiObject);
      return version !== null;
    });
    return version;
  }

  /** Waits until the last write reaches all members; returns what each lists. */
  async #ending(version: number): Promise<ReadonlyMap<string, FinalState>> {
    for (const watcher of this.#watchers) watcher.rouse();
    await this.#until(mendMs, async () => await Promise.resolve(this.#watchers.every(({ complete }) => complete)));
    for (const [n, { complete, endings }] of this.#watchers.entries()) {
      if (!complete)
        this.#finding(
          'watch is reliable',
          `w${n} was not shown the last write within ${mendMs / 1000} s; its last endings: ${endings.slice(-3).join(', ')}`,
        );
    }
    const final = new Map<string, FinalState>();
    for (const { id, client } of this.#cluster.members) {
      const state = await this.#contents(client, version);
      if (state === null) this.#finding('availability', `${id} does not list the state of ${version}`);
      else final.set(id, state);
    }
    const compared = await this.#until(mendMs, async () => (await this.#comparer.compare()) === this.#cluster.members.length);
    if (!compared) this.#finding('equal replicas', 'could not be compared: a member does not tell its fingerprint');
    return final;
  }

  /** A newer list shows the same, because writes have ended, and its version is not compacted. */
  async #contents(client: ApiClient, version: number): Promise<FinalState | null> {
    let state: FinalState | null = null;
    await this.#until(mendMs, async () => {
      const answer = await client
        .request('GET', `${pathOf(this.#place)}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`, {
          timeoutMs: requestTimeoutMs,
        })
        .catch(() => null);
      if (answer?.status === 200) state = listedIn('', '', answer.body as ApiObject).items;
      return state !== null;
    });
    return state;
  }

  async #status(method: string, path: string, body: object): Promise<number> {
    return (
      (
        await this.#servers
          .at(-1)!
          .request(method, path, { body, timeoutMs: requestTimeoutMs })
          .catch(() => null)
      )?.status ?? 0
    );
  }

  async #until(timeoutMs: number, holds: () => Promise<boolean>): Promise<boolean> {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(pollMs)) if (await holds()) return true;
    return false;
  }

  #finding(promise: string, details: string): void {
    this.#recorder.findings.push({ promise, details });
  }
}
