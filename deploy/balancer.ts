#!/usr/bin/env node
import fs from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { startLoadBalancer } from './loadBalancer.js';

/** The balancer's program: reads options, and logs each change of a backend. */

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT`, with an IPv6 host in brackets. */
function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > 65_535) throw new InvalidArgumentError(`${JSON.stringify(text)} is not HOST:PORT`);
  return { host, port };
}

const program = new Command('balancer')
  .description('Spreads TCP connections over the API servers that are ready (GET /readyz over TLS, every half second).')
  .requiredOption('--listen <host:port>', 'where clients connect', parseAddress)
  .requiredOption('--backend <host:port>', 'an API server; give it once for each', (text, all: Address[] = []) => [
    ...all,
    parseAddress(text),
  ])
  .option('--ca-file <file>', "authority that signed the API servers' certificates; without it, health checks accept any certificate");

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}

async function main(): Promise<void> {
  const { listen, backend, caFile } = program.parse().opts<{ listen: Address; backend: Address[]; caFile?: string }>();
  const ca = caFile === undefined ? undefined : fs.readFileSync(caFile, 'utf8');
  const balancer = await startLoadBalancer({ ...listen, backends: backend, ca, log: say });
  say(`listening on ${listen.host}:${balancer.port}`);
  process.send?.('ready');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      say(`${signal}: stopping`);
      void balancer.close().then(() => process.exit(0));
    });
  }
}

await main().catch((error: unknown) => {
  say(`cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
