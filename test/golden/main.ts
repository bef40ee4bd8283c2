import { startCluster, type Cluster } from '../../deploy/cluster.js';
import type { ReplicaCount } from '../../deploy/settings.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { allAreas, bySurroundings, goldenFolder, listScenarios, readExpectations, replay, writeExpectations, type Replayed } from './scenarios.js';
import { parseArgs } from 'node:util';

/** `npm run golden`: replays scenarios against a new cluster and shows what differs. */
const usage = `usage: npm run golden -- [--update] [--replicas 1|3] [NAME-PART...]

  Replays the recorded scenarios (all listed areas and scenarios, or those of all areas whose name contains a NAME-PART) and shows each difference.
  --update      keep the list of passing scenarios in test/golden/passing.json: add what passes, drop what does not
  --repeat N    replay N times; only what passes every time counts as passing
  --replicas N  API servers to start (1)`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { update: { type: 'boolean' }, repeat: { type: 'string', default: '1' }, replicas: { type: 'string', default: '1' }, help: { type: 'boolean', short: 'h' } }, allowPositionals: true,
  });
  if (values.help) return say(usage, 0);
  if (goldenFolder === null) return say('there are no recorded scenarios: the folder ../shared/golden is absent', 1);
  const { areas, passing } = readExpectations();
  const names = positionals.length === 0
    ? [...new Set([...listScenarios(goldenFolder, areas), ...passing])]
    : listScenarios(goldenFolder, allAreas(goldenFolder)).filter(name => positionals.some(part => name.includes(part)));
  if (names.length === 0) return say('no scenario has such a name', 1);
  const results = await replayAll(goldenFolder, names, { replicas: values.replicas === '3' ? 3 : 1, times: Number(values.repeat) });
  report(results, passing);
  if (!values.update) return results.every(({ name, passed }) => passed === passing.includes(name)) ? 0 : 1;
  const replayed = new Set(names);
  writeExpectations({ areas, passing: [...passing.filter(name => !replayed.has(name)), ...results.filter(({ passed }) => passed).map(({ name }) => name)] });
  return say('test/golden/passing.json is written', 0);
}

/** Each group of scenarios on a cluster of its own. */
async function replayAll(folder: string, names: readonly string[], { replicas, times }: { readonly replicas: ReplicaCount; readonly times: number }): Promise<Replayed[]> {
  const results: Replayed[] = [];
  for (const surroundings of bySurroundings(folder, names)) {
    const cluster = await startCluster({ dataDirectory: temporaryDirectory('golden'), replicas, ...surroundings.cluster });
    try {
      results.push(...await replayRepeatedly(folder, surroundings.names, cluster, times));
    } finally {
      await cluster.stop();
    }
  }
  return results;
}

async function replayRepeatedly(folder: string, names: readonly string[], { address, pki }: Cluster, times: number): Promise<Replayed[]> {
  let results: Replayed[] = [];
  for (let i = 0; i < times; i++) {
    const again = new Map((await replay(folder, names, { address, ...pki.admin })).map(result => [result.name, result]));
    results = i === 0 ? [...again.values()] : results.map(result => (result.passed ? again.get(result.name) ?? result : result));
  }
  return results;
}

function report(results: readonly Replayed[], passing: readonly string[]): void {
  for (const { name, passed, wrong } of results) {
    const news = passed === passing.includes(name) ? '' : passed ? '  (new)' : '  (passed before)';
    say(`${passed ? 'ok  ' : 'FAIL'} ${name}${news}`, 0);
    for (const line of wrong) say(`       ${line}`, 0);
  }
  say(`${results.filter(({ passed }) => passed).length} of ${results.length} scenarios pass`, 0);
}

function say(line: string, status: number): number {
  process.stdout.write(`${line}\n`);
  return status;
}

process.exitCode = await main();
