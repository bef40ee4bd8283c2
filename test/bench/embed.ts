import { startApiServer, startCluster, type TestCluster } from '../../deploy/testing/index.js';
import { printTable } from './table.js';

export interface EmbedOptions {
  readonly rounds: number;
}

const objects = 1_000;
const kinds = {
  'one server, threads': () => startApiServer(),
  'one server, process': () => startApiServer({ inProcess: false }),
  'three and controllers, threads': () => startCluster(),
  'three and controllers, processes': () => startCluster({ inProcess: false }),
} as const satisfies Record<string, () => Promise<TestCluster>>;

/** Measures a test's wait for its cluster: ready, empty, and stopped. */
export async function benchEmbed({ rounds }: EmbedOptions): Promise<void> {
  const rows: string[][] = [];
  for (const [name, start] of Object.entries(kinds)) {
    const starts: number[] = [];
    const resets: number[] = [];
    const stops: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const [cluster, startMs] = await timed(start);
      await cluster.apply(configMap('a'));
      starts.push(startMs);
      resets.push((await timed(() => cluster.reset()))[1]);
      stops.push((await timed(() => cluster.stop()))[1]);
    }
    rows.push([name, spread(starts), spread(resets), spread(stops), (process.memoryUsage.rss() / 1024 / 1024).toFixed(0)]);
  }
  printTable(['best / middle / worst', 'start ms', 'reset ms', 'stop ms', 'resident MB after'], rows);
  await snapshots();
}

async function snapshots(): Promise<void> {
  const server = await startApiServer();
  const names = Array.from({ length: objects }, (_, index) => configMap(`c-${index}`));
  await server.apply(names);
  const [bytes, snapshotMs] = await timed(() => server.snapshot());
  const [, restoreMs] = await timed(() => server.restore(bytes));
  process.stdout.write(
    `${objects} objects: snapshot ${snapshotMs.toFixed(0)} ms (${bytes.length} bytes), reset and restore ${restoreMs.toFixed(0)} ms\n`,
  );
  await server.stop();
}

const configMap = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { name } });

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
}

/** The minimum, median and maximum: the median counts, and the others show the noise. */
function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map((value) => (value ?? 0).toFixed(0)).join(' / ');
}
