import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * An etcd of one member as a program of a local cluster: starts the installed one, sends `ready` when it serves, and ends with it.
 *
 *     node etcdMember.js DATA-FOLDER CLIENT-URL PEER-URL
 */
const pollMs = 50;
const probeTimeoutMs = 2_000;

const [dataDirectory = '', clientUrl = '', peerUrl = ''] = process.argv.slice(2);

const etcd = spawn(
  'etcd',
  [
    ...['--name', 'local', '--data-dir', dataDirectory, '--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `local=${peerUrl}`],
    ...['--log-level', 'warn'],
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);
let running = true;
etcd.once('error', (error) => {
  running = false;
  process.stderr.write(`etcd cannot be started: ${error.message}. On Debian and Ubuntu: apt-get install etcd-server\n`);
  process.exitCode = 1;
});
etcd.once('exit', (code) => {
  running = false;
  process.exitCode = code ?? 1;
  // The channel to the launcher would keep this process alive.
  if (process.connected) process.disconnect();
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => etcd.kill(signal));

while (running && !(await serves())) await delay(pollMs);
if (running) process.send?.('ready');

async function serves(): Promise<boolean> {
  const request = http.get(new URL('/health', clientUrl), { agent: false, timeout: probeTimeoutMs });
  request.on('timeout', () => request.destroy());
  try {
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}
