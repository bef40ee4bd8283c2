import path from 'node:path';
import { call1, type Answer, type Call } from '../../fixtures/frontDoor.js';
import type { Identities, Identity } from '../../fixtures/identities.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { BundledProgram } from './bundledProgram.js';

/** A bundled API server on a free port with an administrator. */
export class ServerUnderProbe {
  private constructor(
    readonly program: BundledProgram,
    readonly port: number,
    readonly directory: string,
    readonly admin: Identity,
  ) {}

  static async start(
    identities: Identities,
    args: readonly string[],
    /** `without`: default arguments to omit. `directory`: that of an earlier server, to reuse its data. `becomesReady`: false for a server that does not. */
    {
      without = [],
      directory = temporaryDirectory('options'),
      becomesReady = true,
    }: { readonly without?: readonly string[]; readonly directory?: string; readonly becomesReady?: boolean } = {},
  ): Promise<ServerUnderProbe> {
    const serving = await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] });
    const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const usual: Record<string, string> = {
      'bind-address': '127.0.0.1',
      'secure-port': '0',
      'authorization-mode': 'RBAC',
      'raft-data-dir': path.join(directory, 'data'),
      'cert-dir': path.join(directory, 'certs'),
      'client-ca-file': identities.caFile,
      'tls-cert-file': serving.certFile,
      'tls-private-key-file': serving.keyFile,
    };
    const given = Object.entries(usual).filter(([name]) => !without.includes(name) && !args.some((arg) => arg.startsWith(`--${name}=`)));
    const program = BundledProgram.start('apiserver', [...given.map(([name, value]) => `--${name}=${value}`), ...args]);
    const [, port = ''] = await program.says(/https:\/\/[\d.[\]:]+:(\d+)/);
    const server = new ServerUnderProbe(program, Number(port), directory, admin);
    if (becomesReady) await server.ready();
    return server;
  }

  async ready(): Promise<void> {
    for (;;) {
      const status = await this.ask('/readyz').then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  ask(call: Call | string): Promise<Answer> {
    return call1(this.port, { identity: this.admin, ...(typeof call === 'string' ? { path: call } : call) });
  }

  send(method: string, at: string, body: object, more: Partial<Call> = {}): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return this.ask({ method, path: at, body: JSON.stringify(body), ...more, headers: { 'content-type': type, ...more.headers } });
  }

  post(at: string, body: object, more: Partial<Call> = {}): Promise<Answer> {
    return this.send('POST', at, body, more);
  }

  async metric(series: string): Promise<string | undefined> {
    const { text } = await this.ask('/metrics');
    return text.split('\n').find((line) => line.startsWith(series));
  }

  /** The path of a file for the program. */
  file(name: string): string {
    return path.join(this.directory, name);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
