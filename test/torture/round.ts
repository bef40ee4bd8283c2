import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type ApiObject } from '../fixtures/apiClient.js';
import { Follower } from '../cluster/follower.js';
import { Prng } from '../simulation/prng.js';
import { checkAvailability, silences } from './checks/availability.js';
import { checkBounds, peaks, type Usage } from './checks/bounds.js';
import { checkAcknowledged, type FinalState } from './checks/durability.js';
import type { Finding } from './checks/finding.js';
import { acknowledgedWrites } from './checks/history.js';
import { checkLinearizability } from './checks/linearizability.js';
import { checkReplicas, type ReplicaDigest } from './checks/replicas.js';
import { checkSessions } from './checks/sessions.js';
import { checkWatches, type WatchHistory } from './checks/watchPromises.js';
import type { TortureCluster } from './cluster/tortureCluster.js';
import { Injector } from './faults/injector.js';
import { planFaults } from './faults/plan.js';
import type { FaultKind } from './faults/table.js';
import { Lookout } from './lookout.js';
import { TrafficClient, keysOf, objectOf, pathOf, type Place } from './traffic/client.js';
import { Recorder } from './traffic/recorder.js';
import { sampleUsage } from './usage.js';

export interface RoundOptions {
  readonly seed: number;
  readonly namespace: string;
  /** How long new faults begin; what they broke is mended afterwards. */
  readonly faultsMs: number;
  readonly kinds?: readonly FaultKind[] | undefined;
  readonly log: (line: string) => void;
}

export interface RoundReport {
  readonly findings: readonly Finding[];
  /** One line of what happened. */
  readonly summary: string;
}

/** Clients on one replica each, in turn, and clients behind the balancer. */
const pinnedClients = 6;
const balancedClients = 2;
const keyCount = 24;
const sampleEveryMs = 2_000;
const pollMs = 100;
/** After the last fault, until every member serves, and until a write has come to every watch. */
const mendMs = 90_000;
const last = 'last';
const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Traffic, faults, and then the judgement on everything that clients were told. */
export async function runRound(cluster: TortureCluster, options: RoundOptions): Promise<RoundReport> {
  const round = new Round(cluster, options);
  try {
    await round.begin();
    await round.burn();
    return await round.judge();
  } finally {
    await round.close();
  }
}

class Round {
  readonly #place: Place;
  readonly #prng: Prng;
  readonly #recorder = new Recorder();
  readonly #injector: Injector;
  readonly #servers: readonly ApiClient[];
  readonly #samples: Usage[] = [];
  #clients: readonly TrafficClient[] = [];
  #followers: readonly Follower[] = [];
  #from = 0;
  #lookout: Lookout | null = null;

  constructor(private readonly cluster: TortureCluster, private readonly options: RoundOptions) {
    this.#place = { namespace: options.namespace, keys: keysOf(keyCount) };
    this.#prng = new Prng(options.seed);
    this.#injector = new Injector(cluster, options.log);
    const addresses = [...Array.from({ length: pinnedClients }, (_, n) => cluster.members[n % cluster.members.length]!.address), ...Array.from({ length: balancedClients }, () => cluster.address)];
    this.#servers = addresses.map((address) => new ApiClient(address, cluster));
  }

  async begin(): Promise<void> {
    const created = await this.#until(mendMs, async () => [201, 409].includes(await this.#status('POST', '/api/v1/namespaces', { metadata: { name: this.#place.namespace } })));
    if (!created) throw new Error('the cluster takes no writes before the first fault');
    this.#from = Number((await this.#servers[0]!.expect(200, 'GET', pathOf(this.#place))).metadata.resourceVersion);
    this.#clients = this.#servers.map((server, n) => new TrafficClient(`c${n}`, server, this.#place, new Prng(this.#prng.below(2 ** 31)), this.#recorder));
    this.#followers = this.#servers.map((server) => new Follower([server], pathOf(this.#place), String(this.#from), 0));
    await this.#clients[0]!.fill();
  }

  async burn(): Promise<void> {
    const { seed, faultsMs, kinds } = this.options;
    const over = new AbortController();
    const sampler = setInterval(() => { this.#samples.push(...sampleUsage(this.cluster)); }, sampleEveryMs);
    const lookout = this.#lookout = new Lookout(this.cluster, () => this.#recorder.latestAcknowledgedMs, this.options.log);
    const traffic = this.#clients.map((client) => client.run(over.signal));
    try {
      await Promise.all([this.#injector.run(planFaults(seed, faultsMs, kinds)), delay(faultsMs)]);
      if (!(await this.cluster.whole(mendMs))) this.#finding('availability', `not every member serves ${mendMs / 1000} s after the last fault`);
    } finally {
      clearInterval(sampler);
      lookout.stop();
      over.abort();
      await Promise.all(traffic);
    }
  }

  /** A last write ends the history: when every watch has shown it, all of them are complete up to its version. */
  async judge(): Promise<RoundReport> {
    const version = await this.#lastWrite();
    if (version === null) this.#finding('availability', `no write was taken ${mendMs / 1000} s after the last fault`);
    else await this.#compare(version);
    const { operations, sightings, acknowledgedMs, requests, unknown, longestSilenceMs } = this.#recorder;
    const sights = this.#lookout?.sights ?? [];
    const linearizability = checkLinearizability(operations);
    const findings = [...this.#injector.findings, ...this.#recorder.findings, ...linearizability.findings, ...checkSessions(sightings), ...checkBounds(this.#samples), ...checkAvailability(sights, acknowledgedMs)];
    const faults = [...this.#injector.counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
    const [memory, files] = (['residentBytes', 'fileBytes'] as const).map((what) => Math.max(0, ...peaks(this.#samples, what).values()) >> 20);
    const undecided = linearizability.undecided.length === 0 ? '' : `; undecided: ${linearizability.undecided.join(', ')}`;
    const summary = `${requests} requests, ${acknowledgedMs.length} writes acknowledged, ${unknown} unknown, longest time without one ${seconds(longestSilenceMs)} s, ${seconds(silences(sights, acknowledgedMs)[0]?.ms ?? 0)} s while a majority was well; `
      + `${this.#followers[0]?.events.length ?? 0} events on each of ${this.#followers.length} watches; faults: ${faults || 'none'}; peak ${memory} MiB memory, ${files} MiB files${undecided}`;
    return { findings, summary };
  }

  async close(): Promise<void> {
    this.#injector.stop();
    await Promise.all(this.#followers.map((follower) => follower.stop()));
    for (const server of this.#servers) server.close();
  }

  async #lastWrite(): Promise<number | null> {
    const path = pathOf(this.#place);
    let version: number | null = null;
    await this.#until(mendMs, async () => {
      await this.#status('POST', path, objectOf(last, last));
      const answer = await this.#servers.at(-1)!.request('GET', `${path}/${last}`, { timeoutMs: 5_000 }).catch(() => null);
      if (answer?.status === 200) version = Number((answer.body as ApiObject).metadata.resourceVersion);
      return version !== null;
    });
    return version;
  }

  async #compare(version: number): Promise<void> {
    const shown = (follower: Follower): boolean => follower.events.some(({ object }) => object.metadata.name === last);
    await this.#until(mendMs, async () => await Promise.resolve(this.#followers.every(shown)));
    for (const [n, follower] of this.#followers.entries()) {
      if (!shown(follower)) this.#finding('watch is reliable', `c${n} was not shown the last write within ${mendMs / 1000} s; its last endings: ${follower.endings.slice(-3).join(', ')}`);
    }
    const acknowledged = acknowledgedWrites(this.#recorder.operations).filter(({ key }) => this.#place.keys.includes(key));
    const watches = this.#followers.map((follower, n) => this.#history(follower, `c${n}`));
    const complete = watches.find((_, n) => shown(this.#followers[n]!));
    this.#add(checkWatches(watches, acknowledged));
    for (const { id, client } of this.cluster.members) {
      const final = await this.#contents(client, version);
      if (final === null) this.#finding('availability', `${id} does not list the state of ${version}`);
      else if (complete) this.#add(checkAcknowledged(acknowledged, complete.changes.filter((change) => change.version <= version), final));
    }
    this.#add(checkReplicas(await this.#digests()));
  }

  #history({ events, bookmarks, expired }: Follower, watcher: string): WatchHistory {
    const changes = events.map(({ type, object: { metadata, data } }) => ({ type, key: metadata.name, version: Number(metadata.resourceVersion), halves: [data?.['left'] ?? '', data?.['right'] ?? ''] as const }));
    return { watcher, from: this.#from, changes, bookmarks, expired: expired.map((status) => JSON.stringify(status)) };
  }

  async #contents(client: ApiClient, version: number): Promise<FinalState | null> {
    let state: FinalState | null = null;
    await this.#until(mendMs, async () => {
      const answer = await client.request('GET', `${pathOf(this.#place)}?resourceVersion=${version}&resourceVersionMatch=Exact`, { timeoutMs: 5_000 }).catch(() => null);
      if (answer?.status === 200) state = new Map(((answer.body as ApiObject).items ?? []).map(({ metadata, data }) => [metadata.name, { version: Number(metadata.resourceVersion), value: data?.['left'] ?? '' }]));
      return state !== null;
    });
    return state;
  }

  /** Of all members at the newest revision that all of them have. */
  async #digests(): Promise<readonly ReplicaDigest[]> {
    let digests: readonly ReplicaDigest[] = [];
    const done = await this.#until(mendMs, async () => {
      const revisions = (await Promise.all(this.cluster.members.map((member) => this.cluster.status(member)))).map((status) => status?.revision ?? 0);
      const revision = Math.min(...revisions);
      const answers = await Promise.all(this.cluster.members.map(async ({ id, client }) => ({ replica: id, answer: await client.request('GET', `/raft/v1/digest?revision=${revision}`).catch(() => null) })));
      digests = answers.map(({ replica, answer }) => ({ replica, revision, sha256: (answer?.body as { readonly sha256?: string } | undefined)?.sha256 ?? '' }));
      return revision > 0 && answers.every(({ answer }) => answer?.status === 200);
    });
    if (!done) this.#finding('equal replicas', 'could not be compared: a member does not tell its digest');
    return done ? digests : [];
  }

  async #status(method: string, path: string, body: object): Promise<number> {
    return (await this.#servers.at(-1)!.request(method, path, { body, timeoutMs: 5_000 }).catch(() => null))?.status ?? 0;
  }

  async #until(timeoutMs: number, holds: () => Promise<boolean>): Promise<boolean> {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(pollMs)) if (await holds()) return true;
    return false;
  }

  #add(findings: readonly Finding[]): void {
    this.#recorder.findings.push(...findings);
  }

  #finding(promise: string, details: string): void {
    this.#add([{ promise, details }]);
  }
}
