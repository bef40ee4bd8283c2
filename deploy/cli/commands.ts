import { spawnSync, type StdioOptions } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { stores } from '../envtest/arguments.js';
import { AssetMissing, writeAssets, type AssetTerms } from '../envtest/assets.js';
import { lockHolder, processExists } from '../launcherLock.js';
import { programFile } from '../programs.js';
import { replicaCounts } from '../settings.js';
import { probeLeader } from './leader.js';
import { makeCertificates, type CertificateTerms } from './certificates.js';
import { askLauncher, CommandRefused, type ControlRequest } from './control.js';
import { completionScript } from './completion.js';
import { report, reportsToStarter, startDetached } from './detach.js';
import { examine } from './doctor.js';
import { exploreCommand } from './explore.js';
import { openInBrowser } from './browser.js';
import { quote, runCluster, type Started } from './foreground.js';
import { contextOf, defaultName, directoryOf, parseName } from './home.js';
import { mergeContext, personalKubeconfig, removeContext } from './kubeconfigFile.js';
import type { LauncherState } from './launcher.js';
import { lintCommand } from './lint.js';
import { showLogs } from './logs.js';
import { exitCodes, paint, print, say, stateTable, table } from './output.js';
import { withHelp } from './help.js';
import { actionTable, askForFault, runTestCluster, type ActionList } from './testCluster.js';
import { parseFlag, upConfigSchema } from './upConfig.js';
import { parseNodes, parseReplicas, readUpOptions, withUpOptions } from './upOptions.js';

/** `raftplane`: local clusters by name, in a terminal or detached from it. */

/** Interval of checks for the launcher's end, some seconds after its programs. */
const endPollMs = 20;

interface Where {
  readonly name: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}
const placeOf = ({ name, dataDir }: Where): string => path.resolve(dataDir ?? directoryOf(name));

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .option('--name <name>', 'which cluster', parseName, defaultName)
    .option('--data-dir <folder>', 'where it is kept, instead of below ~/.local/share/raftplane')
    .option('--json', 'one JSON document instead of words', false);
}

const ask = async (where: Where, request: ControlRequest): Promise<LauncherState> =>
  (await askLauncher(placeOf(where), request, say)) as LauncherState;

async function up(where: Where & { readonly detach: boolean; readonly open: boolean }, self: Command): Promise<void> {
  const directory = placeOf(where);
  const options = readUpOptions(self);
  refuseIfRunning(where);
  if (where.detach) {
    const args = process.argv
      .slice(process.argv.indexOf('up') + 1)
      .filter((word) => word !== '--detach' && word !== '-d' && word !== '--open');
    const started = await startDetached(directory, args, say);
    if (where.open) openInBrowser(started.link, directory);
    return where.json ? print(JSON.stringify(await ask(where, { command: 'status' }), null, 2)) : ready(started);
  }
  const isDetached = process.env[reportsToStarter] !== undefined;
  const tell = (line: string): void => {
    if (isDetached) report({ progress: line });
    say(`${isDetached ? `${new Date().toISOString()} ` : ''}${line}`);
  };
  try {
    await runCluster(directory, options, tell, (started) => {
      if (isDetached) return report({ ready: started });
      ready(started);
      if (where.open) openInBrowser(started.link, directory);
    });
  } catch (error) {
    report({ failed: error instanceof Error ? error.message : String(error), isRefusal: error instanceof CommandRefused });
    throw error;
  }
}

/** Refuses to change a running cluster, whose files have the tokens and ports in use. */
function refuseIfRunning(where: Where): void {
  const launcher = lockHolder(placeOf(where));
  if (launcher === null) return;
  const which = where.dataDir === undefined ? `--name ${where.name}` : `--data-dir ${quote(where.dataDir)}`;
  throw new CommandRefused(
    `the cluster in ${placeOf(where)} runs already (process ${launcher}): "raftplane status ${which}" shows it, "raftplane stop ${which}" stops it`,
  );
}

function ready({ kubeconfig, link }: Started): void {
  print(`export KUBECONFIG=${quote(kubeconfig)}; kubectl get namespaces`);
  if (link !== null) say(`console: ${link} (once, within five minutes; "raftplane console" gives another)`);
}

/** Prints or opens a new link, after a sign-out or for another browser. */
async function consoleLink(where: Where & { readonly open: boolean }): Promise<void> {
  const { link } = (await askLauncher(placeOf(where), { command: 'link' }, say)) as { readonly link: string };
  print(where.json ? JSON.stringify({ link }) : link);
  if (where.open) openInBrowser(link, placeOf(where));
}

async function stop(where: Where & { readonly delete: boolean }): Promise<void> {
  const directory = placeOf(where);
  let stopped = false;
  try {
    const { launcher } = await ask(where, { command: 'stop' });
    while (processExists(launcher)) await delay(endPollMs);
    stopped = true;
    say('stopped');
  } catch (error) {
    // A cluster that does not run can still be deleted.
    if (!(error instanceof CommandRefused && where.delete)) throw error;
  }
  if (where.delete) deleteCluster(where, directory);
  if (where.json) print(JSON.stringify({ stopped, deleted: where.delete, dataDirectory: directory }));
}

function deleteCluster(where: Where, directory: string): void {
  const isCluster = fs.existsSync(path.join(directory, 'settings.json'));
  if (!isCluster) throw new CommandRefused(`${directory} holds no cluster`);
  fs.rmSync(directory, { recursive: true, force: true });
  if (removeContext(personalKubeconfig(), where.name)) say(`removed ${contextOf(where.name)} from ${personalKubeconfig()}`);
  say(`deleted ${directory}`);
}

async function status(where: Where): Promise<void> {
  const state = await ask(where, { command: 'status' });
  const leader = await probeLeader(state);
  print(where.json ? JSON.stringify({ ...state, leader }, null, 2) : stateTable(state, leader));
}

async function act(where: Where, request: ControlRequest): Promise<void> {
  const state = await ask(where, request);
  if (where.json) print(JSON.stringify(state, null, 2));
  else print(stateTable(state, null));
}

function kubeconfig(where: Where & { readonly merge: boolean }): void {
  const file = path.join(placeOf(where), 'admin.kubeconfig');
  if (!fs.existsSync(file)) throw new CommandRefused(`there is no cluster in ${placeOf(where)}: make one with "raftplane up"`);
  const text = fs.readFileSync(file, 'utf8');
  if (!where.merge) return print(where.json ? JSON.stringify(parse(text), null, 2) : text.trimEnd());
  mergeContext(personalKubeconfig(), { name: where.name, text });
  say(`${contextOf(where.name)} is the current context in ${personalKubeconfig()}`);
  if (where.json) print(JSON.stringify({ context: contextOf(where.name), file: personalKubeconfig() }));
}

async function doctor(where: Where): Promise<void> {
  const findings = await examine(placeOf(where), 6443);
  const words = { good: 'good', note: 'note', bad: 'BAD' } as const;
  print(
    where.json
      ? JSON.stringify(findings, null, 2)
      : table(findings.map(({ about, state, detail }) => [about, paint(state, words[state].padEnd(4)), detail])),
  );
  if (findings.some(({ state }) => state === 'bad')) process.exitCode = exitCodes.failed;
}

async function restore(file: string, where: Where): Promise<void> {
  if (!fs.existsSync(file)) throw new CommandRefused(`${file} does not exist: name a backup ("raftplane backup"), or a snapshot of a test`);
  await act(where, { command: 'restore', target: path.resolve(file) });
}

/** Runs the server's own command as an administrator of this cluster. */
function backup(file: string, where: Where): void {
  const args = [programFile('apiserver'), 'backup', file, '--kubeconfig', path.join(placeOf(where), 'admin.kubeconfig')];
  const stdio: StdioOptions = ['inherit', where.json ? 'ignore' : 'inherit', 'inherit'];
  process.exitCode = spawnSync(process.execPath, args, { stdio }).status ?? exitCodes.failed;
  if (where.json && process.exitCode === 0) print(JSON.stringify({ file: path.resolve(file), bytes: fs.statSync(file).size }));
}

const namePattern = /^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/;

function parseNames(text: string): readonly string[] {
  const names = text.split(',');
  const wrong = names.find((name) => !namePattern.test(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`${JSON.stringify(wrong)} is no name`);
  return names;
}

function parseServer(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:')
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no https:// address`);
  return text;
}

type CertificateOptions = Omit<CertificateTerms, 'innerServer'> & Partial<CertificateTerms> & { readonly json?: boolean };

async function certificates(folder: string, { json = false, ...terms }: CertificateOptions): Promise<void> {
  const made = (await makeCertificates(folder, { innerServer: terms.server, ...terms })).map((name) => path.join(folder, name));
  if (json) print(JSON.stringify({ made }));
  else for (const file of made) say(`made ${file}`);
}

async function fault(action: string | undefined, parameters: readonly string[], { json }: { readonly json: boolean }): Promise<void> {
  const answer = await askForFault(action, parameters);
  if (json) return print(JSON.stringify(answer));
  if (action === undefined) return print(actionTable(answer as ActionList));
  for (const [name, value] of Object.entries(answer))
    print(`${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
}

function envtestAssets(folder: string, { json = false, ...terms }: AssetTerms & { readonly json?: boolean }): void {
  try {
    const { directory, files, missing } = writeAssets(folder, terms);
    if (json) return print(JSON.stringify({ directory, files, missing }));
    if (missing.length > 0) say(`not in PATH, and left away: ${missing.join(', ')}`);
    print(`export KUBEBUILDER_ASSETS=${quote(directory)}`);
  } catch (error) {
    throw error instanceof AssetMissing ? new CommandRefused(error.message) : error;
  }
}

const version = (): string => {
  const file = ['..', '../..', '../../..']
    .map((above) => new URL(`${above}/package.json`, import.meta.url))
    .find((url) => fs.existsSync(url));
  return file ? (JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly version: string }).version : 'unknown';
};

export function program(): Command {
  const root = new Command('raftplane')
    .description(
      'Local Kubernetes control planes: API servers that replicate among themselves, a balancer, controllers and stand-in nodes.',
    )
    .version(version(), '-V, --version')
    .exitOverride();
  for (const each of [...clusterCommands(), ...memberCommands(), ...dataCommands(), certificatesCommand(), ...testCommands()])
    root.addCommand(each);
  root.addCommand(versionCommand());
  root.addCommand(schemaCommand());
  root.addCommand(completionCommand(root));
  return withHelp(root);
}

function clusterCommands(): readonly Command[] {
  const upCommand = withUpOptions(
    command('up', 'Starts a cluster, or one that was stopped; resolves when it is ready.')
      .option('-d, --detach', 'go on without this terminal', false)
      .option('--open', 'show the console in a browser, signed in', false),
  );
  return [
    upCommand.action(async (where: Where & { readonly detach: boolean; readonly open: boolean }) => up(where, upCommand)),
    command('status', 'Shows every program, who leads, and how to reach the cluster.').action(status),
    command('stop', 'Stops a cluster; its data stays for the next "up".')
      .option('--delete', 'delete its data, and its context in the kubeconfig', false)
      .action(stop),
    command('logs', 'Shows the ends of the logs: of one program, or of all.')
      .argument('[member]')
      .option('-f, --follow', 'and what comes', false)
      .action(async (member: string | undefined, where: Where & { readonly follow: boolean }) =>
        showLogs(placeOf(where), { name: member, follow: where.follow, json: where.json ?? false }, print),
      ),
    command('console', 'Prints a link to the console that signs its owner in, once and within five minutes.')
      .option('--open', 'show it in a browser', false)
      .action(consoleLink),
    command('kubeconfig', "Prints an administrator's kubeconfig.")
      .option('--merge', 'put it into ~/.kube/config (or the first of $KUBECONFIG) instead', false)
      .action(kubeconfig),
    command('doctor', 'Says what is missing on this machine, and how to get it.').action(doctor),
  ];
}

function memberCommands(): readonly Command[] {
  const one = (name: 'kill' | 'pause' | 'resume' | 'restart' | 'partition' | 'heal', description: string): Command =>
    command(name, description)
      .argument('<member>', 'r1, r2 …, balancer, cm1 …')
      .action(async (member: string, where: Where) => act(where, { command: name, target: member }));
  return [
    one('kill', 'Ends one program at once (SIGKILL).'),
    one('pause', 'Stops one program where it stands (SIGSTOP): its connections stay open, and nobody answers.'),
    one('resume', 'Lets a paused program go on.'),
    one('restart', 'Ends one program, where it runs, and starts it again.'),
    one('partition', 'Cuts one replica off from the others; clients still reach it.'),
    one('heal', 'Ends that.'),
  ];
}

function dataCommands(): readonly Command[] {
  return [
    command(
      'backup',
      'Copies everything that is stored into a file, while all goes on; "apiserver restore --help" says what becomes of it.',
    )
      .argument('<file>')
      .action(backup),
    command('restore', 'Empties a running cluster and fills it again with what a backup holds, or a snapshot of raftplane/testing.')
      .argument('<file>')
      .action(restore),
    command('reset', 'Empties a running cluster: its servers start anew without their data.').action(async (where: Where) =>
      act(where, { command: 'reset' }),
    ),
  ];
}

function certificatesCommand(): Command {
  return new Command('certificates')
    .description(
      'Makes keys, certificates and kubeconfigs for a cluster that something else runs (deploy/compose.yaml, deploy/kubernetes).',
    )
    .exitOverride()
    .argument('<folder>')
    .option('--members <ids>', 'names of the API servers, comma-separated', parseNames, ['r1', 'r2', 'r3'])
    .option('--names <names>', 'further DNS names and addresses under which they are reached', parseNames, [])
    .option('--server <url>', "in the administrator's kubeconfig", parseServer, 'https://127.0.0.1:6443')
    .option('--inner-server <url>', 'in that of the controller managers; the same unless given', parseServer)
    .option('--json', 'one JSON document instead of words', false)
    .action(certificates);
}

function testCommands(): readonly Command[] {
  return [
    new Command('test-cluster')
      .description('Runs a cluster for tests in any language, with a door for faults, until it is stopped; nothing of it is left then.')
      .exitOverride()
      .addOption(new Option('--replicas <count>', `API servers: ${replicaCounts.join(', ')}`).argParser(parseReplicas).default(3))
      .option('--no-controllers', 'run no controller manager')
      .option('--nodes <count>', 'stand-in nodes, on which pods seem to run', parseNodes, 0)
      .option('--end-with-stdin', 'end when standard input ends: when whoever started it is gone', false)
      .option('--apiserver-flag <flag>', 'a further flag for each API server; repeat it for several', parseFlag, [])
      .option('--json', 'one JSON document instead of words', false)
      .action(runTestCluster),
    new Command('fault')
      .description('Breaks a cluster of "raftplane test-cluster"; without an action, lists them.')
      .exitOverride()
      .argument('[action]')
      .argument('[parameters...]', 'NAME=VALUE')
      .option('--json', 'one JSON document instead of words', false)
      .action(fault),
    exploreCommand(),
    lintCommand(),
    new Command('envtest-assets')
      .description(
        'Writes a folder for KUBEBUILDER_ASSETS: kube-apiserver and etcd as this package has them, for tests that use envtest (docs/from-envtest.md).',
      )
      .exitOverride()
      .argument('<folder>')
      .addOption(new Option('--store <kind>', 'where objects are kept').choices(stores).default('memory'))
      .option(
        '--controllers',
        'run the controller manager beside the server: namespaces go, owners are collected, Deployments roll out',
        false,
      )
      .option('--json', 'one JSON document instead of words', false)
      .action(envtestAssets),
  ];
}

function versionCommand(): Command {
  return new Command('version')
    .description('Prints the version.')
    .exitOverride()
    .option('--json', 'one JSON document instead of words', false)
    .action(({ json }: { readonly json: boolean }) => print(json ? JSON.stringify({ version: version() }) : version()));
}

function schemaCommand(): Command {
  return new Command('schema')
    .description('Prints the JSON Schema of the file of "up --config", for editors.')
    .exitOverride()
    .action(() => print(JSON.stringify(upConfigSchema(), null, 2)));
}

function completionCommand(root: Command): Command {
  return new Command('completion')
    .description('Prints a script with which a shell completes commands, options and names of members.')
    .exitOverride()
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => print(completionScript(root, shell)));
}
