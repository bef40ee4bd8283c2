import { fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { programFile } from '../../../deploy/programs.js';
import { createIdentities, type Identity } from '../../fixtures/identities.js';
import { count, printTable } from '../table.js';
import type { Probe } from './prober.js';
import { present, stallingRequests, type StallingRequest } from './requests.js';

export interface StallOptions {
  /** Part of the names of requests; empty for all. */
  readonly only: string;
  /** The measured program; empty for this build's. */
  readonly apiserver: string;
}

/** The latency of an idle server is below this. */
const requestTimeoutMs = 120_000;
const settleMs = 300;

/** Sends one large request at a time, each of a permitted size, and measures /livez of the same server meanwhile. */
export async function benchStalls({ only, apiserver }: StallOptions): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-stalls-'));
  const identities = await createIdentities();
  const admin = await identities.issue({ name: 'bench', groups: ['system:masters'] });
  const { process: started, port } = await startServer(apiserver || programFile('apiserver'), directory, identities.caFile);
  const server = { port, admin, turnsFile: turnsFileIn(directory) };
  const prober = fork(fileURLToPath(new URL('./prober.js', import.meta.url)), [String(port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    await untilReady(server);
    await prepare(server, present);
    const rows: string[][] = [];
    for (const request of stallingRequests.filter(({ name }) => name.includes(only))) {
      console.error(`  ${request.name} ...`);
      const row = await measure(request, server, prober);
      console.error(`    ${row.slice(1).join(', ')}`);
      rows.push(row);
    }
    printTable(['one request', 'bytes', 'status', 'answered after, ms', '/livez p99, ms', 'longest, ms', 'longest turn, ms of CPU'], rows);
    console.log(`\nload average ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    prober.disconnect();
    started.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A server with administrators and anonymous /livez. */
interface Server {
  readonly port: number;
  readonly admin: Identity;
  /** The output of `turnProbe.ts`. */
  readonly turnsFile: string;
}

const turnsFileIn = (directory: string): string => path.join(directory, 'turns');
const turnProbe = new URL('./turnProbe.js', import.meta.url).href;

async function startServer(
  program: string,
  directory: string,
  clientAuthority: string,
): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const flags = ['--bind-address=127.0.0.1', '--secure-port=0', `--client-ca-file=${clientAuthority}`, `--raft-data-dir=${directory}`];
  writeFileSync(turnsFileIn(directory), '');
  const started = spawn(
    process.execPath,
    ['--import', turnProbe, program, ...flags, `--cert-dir=${path.join(directory, 'certificates')}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, TURN_PROBE_FILE: turnsFileIn(directory) },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    started.once('exit', () => {
      reject(new Error('the server did not start'));
    });
    createInterface(started.stderr).on('line', (line) => {
      const found = /address=https:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  return { process: started, port };
}

async function untilReady(server: Server): Promise<void> {
  while ((await send(server, { method: 'GET', path: '/readyz' })).status !== 200) await delay(50);
}

async function prepare(server: Server, objects: ReturnType<NonNullable<StallingRequest['before']>>): Promise<void> {
  for (const [at, object] of objects) {
    const { status, text } = await send(server, { method: 'POST', path: at, body: JSON.stringify(object) });
    if (status !== 201 && status !== 409) throw new Error(`${at} answered ${status}: ${text.slice(0, 300)}`);
  }
}

async function measure(
  { name, method, path: at, type, body, before }: StallingRequest,
  server: Server,
  prober: ChildProcess,
): Promise<string[]> {
  await prepare(server, before?.() ?? []);
  const text = JSON.stringify(body());
  // Requests for a new type wait until it is served.
  while (before !== undefined && (await send(server, { method: 'GET', path: at.split('?')[0] ?? at })).status === 404) await delay(50);
  await delay(settleMs);
  await probesOf(prober);
  const beganAtMs = wall();
  const { status } = await send(server, { method, path: at, type, body: text });
  const endedAtMs = wall();
  await delay(settleMs);
  const meanwhile = (await probesOf(prober)).filter((probe) => probe.beganAtMs < endedAtMs && probe.beganAtMs + probe.tookMs > beganAtMs);
  const took = meanwhile.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const cells = [
    text.length,
    status,
    endedAtMs - beganAtMs,
    took[Math.floor(took.length * 0.99)] ?? 0,
    took.at(-1) ?? 0,
    longestTurnMs(server, { beganAtMs, endedAtMs }),
  ];
  return [name, ...cells.map(count)];
}

/** Processor time of the longest turn of the server's event loop in this period. */
function longestTurnMs(
  { turnsFile }: Server,
  { beganAtMs, endedAtMs }: { readonly beganAtMs: number; readonly endedAtMs: number },
): number {
  const turns = readFileSync(turnsFile, 'latin1')
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .filter(([at = 0]) => at > beganAtMs && at < endedAtMs + settleMs);
  return Math.max(0, ...turns.map(([, tookMs = 0]) => tookMs));
}

const wall = (): number => performance.timeOrigin + performance.now();

const probesOf = (prober: ChildProcess): Promise<readonly Probe[]> =>
  new Promise((resolve) => {
    prober.once('message', (probes) => {
      resolve(probes as readonly Probe[]);
    });
    prober.send('tell');
  });

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string | undefined;
  readonly body?: string;
}

/** On a new connection, so that measurements are independent. Status 0: no answer. */
function send(
  { port, admin: { cert, key } }: Server,
  { method, path: at, type = 'application/json', body }: Sent,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const request = https.request(
      { host: '127.0.0.1', port, method, path: at, headers, cert, key, agent: false, rejectUnauthorized: false, timeout: requestTimeoutMs },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', ({ message }) => {
      resolve({ status: 0, text: message });
    });
    request.end(body);
  });
}
