#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { Connection, Informers, RestApi, groupResourceOf, loadKubeconfig, messageOf, pause, systemClock, type ControllerEnvironment } from '../../controllers/client/index.js';
import { beat, nodeAgents, register, scheduler } from './agent.js';

/** Stand-in nodes, until a signal; see `DESIGN.md` here. Says `ready` to who started it once the nodes are there. */

const countMax = 100;
const version = 'v1.36.0';
const retryMs = 1_000;

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > countMax) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a number from 1 to ${countMax}`);
  return count;
}

const program = new Command('fake-nodes')
  .description('Registers nodes that run nothing, binds pods to them and moves the pods through their phases.')
  .requiredOption('--kubeconfig <file>', 'how to reach the API server, as someone who may write nodes, leases, pods and bindings')
  .option('--count <nodes>', 'how many', parseCount, 1);

const { kubeconfig, count } = program.parse().opts<{ kubeconfig: string; count: number }>();
const log = (level: 'info' | 'error', message: string): void => { process.stderr.write(`${new Date().toISOString()} ${level === 'info' ? 'I' : 'E'} ${message}\n`); };

const stopping = new AbortController();
const { signal } = stopping;
setMaxListeners(0, signal);
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort());

const clock = systemClock;
const connection = new Connection(loadKubeconfig(kubeconfig), { clock });
const api = new RestApi({ connection, userAgent: 'fake-nodes/1', clock, signal });
const informers = new Informers({ api, clock, random: Math.random, onError: (type, error) => log('error', `watch of ${groupResourceOf(type)}: ${messageOf(error)}`) });
const silent = { normal: () => undefined, warning: () => undefined };
const environment: ControllerEnvironment = { api, informers, events: silent, clock, random: Math.random, log };
const options = { count, version };

async function registered(): Promise<void> {
  while (!signal.aborted) {
    try {
      await register(environment, options);
      return;
    } catch (error) {
      if (!signal.aborted) log('error', `cannot register: ${messageOf(error)}`);
      await pause(clock, retryMs, signal);
    }
  }
}

// Timers of the clock do not keep a process alive; this one does, until it is told to stop.
const dayMs = 24 * 60 * 60 * 1000;
const awake = setInterval(() => undefined, dayMs);
await registered();
const loops = [scheduler(environment), nodeAgents(environment, options)];
informers.start(signal);
process.send?.('ready');
if (!signal.aborted) log('info', `${count} nodes are registered`);
await Promise.all([...loops.map(loop => loop.run(signal)), beat(environment, options, signal), informers.stopped()]);
clearInterval(awake);
connection.close();
process.exit(0);
