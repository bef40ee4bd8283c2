import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programFile } from '../programs.js';
import { valueOf, without } from './arguments.js';

/** envtest starts no controller manager, so it neither deletes namespaces nor collects garbage. This option runs one with the server. */

const pollMs = 50;
const user = 'system:kube-controller-manager';

export interface ManagerAccess {
  /** The arguments given to the server, and the manager's user. */
  readonly serverArguments: readonly string[];
  readonly token: string;
  readonly folder: string;
}

/** Adds the manager's token to the server's. Files go to `folder`. */
export function withManagerToken(given: readonly string[], folder: string): ManagerAccess {
  const token = randomBytes(32).toString('hex');
  const file = path.join(folder, 'tokens.csv');
  const others = valueOf(given, 'token-auth-file');
  const known = others === undefined ? '' : `${fs.readFileSync(others, 'utf8').trimEnd()}\n`;
  fs.writeFileSync(file, `${known}${token},${user},${user}\n`, { mode: 0o600 });
  return { serverArguments: [...without(given, /^--token-auth-file(=|$)/), `--token-auth-file=${file}`], token, folder };
}

/** Starts the manager once the server is ready. It retries by itself. */
export async function startControllers(access: ManagerAccess): Promise<void> {
  const { serverArguments: given, folder } = access;
  const host = valueOf(given, 'bind-address') ?? '127.0.0.1';
  const at = { host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port: Number(valueOf(given, 'secure-port') ?? 6443) };
  while (!(await isReady(at))) await delay(pollMs);
  const ca = servingCertificate(given);
  const kubeconfig = path.join(folder, 'manager.kubeconfig');
  fs.writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(`https://${at.host}:${at.port}`, ca, access.token)), { mode: 0o600 });
  const key = valueOf(given, 'service-account-signing-key-file');
  const leash = programFile('leash');
  const manager = fork(
    programFile('controller-manager'),
    [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--use-service-account-credentials',
      '--kube-api-qps=-1',
      ...(key === undefined ? [] : [`--service-account-private-key-file=${key}`]),
      ...(ca === null ? [] : [`--root-ca-file=${ca}`]),
    ],
    { execArgv: ['--import', leash], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  manager.unref();
  manager.channel?.unref();
}

/** Accepts any 200 response and any certificate: the request carries no secret. */
function isReady(at: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    https
      .get({ ...at, path: '/readyz', rejectUnauthorized: false, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      })
      .on('error', () => {
        resolve(false);
      });
  });
}

/** Returns the server's certificate, which clients trust; null if not in a file. */
function servingCertificate(given: readonly string[]): string | null {
  const file = valueOf(given, 'tls-cert-file') ?? path.join(valueOf(given, 'cert-dir') ?? '/var/run/kubernetes', 'apiserver.crt');
  return fs.existsSync(file) ? file : null;
}

function kubeconfigOf(server: string, ca: string | null, token: string): object {
  const trust = ca === null ? { 'insecure-skip-tls-verify': true } : { 'certificate-authority': ca };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'envtest', cluster: { server, ...trust } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'envtest', context: { cluster: 'envtest', user } }],
    'current-context': 'envtest',
  };
}
