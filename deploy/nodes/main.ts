#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander';
import { controllerProgram, loadKubeconfig, messageOf, pause, type Controller } from '../../controllers/client/index.js';
import { pods } from '../../api/types/core/v1.js';
import { createAuthority } from '../certificates.js';
import { nodeAgents } from './agent.js';
import { Heartbeats } from './heartbeats.js';
import { nodesMax } from './node.js';
import { serveNodes } from './nodeServer.js';
import { scheduler } from './scheduler.js';

/** Simulates nodes until a signal; see `DESIGN.md` here. Sends `ready` to its launcher once the nodes exist. */

const version = 'v1.36.0';
const retryMs = 1_000;

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > nodesMax)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is not a number from 1 to ${nodesMax}`);
  return count;
}

const program = new Command('fake-nodes')
  .description('Registers nodes that run nothing, binds pods to them and moves the pods through their phases.')
  .requiredOption('--kubeconfig <file>', 'how to reach the API server, as someone who may write nodes, leases, pods and bindings')
  .option('--count <nodes>', 'how many', parseCount, 1)
  .option('--no-bind', 'leave pods without a node to a scheduler of yours');

const { kubeconfig, count, bind } = program.parse().opts<{ kubeconfig: string; count: number; bind: boolean }>();
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort());

const { environment, run } = controllerProgram(loadKubeconfig(kubeconfig), { name: 'fake-nodes', signal, qps: -1 });
const { clock, informers, log } = environment;
const podInformer = informers.of(pods);
const { certificate: cert, key } = await createAuthority('fake-nodes');
const server = await serveNodes(
  {
    get: (podKey) => podInformer.cache.get(podKey),
    onChange: (seen) => podInformer.addHandlers({ changed: (_, after) => seen(after), removed: seen }),
  },
  { cert, key },
);
const heartbeats = new Heartbeats(environment, { count, version, port: server.port });

const nodes: Controller = {
  name: 'nodes',
  async run() {
    const beating = heartbeats.run(signal);
    while (!signal.aborted) {
      try {
        await heartbeats.register();
        break;
      } catch (error) {
        if (!signal.aborted) log('error', `cannot register: ${messageOf(error)}`);
        await pause(clock, retryMs, signal);
      }
    }
    process.send?.('ready');
    if (!signal.aborted) log('info', `${count} nodes are registered`);
    await beating;
  },
};

await run(nodes, ...(bind ? [scheduler(environment)] : []), nodeAgents(environment, { count }));
await server.close();
process.exit(0);
