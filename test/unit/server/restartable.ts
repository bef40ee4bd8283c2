import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import { readApiServerOptions } from '../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../server/server.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger, type Answer } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../fixtures/identities.js';

const pollMs = 20;

/** A server in this process that restarts over the same data with other options and files. */
export class Restartable {
  readonly #serving: Identity;
  readonly #admin: Identity;

  /** The log since the last start. */
  log: string[] = [];
  #running: RunningServer | null = null;

  private constructor(
    readonly directory: string,
    readonly identities: Identities,
    serving: Identity,
    admin: Identity,
  ) {
    this.#serving = serving;
    this.#admin = admin;
  }

  static async create(name: string): Promise<Restartable> {
    const identities = await createIdentities();
    const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    return new Restartable(temporaryDirectory(name), identities, serving, admin);
  }

  /** Stops the running server, and resolves once the new one is ready; rejects if it ends instead. */
  async restart(...args: string[]): Promise<void> {
    const server = await this.begin(...args);
    const failed = server.failed.then((error) => {
      throw error;
    });
    await Promise.race([server.ready, failed]);
  }

  /** The same without waiting for readiness. */
  async begin(...args: string[]): Promise<RunningServer> {
    await this.stop();
    this.log = [];
    const read = readApiServerOptions([
      '--bind-address=127.0.0.1',
      // Machines without an external address have none to advertise.
      '--advertise-address=192.0.2.1',
      '--secure-port=0',
      '--authorization-mode=RBAC',
      `--raft-data-dir=${path.join(this.directory, 'data')}`,
      `--client-ca-file=${this.identities.caFile}`,
      `--tls-cert-file=${this.#serving.certFile}`,
      `--tls-private-key-file=${this.#serving.keyFile}`,
      ...args,
    ]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    this.#running = await startServer(read.options, recordingLogger(this.log));
    return this.#running;
  }

  async ask(method: string, at: string, object?: object): Promise<Answer> {
    if (this.#running === null) throw new Error('no server runs');
    return call1(Number(new URL(this.#running.url).port), {
      identity: this.#admin,
      method,
      path: at,
      ...(object === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) }),
    });
  }

  /** Repeats the request until it has this status, because writes take effect with a delay. */
  async until(status: number, ...question: Parameters<Restartable['ask']>): Promise<Answer> {
    for (;;) {
      const answer = await this.ask(...question);
      if (answer.status === status) return answer;
      await delay(pollMs);
    }
  }

  /** Writes a file atomically, next to the data. */
  file(name: string, content: string | object): string {
    const file = path.join(this.directory, name);
    fs.writeFileSync(`${file}.new`, typeof content === 'string' ? content : JSON.stringify(content));
    fs.renameSync(`${file}.new`, file);
    return file;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.stop();
  }
}
