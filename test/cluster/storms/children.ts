import { once } from 'node:events';
import { fork } from 'node:child_process';
import fs from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { issueCertificate } from '../../../deploy/certificates.js';
import type { Cluster } from '../../../deploy/cluster.js';
import { ApiClient } from '../../fixtures/apiClient.js';
import { request } from '../../bench/connection.js';
import type { Overloaded } from '../storm.js';
import type { BusyReport, BusyTask } from './busy.js';
import type { OfferReport, OfferTask } from './offered.js';
import type { ResetReport, ResetTask } from './resets.js';
import type { TrickleReport, TrickleTask } from './trickle.js';

/** Runs storms in a separate process, so that the observer of the servers is not delayed. */

/** Certificate and key of a client that is no administrator: administrators are exempt, so they would see no refusals. */
export interface PlainClient {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Makes a client with all rights to config maps. */
async function plainClient(cluster: Cluster, user = 'storm'): Promise<PlainClient> {
  const directory = path.join(cluster.dataDirectory, 'storm', user);
  const files = { certFile: path.join(directory, 'client.crt'), keyFile: path.join(directory, 'client.key') };
  if (fs.existsSync(files.keyFile)) return files;
  const authority = {
    certificate: fs.readFileSync(cluster.pki.caFile, 'utf8'),
    key: fs.readFileSync(cluster.pki.caFile.replace(/\.crt$/, '.key'), 'utf8'),
  };
  const { certificate, key } = await issueCertificate(authority, { commonName: user, usages: ['clientAuth'] });
  const client = new ApiClient(cluster.address, cluster);
  const group = 'rbac.authorization.k8s.io';
  await client.expect(201, 'POST', `/apis/${group}/v1/clusterroles`, {
    body: { metadata: { name: user }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }] },
  });
  await client.expect(201, 'POST', `/apis/${group}/v1/clusterrolebindings`, {
    body: {
      metadata: { name: user },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: group, kind: 'User', name: user }],
    },
  });
  client.close();
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(files.certFile, certificate);
  fs.writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

const portsOf = ({ members }: Cluster): number[] =>
  members.filter(({ process: { running } }) => running).map(({ address }) => Number(new URL(address).port));
const apply = (path: string, name: string, value: string): string =>
  String(
    request(
      'PATCH',
      `${path}/${name}?fieldManager=t&force=true`,
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }),
      'application/apply-patch+yaml',
    ),
  );

export interface Offer {
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Offers gets, lists and, every fourth, writes of an ordinary client. */
export async function offerRequests({ cluster, path: collection }: Overloaded, offer: Offer): Promise<OfferReport> {
  const client = await plainClient(cluster);
  const names = Array.from({ length: 8 }, (_, each) => `offered-${each}`);
  const requests = names.flatMap((name) => [
    String(request('GET', `${collection}/${name}`)),
    String(request('GET', `${collection}?limit=5`)),
    String(request('GET', `${collection}/${name}`)),
    apply(collection, name, `of ${name}`),
  ]);
  const task: OfferTask = { ports: portsOf(cluster), caFile: cluster.pki.caFile, ...client, ...offer, requests };
  return run<OfferReport>('offered', task);
}

/** Opens and resets HTTP/2 streams as fast as possible. */
export async function rapidResets(
  { cluster, path: collection }: Overloaded,
  options: Pick<ResetTask, 'connections' | 'seconds' | 'resetsMin'>,
): Promise<ResetReport> {
  const task: ResetTask = {
    ports: portsOf(cluster),
    caFile: cluster.pki.caFile,
    ...(await plainClient(cluster)),
    path: collection,
    ...options,
  };
  return run<ResetReport>('resets', task);
}

interface Busy {
  readonly connections: number;
  /** Streams of each connection. */
  readonly streams: number;
  readonly seconds: number;
  readonly protocol?: BusyTask['protocol'];
}

/** Keeps many streams of several connections busy with gets and lists of an ordinary client. */
export function busyStreams(storm: Overloaded, { name, ...busy }: Busy & { readonly name: string }): Promise<BusyReport> {
  return busyReads(storm, { ...busy, paths: [`${storm.path}?limit=5`, `${storm.path}/${name}`] });
}

/** The same with given reads, at low priority. */
export async function busyReads({ cluster }: Overloaded, busy: Busy & { readonly paths: readonly string[] }): Promise<BusyReport> {
  const client = await plainClient(cluster);
  const task: BusyTask = { ports: portsOf(cluster), caFile: cluster.pki.caFile, ...client, protocol: 'HTTP/2', ...busy };
  return run<BusyReport>('busy', task, constants.priority.PRIORITY_LOW);
}

/** Measures occasional gets of another ordinary client. */
export async function trickle(
  { cluster, path: collection }: Overloaded,
  { name, ...options }: { readonly name: string; readonly everyMs: number; readonly seconds: number },
): Promise<TrickleReport> {
  const [port = 0] = portsOf(cluster);
  const pid = cluster.members.find(({ address }) => new URL(address).port === String(port))?.process.pid ?? 0;
  const client = await plainClient(cluster, 'trickle');
  return run<TrickleReport>('trickle', { port, pid, caFile: cluster.pki.caFile, ...client, path: `${collection}/${name}`, ...options });
}

/** Linux with autogroups shares processors among sessions first (sched(7)); a process's priority counts only within its session. */
function prioritise(pid: number, priority: number): void {
  setPriority(pid, priority);
  const group = `/proc/${pid}/autogroup`;
  if (fs.existsSync(group)) fs.writeFileSync(group, String(priority));
}

/** Runs a program of this folder in its own session, and resolves with its report. Rejects without one. */
async function run<Report>(
  program: string,
  task: BusyTask | OfferTask | ResetTask | TrickleTask,
  priority: number = constants.priority.PRIORITY_NORMAL,
): Promise<Report> {
  const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), [JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  if (child.pid !== undefined) prioritise(child.pid, priority);
  let report: Report | null = null;
  child.on('message', (message) => {
    if (typeof message === 'object') report = message as Report;
  });
  await once(child, 'exit');
  if (report === null) throw new Error(`${program} ended without a report`);
  return report;
}
