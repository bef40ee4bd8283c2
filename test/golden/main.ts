import { parseArgs } from 'node:util';
import { startCluster, type Cluster } from '../../deploy/cluster.js';
import { storeKinds, type ReplicaCount } from '../../deploy/settings.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import type { Server } from './connection.js';
import { allAreas, listScenarios } from './recordings.js';
import {
  brief,
  bySurroundings,
  probeResources,
  readExpectations,
  readFailingVariations,
  replay,
  replayVariations,
  variationCluster,
  writeExpectations,
  writeFailingVariations,
  type Replayed,
} from './replay.js';
import { passes } from './variation.js';

/** `npm run golden`: replays recordings against a new cluster and prints differences. */
const usage = `usage: npm run golden -- [OPTION...] [NAME-PART...]
       npm run golden -- variations [OPTION...] [NAME-PART...]
       npm run golden -- probe [OPTION...] NAME-PART...

  Replays the recorded scenarios (all listed areas and scenarios, or those of all areas whose name contains a NAME-PART) and shows each difference.
  With "variations": the recorded variations of all resources, or of those whose name contains a NAME-PART.
  With "probe": changes of the recorded objects that were not recorded, a line for each member with what its values are answered, to be read by who knows the rules.
  --update      keep the lists in test/golden: passing.json of scenarios that pass, failingVariations.json of variations that do not
  --repeat N    replay scenarios N times; only what passes every time counts as passing
  --replicas N  API servers to start (1)
  --store KIND  where they keep objects: raft, or etcd, which has to be installed (raft)
  --server URL  a running server instead of a new cluster, with --cert FILE and --key FILE of an administrator`;

const options = {
  update: { type: 'boolean', default: false },
  repeat: { type: 'string', default: '1' },
  replicas: { type: 'string', default: '1' },
  store: { type: 'string', default: 'raft' },
  server: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>['values'];
type Surround = { readonly managers: number; readonly fakeNodes: number };

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return say(usage, 0);
  const [first, ...rest] = positionals;
  if (first === 'variations') return variations(values, rest);
  return first === 'probe' ? probes(values, rest) : scenarios(values, positionals);
}

async function scenarios(values: Values, parts: readonly string[]): Promise<number> {
  const { areas, passing } = readExpectations();
  const names =
    parts.length === 0
      ? [...new Set([...listScenarios(areas), ...passing])]
      : listScenarios(allAreas()).filter((name) => parts.some((part) => name.includes(part)));
  if (names.length === 0) return say('no scenario has such a name', 1);
  const results: Replayed[] = [];
  for (const surroundings of bySurroundings(names))
    results.push(
      ...(await against(values, surroundings.cluster, (server) => replayRepeatedly(surroundings.names, server, Number(values.repeat)))),
    );
  report(results, passing);
  if (!values.update) return results.every(({ name, passed }) => passed === passing.includes(name)) ? 0 : 1;
  const replayed = new Set(names);
  writeExpectations({
    areas,
    passing: [...passing.filter((name) => !replayed.has(name)), ...results.filter(({ passed }) => passed).map(({ name }) => name)],
  });
  return say('test/golden/passing.json is written', 0);
}

async function variations(values: Values, parts: readonly string[]): Promise<number> {
  const known = new Set(readFailingVariations());
  const results = await against(values, variationCluster, (server) => replayVariations(server, parts));
  if (results.length === 0) return say('no resource has such a name', 1);
  const failing = results.filter((each) => !passes(each));
  for (const { id, verdict, want, got } of failing)
    say(`FAIL ${id}${known.has(id) ? '' : '  (passed before)'}\n       ${verdict}: want ${brief(want)} got ${brief(got)}`, 0);
  for (const { id } of results.filter((each) => passes(each) && known.has(each.id))) say(`ok   ${id}  (new)`, 0);
  say(`${results.length - failing.length} of ${results.length} variations pass`, 0);
  if (!values.update) return results.every((each) => passes(each) !== known.has(each.id)) ? 0 : 1;
  const replayed = new Set(results.map(({ id }) => id));
  writeFailingVariations([...[...known].filter((id) => !replayed.has(id)), ...failing.map(({ id }) => id)]);
  return say('test/golden/failingVariations.json is written', 0);
}

async function probes(values: Values, parts: readonly string[]): Promise<number> {
  const results = await against(values, variationCluster, (server) => probeResources(server, parts));
  for (const { name, lines } of results) say([`# ${name}`, ...lines].join('\n'), 0);
  return results.length === 0 ? say('no resource has such a name', 1) : 0;
}

/** Runs each group of recordings on its own cluster, or all on a given server. */
async function against<T>(
  { server, cert = '', key = '', replicas, store: wanted }: Values,
  surround: Surround,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  if (server !== undefined) return work({ address: server, certFile: cert, keyFile: key });
  const count: ReplicaCount = replicas === '3' ? 3 : 1;
  const store = storeKinds.find((kind) => kind === wanted);
  if (store === undefined) throw new Error(`--store must be one of ${storeKinds.join(', ')}`);
  const cluster: Cluster = await startCluster({ dataDirectory: temporaryDirectory('golden'), replicas: count, store, ...surround });
  try {
    return await work({ address: cluster.address, ...cluster.pki.admin });
  } finally {
    await cluster.stop();
  }
}

async function replayRepeatedly(names: readonly string[], server: Server, times: number): Promise<Replayed[]> {
  let results: Replayed[] = [];
  for (let i = 0; i < times; i++) {
    const again = new Map((await replay(names, server)).map((result) => [result.name, result]));
    results = i === 0 ? [...again.values()] : results.map((result) => (result.passed ? (again.get(result.name) ?? result) : result));
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
