import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../api/duration.js';
import type { Exploration, ExploredCluster, TestCluster } from '../testing/index.js';
import { CommandRefused } from './control.js';
import { quote } from './foreground.js';
import { exitCodes, print, say } from './output.js';
import { countUpTo, parseNodes } from './upOptions.js';

const seedMax = 2 ** 31 - 1;
const clustersMax = 16;

interface ExploreTerms {
  readonly crds: readonly string[];
  readonly scenario: string;
  readonly kubeconfigEnv: string;
  readonly controllers: boolean;
  readonly nodes: number;
  readonly budget?: number;
  readonly seed: number;
  readonly timeout: number;
  readonly rest: number;
  readonly replay?: string;
  readonly plans: string;
  readonly changes: boolean;
  readonly clusters: number;
  readonly html?: string;
  readonly junit?: string;
  readonly json: boolean;
}

function parseTime(text: string): number {
  const read = parseDuration(text);
  if (!read.ok || read.milliseconds < 0) throw new InvalidArgumentError(`${JSON.stringify(text)} is no time such as 90s or 1m30s`);
  return read.milliseconds;
}

const parsePath = (text: string, before: readonly string[]): readonly string[] => [...before, text];

export const exploreCommand = (): Command =>
  new Command('explore')
    .description(
      'Runs an operator through a scenario, disturbs it at every place, and says what it does not get over (docs/finding-bugs.md).',
    )
    .exitOverride()
    .argument('<command...>', 'the operator, after --')
    .addOption(new Option('--crds <path>', 'file or folder of its definitions; repeat it for several').argParser(parsePath).default([]))
    .requiredOption('--scenario <folder>', 'steps: 10-create.yaml, 20-change.yaml, 30-gone.delete.yaml ...')
    .option('--kubeconfig-env <name>', 'the variable that tells the operator its kubeconfig', 'KUBECONFIG')
    .option('--no-controllers', 'run no controller manager')
    .option('--nodes <count>', 'stand-in nodes, on which pods seem to run', parseNodes, 0)
    .option('--budget <time>', 'begin no plan after this time: 90s, 10m', parseTime)
    .option('--seed <number>', 'another order of plans', countUpTo(seedMax), 0)
    .option('--timeout <time>', 'a state that has not come after this time never comes', parseTime, 15_000)
    .option('--rest <time>', 'an undisturbed operator without requests for this time is done', parseTime, 800)
    .option('--replay <file>', 'only the plan of this file')
    .option('--plans <folder>', 'where the plans of findings are written', 'explore-plans')
    .option('--no-changes', 'only disturbances, no changes of custom resources by their schema')
    .option('--clusters <count>', 'run plans side by side', countUpTo(clustersMax), 1)
    .option('--html <file>', 'write a page with timelines as well')
    .option('--junit <file>', 'write JUnit XML as well')
    .option('--json', 'one JSON document instead of words', false)
    .action(runExplore);

async function runExplore(command: readonly string[], terms: ExploreTerms): Promise<void> {
  const { explore, readPlan, readScenario, startApiServer } = await import('../testing/index.js');
  if (!fs.existsSync(terms.scenario)) throw new CommandRefused(`${terms.scenario} does not exist: name a folder of steps`);
  const end = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end.abort(new Error(`stopped by ${signal}`)));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'raftplane-explore-'));
  const { controllers, nodes, budget, seed, timeout, rest, replay, changes } = terms;
  const scenario = readScenario(terms.scenario);
  const plan = replay === undefined ? undefined : readPlan(replay);
  const clusters: TestCluster[] = [];
  try {
    for (let count = 0; count < Math.max(1, terms.clusters); count++)
      clusters.push(await startApiServer({ controllers, nodes, audit: false, signal: end.signal }));
    const [first, ...further] = await Promise.all(clusters.map((cluster, index) => explored(cluster, index, { command, folder, terms })));
    const found = await explore({
      ...first!,
      furtherClusters: further,
      scenario,
      seed,
      changes,
      timeoutMs: timeout,
      restMs: rest,
      signal: end.signal,
      onProgress: ({ phase, done, total, findings, estimateMs }) =>
        say(`${phase} ${done}/${total}, ${findings} found, about ${Math.ceil(estimateMs / 1000)} s left`),
      ...(budget === undefined ? {} : { budgetMs: budget }),
      ...(plan === undefined ? {} : { plans: [plan] }),
    });
    await report(found, terms, command);
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly command: readonly string[];
  readonly folder: string;
  readonly terms: ExploreTerms;
}

async function explored(cluster: TestCluster, index: number, { command, folder, terms }: Place): Promise<ExploredCluster> {
  const { CommandOperator } = await import('../testing/index.js');
  if (terms.crds.length > 0) await cluster.installCRDs(...terms.crds);
  const own = path.join(folder, String(index));
  fs.mkdirSync(own);
  return { cluster, operator: new CommandOperator({ command, variable: terms.kubeconfigEnv, folder: own }) };
}

async function report(found: Exploration, terms: ExploreTerms, command: readonly string[]): Promise<void> {
  const { reportHtml, reportJunit, reportText, writePlan } = await import('../testing/index.js');
  const files = found.findings.map(({ perturbation }, index) => {
    if (perturbation === null || terms.replay !== undefined) return terms.replay;
    fs.mkdirSync(terms.plans, { recursive: true });
    const file = path.join(terms.plans, `finding-${index + 1}.json`);
    writePlan(file, perturbation);
    return file;
  });
  const replays = files.map((file) => (file === undefined ? undefined : replayCommand(terms, file, command)));
  if (terms.html !== undefined) fs.writeFileSync(terms.html, reportHtml(found, replays));
  if (terms.junit !== undefined) fs.writeFileSync(terms.junit, reportJunit(found, replays));
  print(terms.json ? JSON.stringify({ ...found, replays: files }) : reportText(found, replays));
  if (found.findings.length > 0) process.exitCode = exitCodes.failed;
}

function replayCommand(
  { crds, scenario, kubeconfigEnv, controllers, nodes }: ExploreTerms,
  file: string,
  command: readonly string[],
): string {
  const options = [
    ...crds.flatMap((each) => ['--crds', each]),
    ...['--scenario', scenario],
    ...(kubeconfigEnv === 'KUBECONFIG' ? [] : ['--kubeconfig-env', kubeconfigEnv]),
    ...(controllers ? [] : ['--no-controllers']),
    ...(nodes === 0 ? [] : ['--nodes', String(nodes)]),
  ];
  return ['raftplane', 'explore', '--replay', file, ...options, '--', ...command].map(quote).join(' ');
}
