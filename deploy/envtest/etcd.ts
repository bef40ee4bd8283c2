#!/usr/bin/env node
/** Replaces envtest's `etcd` when the API server has its own store: answers `/health` and `/version`, and stores nothing. */
import http from 'node:http';
import { valueOf } from './arguments.js';

const etcdVersion = '3.6.0';
const args = process.argv.slice(2);
const answers: Readonly<Record<string, object>> = {
  '/health': { health: 'true', reason: '' },
  '/livez': { health: 'true' },
  '/readyz': { health: 'true' },
  '/version': { etcdserver: etcdVersion, etcdcluster: etcdVersion.replace(/\d+$/, '0') },
};

function serve(address: string): void {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== 'http:') return refuse(`${address} cannot be served: this etcd answers over http:// alone`);
  const server = http.createServer((request, response) => {
    const answer = answers[(request.url ?? '').split('?', 1)[0] ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: 'this is no etcd: the API server beside it has a store of its own' }));
  });
  server.on('error', (error) => {
    refuse(`${address} cannot be served: ${error.message}`);
  });
  server.listen(Number(port === '' ? 80 : port), hostname.replace(/^\[|\]$/g, ''));
}

function refuse(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

/** envtest reads flags from this text: a line that begins with a flag names it. */
const help = `Usage: etcd [flags]

Answers /health and /version in the place of an etcd, and keeps nothing: the API server beside it has a store of its own.

Flags:
  --listen-client-urls 'http://localhost:2379'
    Where to answer, several separated by commas.
  --version
    Print the version and end.

Taken for an etcd's sake, without effect:
  --advertise-client-urls 'http://localhost:2379'
  --data-dir '\${name}.etcd'
  --listen-peer-urls 'http://localhost:2380'
  --unsafe-no-fsync

Example:
  etcd --listen-client-urls=http://127.0.0.1:2379
`;

if (args.includes('--help') || args.includes('-h')) process.stdout.write(help);
else if (args.includes('--version')) process.stdout.write(`etcd Version: ${etcdVersion}\n`);
else {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
  for (const address of (valueOf(args, 'listen-client-urls') ?? 'http://localhost:2379').split(',')) serve(address);
}
