import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../deploy/cluster.js';
import { ClusterUnderTest } from '../cluster/clusterUnderTest.js';
import { RecordingInformer, type Seen } from '../cluster/recordingInformer.js';
import { kubectlRunsHere } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { Prng } from '../simulation/prng.js';
import { http1Client, http2Client, pythonClient } from './clients/httpClients.js';
import { kubectlClient } from './clients/kubectlClient.js';
import { libraryClient } from './clients/libraryClient.js';
import type { ClientPlace, OrdinaryClient } from './clients/ordinaryClient.js';
import { MemoryRecord } from './memory.js';
import { SoakUser, type Change } from './user.js';

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Serving threads of each API server. */
  readonly threads: number;
  readonly progress: (line: string) => void;
}

export interface SoakReport {
  readonly findings: readonly string[];
  /** Requests by kind of client. */
  readonly requests: Readonly<Record<string, number>>;
  readonly events: number;
  readonly memory: readonly string[];
}

const namespace = 'soak';
const progressMs = 30_000;

/** Kinds of clients with an installed program. kubectl starts a process for each request, so there is one. */
const kinds: readonly {
  readonly title: string;
  readonly make: (place: ClientPlace) => OrdinaryClient;
  readonly present: boolean;
  readonly everywhere: boolean;
}[] = [
  { title: 'HTTP/1.1', make: http1Client, present: true, everywhere: true },
  { title: 'HTTP/2', make: http2Client, present: true, everywhere: true },
  { title: 'client-node', make: libraryClient, present: true, everywhere: true },
  { title: 'Python', make: pythonClient, present: fs.existsSync('/usr/bin/python3'), everywhere: true },
  { title: 'kubectl', make: kubectlClient, present: kubectlRunsHere, everywhere: false },
];

/**
 * Runs ordinary clients of three healthy replicas, directly and through the balancer: all responses are as expected, and watches show every change once, in
 * order.
 */
export async function soak({ seconds, seed, threads, progress }: SoakOptions): Promise<SoakReport> {
  const test = await ClusterUnderTest.start({ apiserverFlags: [`--serving-threads=${threads}`] });
  try {
    const { cluster } = test;
    await test.namespace(namespace);
    const places = [cluster.address, ...cluster.members.map(({ address }) => address)].map((address) => placeAt(cluster, address));
    const informers = places.map(({ kubeconfig }) => new RecordingInformer(kubeconfig, namespace));
    for (const informer of informers) await informer.start();
    const users = usersAt(places, seed);
    const memory = new MemoryRecord(cluster.members);
    await runFor(seconds, users, memory, progress);
    const findings = users.flatMap(({ user }) => user.findings);
    // After a finding the change may never arrive.
    if (findings.length === 0) for (const informer of informers) await toldAll(informer, users);
    // An informer reports its stop as an error.
    const watched = informers.flatMap((informer, index) => watchFindings(places[index]!.address, informer, users));
    for (const informer of informers) await informer.stop();
    const all = [...findings, ...(findings.length === 0 ? watched : []), ...memory.findings()];
    if (all.length > 0) progress(lastWords(cluster));
    return {
      findings: all,
      requests: Object.fromEntries(
        kinds.map(({ title }) => [title, users.filter(({ kind }) => kind === title).reduce((sum, { user }) => sum + user.requests, 0)]),
      ),
      events: informers.reduce((sum, { seen }) => sum + seen.length, 0),
      memory: memory.lines(),
    };
  } finally {
    await test.stop();
  }
}

/** The ends of all logs, before the folder is deleted. */
function lastWords({ dataDirectory }: Cluster): string {
  const folder = path.join(dataDirectory, 'logs');
  return fs
    .readdirSync(folder)
    .map((file) => `${file}:\n${fs.readFileSync(path.join(folder, file), 'utf8').split('\n').slice(-lastLines).join('\n')}`)
    .join('\n');
}
const lastLines = 20;

interface Placed {
  readonly kind: string;
  readonly user: SoakUser;
}

function placeAt(cluster: Cluster, address: string): Omit<ClientPlace, 'user'> {
  const kubeconfig = path.join(temporaryDirectory('soak'), 'kubeconfig');
  fs.writeFileSync(kubeconfig, fs.readFileSync(cluster.kubeconfig, 'utf8').replaceAll(cluster.address, address));
  const { caFile, admin } = cluster.pki;
  return { namespace, address, kubeconfig, files: { ca: caFile, certificate: admin.certFile, key: admin.keyFile } };
}

function usersAt(places: readonly Omit<ClientPlace, 'user'>[], seed: number): Placed[] {
  const chance = new Prng(seed);
  return kinds
    .filter(({ present }) => present)
    .flatMap(({ title, make, everywhere }, kind) =>
      places.slice(0, everywhere ? places.length : 1).map((place, index) => {
        const user = `user-${kind}-${index}`;
        return { kind: title, user: new SoakUser(user, make({ ...place, user }), new Prng(chance.below(2 ** 31))) };
      }),
    );
}

async function runFor(seconds: number, users: readonly Placed[], memory: MemoryRecord, progress: (line: string) => void): Promise<void> {
  const end = new AbortController();
  const running = users.map(({ user }) => user.run(end.signal));
  const begun = performance.now();
  for (let left = seconds * 1_000; left > 0; left = seconds * 1_000 - (performance.now() - begun)) {
    await delay(Math.min(left, progressMs));
    memory.sample();
    const requests = users.reduce((sum, { user }) => sum + user.requests, 0);
    const found = users.reduce((sum, { user }) => sum + user.findings.length, 0);
    progress(`${Math.round((performance.now() - begun) / 1_000)} s: ${requests} requests, ${found} findings; ${memory.now()}`);
    if (found > 0) break;
  }
  end.abort();
  await Promise.all(running);
}

const changesOf = (users: readonly Placed[]): ReadonlyMap<string, readonly Change[]> =>
  new Map(users.flatMap(({ user }) => [...user.changes]));

async function toldAll(informer: RecordingInformer, users: readonly Placed[]): Promise<void> {
  const changes = [...changesOf(users).values()].reduce((sum, { length }) => sum + length, 0);
  await informer.until((seen) => seen.filter(isOfUsers).length >= changes);
}

const isOfUsers = ([, name]: Seen): boolean => name.startsWith('user-');

function watchFindings(address: string, { seen, errors, lists }: RecordingInformer, users: readonly Placed[]): string[] {
  const reported = new Map<string, string[]>();
  for (const [type, name, version] of seen.filter(isOfUsers))
    reported.set(name, [...(reported.get(name) ?? []), `${type} ${type === 'DELETED' ? '' : version}`]);
  const wrong = [...changesOf(users)].filter(
    ([name, changes]) => changes.map((change) => change.join(' ')).join() !== (reported.get(name) ?? []).join(),
  );
  return [
    ...wrong.map(([name]) => `the watch at ${address} does not tell the changes of ${name} once and in order`),
    ...errors.map((error) => `the watch at ${address} failed: ${error}`),
    ...(lists > 1 ? [`the watch at ${address} lost its place ${lists - 1} times`] : []),
  ];
}
