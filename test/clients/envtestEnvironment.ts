import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePorts } from '../../deploy/ports.js';
import { createSigningKeys } from './signingKeys.js';
import { ApiClient } from '../fixtures/apiClient.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { createIdentities } from '../fixtures/identities.js';

const pollMs = 20;

/**
 * Uses a folder of assets like controller-runtime's envtest, with the same programs, flags, certificates and requests. Clients trust the server's self-signed
 * certificate.
 */
export class EnvtestEnvironment {
  private constructor(
    readonly etcd: ChildProcess,
    readonly server: ChildProcess,
    readonly client: ApiClient,
    /** The server's folder, which envtest makes and removes. */
    readonly certificates: string,
    readonly log: () => string,
  ) {}

  static async start(assets: string, flags: readonly string[] = []): Promise<EnvtestEnvironment> {
    const [etcdPort, peerPort, port] = (await findFreePorts(3)) as [number, number, number];
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const unsafeFlag = knowsFlag(assets, 'etcd', 'unsafe-no-fsync') ? ['--unsafe-no-fsync=true'] : [];
    const etcd = run(assets, 'etcd', [
      `--advertise-client-urls=${etcdUrl}`,
      `--data-dir=${temporaryDirectory('envtest-etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      ...unsafeFlag,
    ]);
    await answers(`${etcdUrl}/health`, etcd);
    const { directory, client, flags: own } = await identitiesOf(port);
    const insecure = knowsFlag(assets, 'kube-apiserver', 'insecure-port') ? ['--insecure-port=0'] : [];
    const server = run(assets, 'kube-apiserver', [
      '--advertise-address=127.0.0.1',
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=${etcdUrl}`,
      ...insecure,
      `--secure-port=${port}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      ...own,
      ...flags,
    ]);
    await answers(`https://127.0.0.1:${port}/readyz`, server);
    return new EnvtestEnvironment(etcd.child, server.child, client, directory, server.log);
  }

  /** Stops like envtest: SIGTERM to the server, then to etcd. Returns their exit codes. */
  async stop(): Promise<readonly (number | null)[]> {
    const codes: (number | null)[] = [];
    for (const child of [this.server, this.etcd]) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      codes.push(child.exitCode);
    }
    this.client.close();
    fs.rmSync(this.certificates, { recursive: true, force: true });
    return codes;
  }
}

/** Whether the program's help has a line that begins with the flag. Throws without help. */
export function knowsFlag(assets: string, name: string, flag: string): boolean {
  const { status, stdout, stderr } = spawnSync(path.join(assets, name), ['--help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} --help ends with ${status}: ${stderr}`);
  return new RegExp(`^\\s*--${flag}\\b`, 'm').test(stdout + stderr);
}

interface Running {
  readonly child: ChildProcess;
  readonly log: () => string;
}

function run(assets: string, name: string, args: readonly string[]): Running {
  const child = spawn(path.join(assets, name), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-100_000);
    });
  return { child, log: () => text };
}

/** Polls until the status is 200, with any certificate. Rejects if the program ends first. */
async function answers(url: string, { child, log }: Running): Promise<void> {
  while ((await statusOf(url)) !== 200) {
    if (child.exitCode !== null) throw new Error(`${url} is not served, the program has ended with ${child.exitCode}:\n${log()}`);
    await delay(pollMs);
  }
}

function statusOf(url: string): Promise<number> {
  const ask = url.startsWith('https:') ? https : http;
  return new Promise((resolve) => {
    ask
      .get(url, { rejectUnauthorized: false, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
      .on('error', () => {
        resolve(0);
      });
  });
}

/** Certificates by the server's file names, account keys, and an administrator's client. */
async function identitiesOf(port: number): Promise<{ directory: string; client: ApiClient; flags: readonly string[] }> {
  const directory = temporaryDirectory('k8s_test_framework_');
  const clients = await createIdentities('envtest clients');
  const serving = await clients.issue({ name: 'localhost', usage: 'serverAuth', dns: ['localhost'], ip: ['127.0.0.1'], selfSigned: true });
  const admin = await clients.issue({ name: 'admin', groups: ['system:masters'] });
  const { publicFile, privateFile } = createSigningKeys(directory);
  fs.copyFileSync(serving.certFile, path.join(directory, 'apiserver.crt'));
  fs.copyFileSync(serving.keyFile, path.join(directory, 'apiserver.key'));
  fs.copyFileSync(clients.caFile, path.join(directory, 'client-cert-auth-ca.crt'));
  const client = new ApiClient(`https://127.0.0.1:${port}`, { pki: { caFile: serving.certFile, admin } as never });
  const flags = [
    `--cert-dir=${directory}`,
    `--client-ca-file=${path.join(directory, 'client-cert-auth-ca.crt')}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${publicFile}`,
    `--service-account-signing-key-file=${privateFile}`,
  ];
  return { directory, client, flags };
}
