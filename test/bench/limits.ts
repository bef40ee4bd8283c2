import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../../raft/sqlite/driver.js';
import type { Endpoint } from './connection.js';

/** The limits of the machine: the same bytes from a bare server or into a bare database. */

export interface BareServer {
  readonly endpoint: Endpoint;
  stop(): void;
}

/** A `node:https` process that answers every request with `bytes` bytes. */
export async function startBareServer(endpoint: Endpoint, certFile: string, keyFile: string, bytes: number): Promise<BareServer> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./bareServer.js', import.meta.url)), [certFile, keyFile, String(bytes)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number));
    child.once('exit', (code) => reject(new Error(`the bare server ended with status ${code}`)));
  });
  return {
    endpoint: { ...endpoint, port },
    stop: () => {
      child.removeAllListeners('exit');
      child.kill();
    },
  };
}

/** Commits groups of `group` values of `bytes` bytes to SQLite with FULL sync for about `seconds`; returns values a second. */
export function bareGroupCommit(bytes: number, group: number, seconds: number): number {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
  try {
    const database = openSqlite(path.join(directory, 'bare.db'), { mustExist: false });
    database.pragma('journal_mode = WAL');
    database.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, data BLOB NOT NULL)');
    database.pragma('synchronous = FULL');
    const insert = database.prepare<[Buffer]>('INSERT INTO entries (data) VALUES (?)');
    const value = Buffer.alloc(bytes, 120);
    const commit = (): void =>
      database.immediate(() => {
        for (let each = 0; each < group; each += 1) insert.run(value);
      });
    const start = performance.now();
    let values = 0;
    while (performance.now() - start < seconds * 1000) {
      commit();
      values += group;
    }
    const rate = values / ((performance.now() - start) / 1000);
    database.close();
    return rate;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
