import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { controllerProgram, loadKubeconfig, type ControllerEnvironment } from '../../../controllers/client/index.js';
import { deployments } from '../../../api/types/apps/v1.js';
import { namespaces, nodes, pods, services } from '../../../api/types/core/v1.js';
import { startCluster, type Cluster } from '../../../deploy/cluster.js';
import type { ReplicaCount } from '../../../deploy/settings.js';
import { message, start } from '../processes.js';
import { processorSeconds, residentBytes } from '../../fixtures/processUsage.js';
import { count, milliseconds, printTable } from '../table.js';
import { empty, fill, killLeader, makeAndDelete, roll, rolled } from './churn.js';
import { PodStarts } from './podStarts.js';
import type { ProberTask, ProbeReport } from './prober.js';

export interface ScaleOptions {
  readonly replicas: ReplicaCount;
  readonly nodes: number;
  readonly pods: number;
  /** How long the cluster is held under churn. */
  readonly seconds: number;
  /** Pods made and deleted meanwhile. */
  readonly podsPerSecond: number;
}

const pollMs = 50;
const podsPerDeployment = 1_000;
const namespaceObjects = 3_000;
/** The Service's share of the pods: 5,000 of 150,000. */
const rolledShare = 30;
const namespace = 'scale';

/** Limits that Kubernetes states for its largest clusters (sig-scalability, "SLIs and SLOs"), of the 99th percentile in milliseconds. */
const promises: Readonly<Record<string, number>> = {
  creates: 1_000,
  updates: 1_000,
  gets: 1_000,
  'lists of all pods': 30_000,
  'pod starts': 5_000,
};

type Stage = readonly [stage: string, seconds: string, rate: string, serverMs: string, managerMs: string];

/** Brings up nodes and pods, holds them under churn, and takes them away: what Kubernetes promises for that beside what was seen. */
export async function benchScale(options: ScaleOptions): Promise<void> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-scale-'));
  console.error(`  starting ${options.replicas} servers and ${count(options.nodes)} stand-in nodes ...`);
  const cluster = await startCluster({
    dataDirectory,
    replicas: options.replicas,
    fakeNodes: options.nodes,
    managers: 1,
    managerFlags: ['--kube-api-qps=-1'],
    fresh: true,
  });
  const stopping = new AbortController();
  const { environment, run } = controllerProgram(loadKubeconfig(cluster.kubeconfig), {
    name: 'bench',
    signal: stopping.signal,
    qps: -1,
    log: () => undefined,
  });
  const starts = new PodStarts(environment.informers.of(pods));
  environment.informers.of(nodes);
  const running = run();
  try {
    await measure({ cluster, environment, starts }, options);
  } finally {
    stopping.abort();
    await running;
    await cluster.discard();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

interface Subject {
  readonly cluster: Cluster;
  readonly environment: ControllerEnvironment;
  readonly starts: PodStarts;
}

async function measure(subject: Subject, options: ScaleOptions): Promise<void> {
  const { cluster, environment, starts } = subject;
  const stages: Stage[] = [];
  stages.push(await stage(subject, 'nodes are ready', options.nodes, () => untilReady(environment, options.nodes)));
  const rolledPods = Math.max(1, Math.round(options.pods / rolledShare));
  await prepare(environment);
  const sizes = deploymentSizes(options.pods - rolledPods);
  stages.push(
    await stage(subject, 'pods run', options.pods, async () => {
      await Promise.all([create(environment, rolled, rolledPods), ...sizes.map((size, at) => create(environment, `d${at}`, size))]);
      while (starts.running < options.pods) await delay(pollMs);
    }),
  );
  const memory = memoryOf(cluster);
  const churn = await churned(subject, options, rolledPods);
  stages.push(
    await stage(subject, 'pods are gone', options.pods, async () => {
      await environment.api.delete(namespaces, { namespace: '', name: namespace });
      while (starts.running > 0) await delay(pollMs);
    }),
  );
  printTable(['stage', 's', '1/s', 'servers, ms each', 'manager, ms each'], stages);
  console.log();
  printTable(['promise', 'count', 'p50 ms', 'p99 ms', 'longest ms', 'limit of p99'], churn.promises);
  console.log();
  printTable(['under churn', 's'], churn.loads);
  console.log();
  printTable(['process', `MiB with ${count(options.pods)} pods`], memory);
}

/** Runs a stage and prints progress; processor time is for each of its objects. */
async function stage({ cluster }: Subject, name: string, objects: number, work: () => Promise<void>): Promise<Stage> {
  console.error(`  ${name}: ${count(objects)} ...`);
  const servers = (): number => cluster.members.reduce((sum, { process }) => sum + processorSeconds(process.pid), 0);
  const manager = (): number => cluster.managers.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  const [from, serversFrom, managerFrom] = [performance.now(), servers(), manager()];
  await work();
  const seconds = (performance.now() - from) / 1_000;
  const each = (spent: number): string => milliseconds((spent * 1_000) / objects);
  return [name, seconds.toFixed(1), count(objects / seconds), each(servers() - serversFrom), each(manager() - managerFrom)];
}

async function untilReady({ informers }: ControllerEnvironment, wanted: number): Promise<void> {
  const { cache } = informers.of(nodes);
  const ready = (): number =>
    cache.list().filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')).length;
  while (ready() < wanted) await delay(pollMs);
}

const deploymentSizes = (left: number): number[] =>
  Array.from({ length: Math.ceil(left / podsPerDeployment) }, (_, at) => Math.min(podsPerDeployment, left - at * podsPerDeployment));

async function prepare(environment: ControllerEnvironment): Promise<void> {
  await environment.api.create(namespaces, { metadata: { name: namespace } });
  const ports = [{ port: 80 }];
  await environment.api.create(services, { metadata: { name: rolled, namespace }, spec: { selector: { app: rolled }, ports } });
  await fill(environment, namespaceObjects);
}

async function create({ api }: ControllerEnvironment, name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  await api.create(deployments, {
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
    },
  });
}

async function churned(
  { cluster, environment, starts }: Subject,
  { seconds, podsPerSecond }: ScaleOptions,
  rolledPods: number,
): Promise<{ readonly promises: readonly string[][]; readonly loads: readonly string[][] }> {
  console.error(`  ${count(seconds)} s of churn ...`);
  const prober = start('scale/prober', [JSON.stringify(proberTask(cluster))]);
  try {
    const [rolling, emptying, killing] = await Promise.all([
      roll(environment, namespace),
      empty(environment),
      delay((seconds * 1_000) / 2).then(() => (cluster.members.length > 1 ? killLeader(environment, cluster) : null)),
      makeAndDelete(environment, starts, { perSecond: podsPerSecond, seconds }),
    ]);
    const reports = message<readonly ProbeReport[]>(prober);
    prober.send('stop');
    const started = { probe: 'pod starts', count: starts.count, ...quantiles(starts) };
    return {
      promises: [...(await reports), started].map((report) => promiseRow(report)),
      loads: [
        [`a Service with ${count(rolledPods)} endpoints rolled`, rolling.toFixed(1)],
        [`a namespace of ${count(namespaceObjects)} objects deleted`, emptying.toFixed(1)],
        ...(killing === null ? [] : [['the leader killed, and ready again after its start', killing.toFixed(1)]]),
      ],
    };
  } finally {
    if (prober.exitCode === null && prober.signalCode === null) {
      prober.kill();
      await once(prober, 'exit');
    }
  }
}

const quantiles = ({ latencies }: PodStarts): Omit<ProbeReport, 'probe' | 'count'> => ({
  p50Ms: latencies.at(0.5),
  p99Ms: latencies.at(0.99),
  longestMs: latencies.at(1),
});

const promiseRow = ({ probe, count: number, p50Ms, p99Ms, longestMs }: ProbeReport): string[] => [
  probe,
  count(number),
  ...[p50Ms, p99Ms, longestMs].map(milliseconds),
  count(promises[probe] ?? NaN),
];

function proberTask({ members, pki }: Cluster): ProberTask {
  const endpoints = members.map(({ address }) => ({ host: '127.0.0.1', port: Number(new URL(address).port) }));
  return { endpoints, caFile: pki.caFile, certFile: pki.admin.certFile, keyFile: pki.admin.keyFile };
}

function memoryOf({ members, managers, fakeNodes, balancer }: Cluster): string[][] {
  const processes: [name: string, pid: number | null | undefined][] = [
    ...members.map(({ id, process }): [string, number | null] => [`server ${id}`, process.pid]),
    ...managers.map(({ pid }): [string, number | null] => ['manager', pid]),
    ['stand-in nodes', fakeNodes?.pid],
    ['balancer', balancer?.pid],
    ['the bench, with a cache of all pods', process.pid],
  ];
  return processes.flatMap(([name, pid]) => (pid == null ? [] : [[name, count(residentBytes(pid) / 2 ** 20)]]));
}
