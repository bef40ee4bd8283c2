#!/usr/bin/env node
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startCluster, type Cluster } from './cluster.js';
import { describeExit, type Exit, type ManagedProgram } from './managedProgram.js';
import { replicaCounts, type ReplicaCount } from './settings.js';

/** `npm start`: a replicated control plane on this machine, until Ctrl-C. */

interface Flags {
  readonly dataDir: string;
  readonly port: number;
  readonly replicas?: ReplicaCount;
  readonly managers: number;
  readonly fakeNodes: number;
  readonly fresh: boolean;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port from 0 to 65535`);
  return port;
}

const countMax = 100;

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > countMax) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a number from 0 to ${countMax}`);
  return count;
}

const program = new Command('npm start --')
  .description('Starts a local Kubernetes control plane: API server replicas on Raft, a load balancer in front, and controller managers. Ctrl-C stops it; its data stays.')
  .option('--data-dir <folder>', 'certificates, kubeconfig, logs and data', '.cluster')
  .option('--port <port>', 'where clients connect, on 127.0.0.1; 0 means any free port', parsePort, 6443)
  .addOption(new Option('--replicas <count>', 'API servers (default: as before, or 3)').choices(replicaCounts.map(String)))
  .option('--managers <count>', 'controller managers, of which one works and the others stand by; 0 for none', parseCount, 2)
  .option('--fake-nodes <count>', 'stand-in nodes, on which pods seem to run; for machines without nodes', parseCount, 0)
  .option('--fresh', 'start empty: forget the data and logs of an earlier start', false)
  .addHelpText('after', '\nSignals: SIGTERM and SIGINT stop everything; SIGUSR2 starts again what is down.');

const say = (line: string): void => { process.stderr.write(`${line}\n`); };
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal stops the cluster in order; more of them change nothing, because the stop is bounded. */
function stopRequest(): AbortSignal {
  const controller = new AbortController();
  for (const signal of stopSignals) process.on(signal, () => controller.abort(new Error(`stopped by ${signal}`)));
  return controller.signal;
}

function readFlags(): Flags {
  const { replicas, ...flags } = program.parse().opts<Omit<Flags, 'replicas'> & { replicas?: string }>();
  const count = replicaCounts.find(candidate => String(candidate) === replicas);
  return count === undefined ? flags : { ...flags, replicas: count };
}

function reportExit({ spec, running }: ManagedProgram, exit: Exit, restartInMs: number | null): void {
  if (running || exit.expected) return;
  const next = restartInMs === null ? `Start it again with: kill -USR2 ${process.pid}` : `It is started again in ${restartInMs / 1000} s.`;
  say(`${spec.name} is down: ${describeExit(exit)}; log: ${spec.log}. The others go on. ${next}`);
}

async function main(): Promise<void> {
  const { dataDir, port, replicas, managers, fakeNodes, fresh } = readFlags();
  const signal = stopRequest();
  let up = false;
  const cluster = await startCluster({
    dataDirectory: dataDir, port, replicas, managers, restartManagers: true, fakeNodes, fresh, signal, onProgress: say,
    onExit: (ended, exit, restartInMs) => { if (up && !signal.aborted) reportExit(ended, exit, restartInMs); },
  });
  up = true;
  process.on('SIGUSR2', () => void cluster.startStopped().catch((error: unknown) => say(String(error))));
  process.stdout.write(`export KUBECONFIG=${quote(path.resolve(cluster.kubeconfig))}; kubectl get namespaces\n`);
  await untilAborted(signal);
  await stop(cluster);
}

async function stop(cluster: Cluster): Promise<void> {
  say('stopping');
  await cluster.stop();
  say('stopped');
}

/** The timer keeps this process alive when every child has died. */
function untilAborted(signal: AbortSignal): Promise<void> {
  const dayMs = 24 * 60 * 60 * 1000;
  const timer = setInterval(() => undefined, dayMs);
  return new Promise(resolve => {
    const finish = (): void => {
      clearInterval(timer);
      resolve();
    };
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, { once: true });
  });
}

/** A word that a POSIX shell reads back unchanged. */
function quote(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

try {
  await main();
  process.exitCode = 0;
} catch (error) {
  say(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
// Whatever still holds the event loop has nothing left to do.
process.exit();
