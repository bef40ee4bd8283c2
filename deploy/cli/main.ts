#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { processExists } from '../launcherLock.js';
import { programFile } from '../programs.js';
import { probeLeader } from './leader.js';
import { makeCertificates, type CertificateTerms } from './certificates.js';
import { askLauncher, CommandRefused, type ControlRequest } from './control.js';
import { completionScript } from './completion.js';
import { report, reportsToStarter, startDetached } from './detach.js';
import { examine } from './doctor.js';
import { openInBrowser } from './browser.js';
import { quote, runCluster, type Started } from './foreground.js';
import { contextOf, defaultName, directoryOf, parseName } from './home.js';
import { mergeContext, personalKubeconfig, removeContext } from './kubeconfigFile.js';
import type { LauncherState } from './launcher.js';
import { showLogs } from './logs.js';
import { paint, print, say, stateTable, table } from './output.js';
import { readUpOptions, withUpOptions } from './upOptions.js';

/** `raftplane`: local clusters by name, in a terminal or detached from it. */

const exitCodes = { failed: 1, usage: 2, refused: 3 } as const;
/** A launcher has ended some seconds after its programs. */
const endPollMs = 20;

interface Where {
  readonly name: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}
const placeOf = ({ name, dataDir }: Where): string => path.resolve(dataDir ?? directoryOf(name));

/** Every command says which cluster it is about. */
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
    report({ failed: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

function ready({ kubeconfig, link }: Started): void {
  print(`export KUBECONFIG=${quote(kubeconfig)}; kubectl get namespaces`);
  if (link !== null) say(`console: ${link} (once, within five minutes; "raftplane console" gives another)`);
}

/** A new link, for whoever has signed out, or has another browser. */
async function consoleLink(where: Where & { readonly open: boolean }): Promise<void> {
  const { link } = (await askLauncher(placeOf(where), { command: 'link' }, say)) as { readonly link: string };
  print(where.json ? JSON.stringify({ link }) : link);
  if (where.open) openInBrowser(link, placeOf(where));
}

async function stop(where: Where & { readonly delete: boolean }): Promise<void> {
  const directory = placeOf(where);
  try {
    const { launcher } = await ask(where, { command: 'stop' });
    while (processExists(launcher)) await delay(endPollMs);
    say('stopped');
  } catch (error) {
    // What does not run can still be deleted.
    if (!(error instanceof CommandRefused && where.delete)) throw error;
  }
  if (!where.delete) return;
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
  if (!where.merge) return process.stdout.write(text) ? undefined : undefined;
  mergeContext(personalKubeconfig(), where.name, text);
  say(`${contextOf(where.name)} is the current context in ${personalKubeconfig()}`);
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

/** The server's own command, as an administrator of this cluster. */
function backup(file: string, where: Where): void {
  const args = [programFile('apiserver'), 'backup', file, '--kubeconfig', path.join(placeOf(where), 'admin.kubeconfig')];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? exitCodes.failed;
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

async function certificates(folder: string, terms: Omit<CertificateTerms, 'innerServer'> & Partial<CertificateTerms>): Promise<void> {
  for (const name of await makeCertificates(folder, { innerServer: terms.server, ...terms })) say(`made ${path.join(folder, name)}`);
}

const version = (): string => {
  const file = ['..', '../..', '../../..']
    .map((above) => new URL(`${above}/package.json`, import.meta.url))
    .find((url) => fs.existsSync(url));
  return file ? (JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly version: string }).version : 'unknown';
};

function program(): Command {
  const root = new Command('raftplane')
    .description(
      'Local Kubernetes control planes: API servers that replicate among themselves, a balancer, controllers and stand-in nodes.',
    )
    .version(version(), '-V, --version')
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  raftplane up --detach                 three API servers and their controllers, until "raftplane stop"
  raftplane up --name demo --nodes 3    another one, in this terminal, with nodes that pretend to run pods
  raftplane kubeconfig --merge          a context in ~/.kube/config
  raftplane kill r1; raftplane status   see what a failover looks like
  raftplane stop --delete               nothing of it is left

Exit codes: 0 done, ${exitCodes.failed} failed, ${exitCodes.usage} a command line that cannot be right, ${exitCodes.refused} refused as things are: no such cluster, no such member.`,
    );
  const upCommand = withUpOptions(
    command('up', 'Starts a cluster, or one that was stopped; resolves when it is ready.')
      .option('-d, --detach', 'go on without this terminal', false)
      .option('--open', 'show the console in a browser, signed in', false),
  ).addHelpText(
    'after',
    '\nExamples:\n  raftplane up --detach --replicas 1\n  raftplane up --config cluster.yaml --apiserver-flag=--v=4\n\nSignals: SIGTERM and SIGINT stop everything; SIGUSR2 starts again what is down.',
  );
  root.addCommand(upCommand.action(async (where: Where & { readonly detach: boolean; readonly open: boolean }) => up(where, upCommand)));
  root.addCommand(command('status', 'Shows every program, who leads, and how to reach the cluster.').action(status));
  root.addCommand(
    command('stop', 'Stops a cluster; its data stays for the next "up".')
      .option('--delete', 'delete its data, and its context in the kubeconfig', false)
      .action(stop),
  );
  root.addCommand(
    command('logs', 'Shows the ends of the logs: of one program, or of all.')
      .argument('[member]')
      .option('-f, --follow', 'and what comes', false)
      .action(async (member: string | undefined, where: Where & { readonly follow: boolean }) =>
        showLogs(placeOf(where), member, where.follow, print),
      ),
  );
  const one = (name: 'kill' | 'pause' | 'resume' | 'restart' | 'partition' | 'heal', description: string): Command =>
    command(name, description)
      .argument('<member>', 'r1, r2 …, balancer, cm1 …')
      .action(async (member: string, where: Where) => act(where, { command: name, target: member }));
  root.addCommand(one('kill', 'Ends one program at once (SIGKILL).'));
  root.addCommand(one('pause', 'Stops one program where it stands (SIGSTOP): its connections stay open, and nobody answers.'));
  root.addCommand(one('resume', 'Lets a paused program go on.'));
  root.addCommand(one('partition', 'Cuts one replica off from the others; clients still reach it.'));
  root.addCommand(one('heal', 'Ends that.'));
  root.addCommand(one('restart', 'Ends one program, where it runs, and starts it again.'));
  root.addCommand(
    command('console', 'Prints a link to the console that signs its owner in, once and within five minutes.')
      .option('--open', 'show it in a browser', false)
      .action(consoleLink),
  );
  root.addCommand(
    command('kubeconfig', "Prints an administrator's kubeconfig.")
      .option('--merge', 'put it into ~/.kube/config (or the first of $KUBECONFIG) instead', false)
      .action(kubeconfig),
  );
  root.addCommand(
    command(
      'backup',
      'Copies everything that is stored into a file, while all goes on; "apiserver restore --help" says what becomes of it.',
    )
      .argument('<file>')
      .action(backup),
  );
  root.addCommand(
    command('reset', 'Empties a running cluster: its servers start anew without their data.').action(async (where: Where) =>
      act(where, { command: 'reset' }),
    ),
  );
  root.addCommand(
    new Command('certificates')
      .description(
        'Makes keys, certificates and kubeconfigs for a cluster that something else runs (deploy/compose.yaml, deploy/kubernetes).',
      )
      .exitOverride()
      .argument('<folder>')
      .option('--members <ids>', 'names of the API servers, comma-separated', parseNames, ['r1', 'r2', 'r3'])
      .option('--names <names>', 'further DNS names and addresses under which they are reached', parseNames, [])
      .option('--server <url>', "in the administrator's kubeconfig", parseServer, 'https://127.0.0.1:6443')
      .option('--inner-server <url>', 'in that of the controller managers; the same unless given', parseServer)
      .action(certificates),
  );
  root.addCommand(command('doctor', 'Says what is missing on this machine, and how to get it.').action(doctor));
  root.addCommand(new Command('version').description('Prints the version.').action(() => print(version())));
  root.addCommand(
    new Command('completion')
      .description('Prints a completion script: source <(raftplane completion bash)')
      .argument('<shell>', 'bash or zsh')
      .action((shell: string) => print(completionScript(root, shell))),
  );
  return root;
}

try {
  await program().parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  } else {
    say(`error: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = error instanceof CommandRefused ? exitCodes.refused : exitCodes.failed;
  }
}
// Whatever still holds the event loop has nothing left to do.
process.exit();
