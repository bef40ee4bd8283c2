import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { SignJWT, importPKCS8, type CryptoKey } from 'jose';
import { createIdentities, type Identities, type Identity } from '../fixtures/identities.js';
import { processorSeconds } from '../fixtures/processUsage.js';
import type { Endpoint } from './connection.js';
import { load } from './load.js';
import { count, printTable, ratio } from './table.js';
import { programFile } from '../../deploy/programs.js';

/** Measures authorization: a server that allows everything beside one with roles among 10,000 bindings, in turns, in processor time. */
export interface AccessBenchOptions {
  readonly seconds: number;
  readonly connections: number;
}

const rounds = 3;
const bindings = 10_000;
/** Unique tokens for one measurement, created in advance. */
const freshTokens = 12_000;
const issuer = 'https://bench.test';
const object = '/api/v1/namespaces/default/configmaps/read';

interface Server {
  readonly endpoint: Endpoint;
  readonly process: ChildProcess;
  readonly admin: Identity;
}

export async function benchAccess({ seconds, connections }: AccessBenchOptions): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-access-'));
  const servers: Server[] = [];
  try {
    const identities = await createIdentities();
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(path.join(directory, 'sa.key'), keys.privateKey);
    for (const mode of ['AlwaysAllow', 'RBAC']) servers.push(await startServer(mode, directory, identities));
    const user = await identities.issue({ name: 'bench' });
    const signing = await importPKCS8(keys.privateKey, 'RS256');
    const accounts = await Promise.all(servers.map(prepare));
    console.error(`  signing ${count(freshTokens)} tokens ...`);
    const tokens = await Promise.all(
      accounts.map((uid) => Promise.all(Array.from({ length: freshTokens }, (_, each) => tokenOf(uid, each, signing)))),
    );
    const measure = (what: string, next: (server: number, used: number) => string | null): Promise<string[]> =>
      compare({ what, servers, user, seconds, connections, next });
    printTable(
      ['get of 1 KiB, as', 'open 1/s', 'RBAC 1/s', 'open us/op', 'RBAC us/op', 'RBAC to open'],
      [
        await measure('client certificate', () => null),
        await measure('account token, seen before', (server) => tokens[server]![0]!),
        await measure('account token, never seen', (server, used) => tokens[server]![1 + (used % (freshTokens - 1))]!),
      ],
    );
  } finally {
    for (const server of servers) server.process.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startServer(mode: string, directory: string, identities: Identities): Promise<Server> {
  const serving = await identities.issue({ name: 'localhost', usage: 'serverAuth', dns: ['localhost'] });
  const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
  const started = spawn(
    process.execPath,
    [
      programFile('apiserver'),
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--authorization-mode=${mode}`,
      `--raft-data-dir=${path.join(directory, mode)}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${serving.certFile}`,
      `--tls-private-key-file=${serving.keyFile}`,
      `--service-account-issuer=${issuer}`,
      `--service-account-signing-key-file=${path.join(directory, 'sa.key')}`,
      `--service-account-key-file=${path.join(directory, 'sa.key')}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const port = await new Promise<number>((resolve, reject) => {
    started.once('exit', () => {
      reject(new Error('the server did not start'));
    });
    createInterface(started.stderr!).on('line', (line) => {
      const found = /address=https:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const server = { endpoint: { host: '127.0.0.1', port, ca: readFileSync(identities.caFile) }, process: started, admin };
  while ((await status(server, 'GET', '/readyz')) !== 200)
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  return server;
}

/** Creates the measured object, its readers, and 10,000 other bindings. Returns the account's uid. */
async function prepare(server: Server): Promise<string> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  await send(server, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'read' }, data: { text: 'x'.repeat(1_000) } });
  await send(server, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bench' } });
  await send(server, 'POST', `${rbac}/namespaces/default/rolebindings`, {
    metadata: { name: 'bench' },
    roleRef,
    subjects: [
      { kind: 'User', name: 'bench' },
      { kind: 'ServiceAccount', name: 'bench', namespace: 'default' },
    ],
  });
  console.error(`  writing ${count(bindings)} bindings ...`);
  for (let from = 0; from < bindings; from += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, each) =>
        send(server, 'POST', `${rbac}/namespaces/default/rolebindings`, {
          metadata: { name: `b-${from + each}` },
          roleRef,
          subjects: [
            { kind: 'Group', name: `team-${each}` },
            { kind: 'User', name: `user-${from + each}` },
          ],
        }),
      ),
    );
  }
  const account = JSON.parse(await send(server, 'GET', '/api/v1/namespaces/default/serviceaccounts/bench')) as {
    readonly metadata: { readonly uid: string };
  };
  return account.metadata.uid;
}

function tokenOf(uid: string, each: number, key: CryptoKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    aud: [issuer],
    iss: issuer,
    sub: 'system:serviceaccount:default:bench',
    iat: now,
    nbf: now,
    exp: now + 3_600,
    jti: `t-${each}`,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'bench', uid } },
  })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(key);
}

interface Comparison {
  readonly what: string;
  readonly servers: readonly Server[];
  readonly user: Identity;
  readonly seconds: number;
  readonly connections: number;
  /** A request's token, or null for a certificate. `used` counts requests to that server. */
  readonly next: (server: number, used: number) => string | null;
}

async function compare({ what, servers, user, seconds, connections, next }: Comparison): Promise<string[]> {
  console.error(`  ${what} ...`);
  const best = servers.map(() => ({ perSecond: 0, microseconds: Number.POSITIVE_INFINITY }));
  const used = servers.map(() => 0);
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const withCertificate = next(index, 0) === null;
      const endpoint = { ...server.endpoint, ...(withCertificate ? { cert: Buffer.from(user.cert), key: Buffer.from(user.key) } : {}) };
      const [before, usedBefore] = [processorMicroseconds(server), used[index]!];
      const { perSecond } = await load({
        endpoints: [endpoint],
        connections,
        seconds,
        expect: 200,
        next: () => {
          const token = next(index, used[index]!++);
          return Buffer.from(
            `GET ${object} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n${token === null ? '' : `authorization: Bearer ${token}\r\n`}\r\n`,
          );
        },
      });
      const microseconds = (processorMicroseconds(server) - before) / (used[index]! - usedBefore);
      best[index] = {
        perSecond: Math.max(best[index]!.perSecond, perSecond),
        microseconds: Math.min(best[index]!.microseconds, microseconds),
      };
    }
  }
  const [open, rbac] = [best[0]!, best[1]!];
  return [
    what,
    count(open.perSecond),
    count(rbac.perSecond),
    open.microseconds.toFixed(0),
    rbac.microseconds.toFixed(0),
    ratio(rbac.microseconds, open.microseconds),
  ];
}

const processorMicroseconds = ({ process: { pid } }: Server): number => processorSeconds(pid) * 1e6;

async function status(server: Server, method: string, where: string): Promise<number> {
  return new Promise((resolve) => {
    open(server, method, where, undefined, (code) => {
      resolve(code);
    }).on('error', () => {
      resolve(0);
    });
  });
}

function send(server: Server, method: string, where: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    open(server, method, where, body, (code, text) => {
      if (code < 300) resolve(text);
      else reject(new Error(`${where}: ${code} ${text}`));
    }).on('error', reject);
  });
}

const agent = new https.Agent({ keepAlive: true, maxSockets: 32 });

function open(
  { endpoint, admin }: Server,
  method: string,
  where: string,
  body: object | undefined,
  done: (code: number, text: string) => void,
): ReturnType<typeof https.request> {
  const outgoing = https.request(
    {
      ...endpoint,
      servername: 'localhost',
      cert: admin.cert,
      key: admin.key,
      agent,
      method,
      path: where,
      headers: { 'content-type': 'application/json' },
    },
    (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        done(answer.statusCode ?? 0, Buffer.concat(chunks).toString());
      });
    },
  );
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  return outgoing;
}
