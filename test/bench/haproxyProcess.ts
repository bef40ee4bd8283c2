import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const tries = 100;
const tryAgainMs = 50;

/** An HAProxy of one process, where one is installed. */
export class HaproxyProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Null where there is none; rejects when it does not listen soon. */
  static async start(folder: string, configuration: string, port: number): Promise<HaproxyProcess | null> {
    const file = path.join(folder, 'bench-haproxy.cfg');
    fs.writeFileSync(file, configuration);
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const begun = await Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)]);
    if (!begun) return null;
    for (let each = 0; each < tries && child.exitCode === null; each++) {
      if (await listens(port)) return new HaproxyProcess(child);
      await delay(tryAgainMs);
    }
    child.kill('SIGKILL');
    throw new Error(`haproxy does not listen at port ${port}`);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const end = (found: boolean) => (): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
