import fs from 'node:fs';
import path from 'node:path';
import { reservePort } from '../../fixtures/tlsBackends.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, type Answer, type Call } from '../../fixtures/frontDoor.js';
import { BundledProgram, eventually } from './bundledProgram.js';
import type { ServerUnderProbe } from './serverUnderProbe.js';

/** A kubeconfig for the server's administrator or a token. */
export function kubeconfigOf(
  server: ServerUnderProbe,
  folder: string,
  { name = 'kubeconfig', address = `https://127.0.0.1:${server.port}`, token }: { name?: string; address?: string; token?: string } = {},
): string {
  const file = path.join(folder, name);
  const user = token === undefined ? { 'client-certificate': server.admin.certFile, 'client-key': server.admin.keyFile } : { token };
  fs.writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
      clusters: [{ name: 's', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user }],
    }),
  );
  return file;
}

/** Each SIGUSR2 moves the process's clock by seven minutes, for waits without options. */
const timeLeap = `--import=data:text/javascript,${encodeURIComponent(
  `const now = performance.now.bind(performance);
let leaps = 0;
process.on('SIGUSR2', () => leaps++);
performance.now = () => now() + leaps * 420_000;`,
)}`;

/** A bundled controller manager with a port and without leader election, which its server's administrator may query. */
export class ManagerUnderProbe {
  readonly #server: ServerUnderProbe;

  private constructor(
    readonly program: BundledProgram,
    readonly port: number,
    readonly folder: string,
    server: ServerUnderProbe,
  ) {
    this.#server = server;
  }

  /** Arguments replace default ones; `without` removes default ones. */
  static async start(
    server: ServerUnderProbe,
    args: readonly string[],
    { folder = temporaryDirectory('manager'), without = [] }: { readonly folder?: string; readonly without?: readonly string[] } = {},
  ): Promise<ManagerUnderProbe> {
    const reported = args.find((arg) => arg.startsWith('--secure-port='))?.split('=')[1];
    const port = reported === undefined ? await reservePort() : Number(reported);
    const kubeconfig = kubeconfigOf(server, folder);
    const usual: Record<string, string> = {
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'bind-address': '127.0.0.1',
      'secure-port': String(port),
      'leader-elect': 'false',
    };
    const given = Object.entries(usual).filter(([name]) => !without.includes(name) && !args.some((arg) => arg.startsWith(`--${name}=`)));
    const program = BundledProgram.start(
      'controller-manager',
      [...given.map(([name, value]) => `--${name}=${value}`), ...args],
      [timeLeap],
    );
    const manager = new ManagerUnderProbe(program, port, folder, server);
    await Promise.race([manager.#listens(), program.exited.then(() => Promise.reject(new Error(`ended: ${program.text}`)))]);
    return manager;
  }

  async #listens(): Promise<void> {
    await eventually(() =>
      this.ask('/healthz').then(
        () => true,
        () => false,
      ),
    );
  }

  ask(call: Call | string): Promise<Answer> {
    return call1(this.port, { identity: this.#server.admin, ...(typeof call === 'string' ? { path: call } : call) });
  }

  /** The sum of matching series in its metrics; null without any. */
  async metric(series: string, more: Partial<Call> = {}): Promise<number | null> {
    const { text } = await this.ask({ path: '/metrics', ...more });
    const found = text.split('\n').filter((line) => line.startsWith(series));
    return found.length === 0 ? null : found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  async running(): Promise<readonly string[]> {
    const { text } = await this.ask('/metrics');
    return [...text.matchAll(/^running_managed_controllers\{[^}]*name="([^"]+)"[^}]*\} 1$/gm)].map(([, name]) => name!);
  }

  leap(): void {
    this.program.signal('SIGUSR2');
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
