import { loadavg } from 'node:os';
import path from 'node:path';
import { CommandOperator, explore, readScenario, startApiServer, type Operator, type TestCluster } from '../../deploy/testing/index.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { printTable } from './table.js';

const example = path.join(packageRoot, 'examples', 'explore');
const scenario = readScenario(path.join(example, 'scenario'));
const site = { apiVersion: 'example.org/v1', kind: 'Site', metadata: { name: 'blog' } };
const reported = 'object.status.observedGeneration == object.metadata.generation';

export interface ExploreTerms {
  /** Rounds of each kind. */
  readonly rounds: number;
  readonly clusters: number;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** The cost of a plan, compared with the scenario alone: the same operator and steps without a gateway, with a client that knows what to await. */
export async function benchExplore({ rounds, clusters: count }: ExploreTerms): Promise<void> {
  const clusters: TestCluster[] = [];
  try {
    for (let index = 0; index < count; index++) clusters.push(await startApiServer({ audit: false }));
    await Promise.all(clusters.map((cluster) => cluster.installCRDs(path.join(example, 'sites.yaml'))));
    // What resets leave.
    await Promise.all(clusters.map((cluster) => cluster.begin()));
    const ownMs = await measureOwn(clusters[0]!, rounds);
    const planMs = await measurePlans(clusters, rounds);
    console.log(`load ${loadavg()[0]!.toFixed(1)}, ${rounds} rounds, ${count} cluster${count === 1 ? '' : 's'}`);
    printTable(
      ['scenario alone', 'a plan', 'more', '200 plans'],
      [[seconds(ownMs), seconds(planMs * count), seconds(planMs * count - ownMs), seconds(200 * planMs)]],
    );
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  }
}

const operator = (): Operator =>
  new CommandOperator({
    command: [process.execPath, path.join(example, 'operator.mjs')],
    variable: 'KUBECONFIG',
    folder: temporaryDirectory('bench-explore'),
  });

async function measureOwn(cluster: TestCluster, rounds: number): Promise<number> {
  let tookMs = 0;
  for (let round = 0; round < rounds; round++) {
    const own = operator();
    const begunMs = performance.now();
    await own.start(cluster.admin);
    for (const step of scenario)
      if ('apply' in step) {
        await cluster.apply(step.apply);
        await cluster.waitFor(site, reported);
      } else {
        await cluster.delete(step.delete);
        await cluster.waitFor(site, 'deleted');
      }
    await own.stop();
    tookMs += performance.now() - begunMs;
    await cluster.reset();
  }
  return tookMs / rounds;
}

/** Lost answers: each plan is the whole scenario. */
async function measurePlans([first, ...others]: readonly TestCluster[], rounds: number): Promise<number> {
  const at = { call: 'create configmaps default/blog-content', nth: 1 };
  const plans = Array.from({ length: rounds }, () => ({ kind: 'lostAnswer', at, how: 'break' }) as const);
  const furtherClusters = others.map((cluster) => ({ cluster, operator: operator() }));
  let begunMs = performance.now();
  await explore({
    ...{ cluster: first!, operator: operator(), furtherClusters, scenario, plans },
    onProgress: ({ phase }) => {
      if (phase === 'reference') begunMs = performance.now();
    },
  });
  return (performance.now() - begunMs) / rounds;
}
