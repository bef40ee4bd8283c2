import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { controllerProgram, isNotFound, loadKubeconfig, unless, type ControllerEnvironment } from '../../controllers/client/index.js';
import { type Deployment, deployments } from '../../api/types/apps/v1.js';
import { type Job, jobs } from '../../api/types/batch/v1.js';
import { configMaps, namespaces, type Pod, pods, serviceAccounts } from '../../api/types/core/v1.js';
import { startCluster, type Cluster } from '../../deploy/cluster.js';
import type { ReplicaCount } from '../../deploy/settings.js';
import { processorSeconds, residentBytes } from '../fixtures/processUsage.js';
import { inBatches } from './batches.js';
import { count, printTable } from './table.js';

/** Measures controllers with the usual limit of 20 requests a second each and without it, and an idle manager. */
export interface ControllersOptions {
  readonly replicas: ReplicaCount;
  readonly pods: number;
  readonly idlePods: number;
  readonly idleSeconds: number;
  readonly contentType: string;
}

const namespaceObjects = 1_000;
const parallelism = 50;
const pollMs = 20;
const rates: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['20', []],
  ['no limit', ['--kube-api-qps=-1']],
];

type Row = readonly [measure: string, qps: string, seconds: string, managerCpu: string, serverCpu: string, note: string];

export async function benchControllers(options: ControllersOptions): Promise<void> {
  const rows: Row[] = [];
  const encoding = `--kube-api-content-type=${options.contentType}`;
  for (const [qps, rateFlags] of rates) {
    const managerFlags = [...rateFlags, encoding];
    await withCluster(
      { replicas: options.replicas, fakeNodes: Math.max(2, Math.ceil(options.pods / 500)), managerFlags },
      async (cluster, environment) => {
        const measure = stopwatch(cluster);
        rows.push(...(await rollOut(environment, options.pods, (name, seconds) => [name, qps, ...seconds, ''], measure)));
        rows.push(await runJob(environment, options.pods, (name, seconds) => [name, qps, ...seconds, `${parallelism} at once`], measure));
        rows.push(
          await emptyNamespace(environment, (name, seconds) => [name, qps, ...seconds, 'waits 5 s first, as the reference does'], measure),
        );
      },
    );
  }
  await withCluster({ replicas: options.replicas, fakeNodes: 0, managerFlags: [encoding] }, async (cluster, environment) => {
    rows.push(await idle(cluster, environment, options));
  });
  printTable(['measure', 'qps', 'seconds', 'manager CPU s', 'servers CPU s', ''], rows);
}

async function withCluster(
  wanted: { readonly replicas: ReplicaCount; readonly fakeNodes: number; readonly managerFlags: readonly string[] },
  run: (cluster: Cluster, environment: ControllerEnvironment) => Promise<void>,
): Promise<void> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-controllers-'));
  const cluster = await startCluster({ ...wanted, dataDirectory, managers: 1, fresh: true });
  const stopping = new AbortController();
  const program = controllerProgram(loadKubeconfig(cluster.kubeconfig), {
    name: 'bench',
    signal: stopping.signal,
    qps: -1,
    log: () => undefined,
  });
  for (const type of [deployments, jobs, pods]) program.environment.informers.of<Deployment | Job | Pod>(type);
  const running = program.run();
  try {
    // Pods need their namespace's account, which the manager creates.
    while (!(await unless(isNotFound, program.environment.api.get(serviceAccounts, { namespace: 'default', name: 'default' }))))
      await delay(pollMs);
    await run(cluster, program.environment);
  } finally {
    stopping.abort();
    await running;
    await cluster.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** Seconds since the start of a measurement, and processor time of manager and servers. */
type Lap = readonly [seconds: string, managerCpu: string, serverCpu: string];

function stopwatch(cluster: Cluster): () => () => Lap {
  const manager = (): number => cluster.managers.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  const servers = (): number => cluster.members.reduce((sum, { process }) => sum + processorSeconds(process.pid), 0);
  return () => {
    const [from, managerFrom, serversFrom] = [performance.now(), manager(), servers()];
    return () => [
      ((performance.now() - from) / 1_000).toFixed(1),
      (manager() - managerFrom).toFixed(2),
      (servers() - serversFrom).toFixed(2),
    ];
  };
}

type Finish = (name: string, lap: Lap) => Row;
type Stopwatch = () => () => Lap;

async function rollOut({ api, informers }: ControllerEnvironment, replicas: number, row: Finish, measure: Stopwatch): Promise<Row[]> {
  console.error(`  a deployment of ${replicas} ...`);
  const labels = { app: 'bench' };
  const lap = measure();
  await api.create(deployments, {
    metadata: { name: 'bench', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
    },
  } as Deployment);
  const { cache } = informers.of(pods);
  while (cache.list().length < replicas) await delay(pollMs);
  const created = row(`deployment: ${replicas} pods created`, lap());
  while ((informers.of(deployments).cache.get('default/bench')?.status?.availableReplicas ?? 0) < replicas) await delay(pollMs);
  const ready = row(`deployment: ${replicas} pods ready`, lap());
  const end = measure();
  await api.delete(deployments, { namespace: 'default', name: 'bench' }, { propagationPolicy: 'Background' });
  while (cache.list().length > 0) await delay(pollMs);
  return [created, ready, row(`deployment of ${replicas} deleted, pods gone`, end())];
}

async function runJob({ api, informers }: ControllerEnvironment, completions: number, row: Finish, measure: Stopwatch): Promise<Row> {
  console.error(`  a job of ${completions} ...`);
  const lap = measure();
  const template = {
    metadata: { annotations: { 'fake-node/run-seconds': '0' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] },
  };
  await api.create(jobs, { metadata: { name: 'bench', namespace: 'default' }, spec: { completions, parallelism, template } } as Job);
  const done = (): boolean =>
    informers
      .of(jobs)
      .cache.get('default/bench')
      ?.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') ?? false;
  while (!done()) await delay(pollMs);
  return row(`job: ${completions} completions`, lap());
}

async function emptyNamespace({ api }: ControllerEnvironment, row: Finish, measure: Stopwatch): Promise<Row> {
  console.error(`  a namespace of ${namespaceObjects} ...`);
  await api.create(namespaces, { metadata: { name: 'bench' } });
  await inBatches(namespaceObjects, (index) =>
    api.create(configMaps, { metadata: { name: `m${index}`, namespace: 'bench' }, data: { k: 'v' } }),
  );
  const lap = measure();
  await api.delete(namespaces, { namespace: '', name: 'bench' });
  while (await unless(isNotFound, api.get(namespaces, { namespace: '', name: 'bench' }))) await delay(pollMs);
  return row(`namespace with ${count(namespaceObjects)} objects deleted`, lap());
}

async function idle(cluster: Cluster, { api }: ControllerEnvironment, { idlePods, idleSeconds }: ControllersOptions): Promise<Row> {
  console.error(`  an idle manager with ${idlePods} pods ...`);
  await inBatches(idlePods, (index) =>
    api.create(pods, { metadata: { name: `p${index}`, namespace: 'default' }, spec: { containers: [{ name: 'c', image: 'x' }] } }),
  );
  await delay(5_000);
  const lap = stopwatch(cluster)();
  await delay(idleSeconds * 1_000);
  const [seconds, manager, servers] = lap();
  return [
    `idle with ${count(idlePods)} pods`,
    '20',
    seconds,
    manager,
    servers,
    `manager: ${(residentBytes(cluster.managers[0]?.pid ?? null) / 2 ** 20).toFixed(0)} MB resident`,
  ];
}
