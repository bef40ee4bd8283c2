import { createRequire } from 'node:module';

/** Makes a replica's disk slow: log commits block their thread for longer. Both SQLite drivers (raft/sqlite) are patched. */

let delayMs = 0;

export function delayCommits(ms: number): void {
  delayMs = ms;
}

const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const isLog = (file: string | null): boolean => file?.endsWith('log.db') ?? false;

function afterCommit(file: string | null): void {
  if (delayMs > 0 && isLog(file)) Atomics.wait(nobody, 0, 0, delayMs);
}

/** The common part of both drivers' databases. */
interface Preparing {
  prepare(sql: string): { run(...parameters: unknown[]): unknown };
}

/** Must be called before the first database is opened. Ignores a driver that is not available. */
export function patchDrivers(): void {
  try {
    const { prototype } = createRequire(import.meta.url)('better-sqlite3') as { readonly prototype: Preparing & { readonly name: string } };
    patchCommits(prototype, ({ name }) => name);
  } catch {
    // Not installed.
  }
  // Node 22 prints a warning when it is loaded; there it is skipped.
  if (Number(process.versions.node.split('.')[0]) < 24) return;
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
    readonly DatabaseSync: { readonly prototype: Preparing & { location(): string | null } };
  };
  patchCommits(DatabaseSync.prototype, (database) => database.location());
}

function patchCommits<D extends Preparing>(prototype: D, fileOf: (database: D) => string | null): void {
  const { prepare } = prototype;
  prototype.prepare = function delayed(this: D, sql: string) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    return Object.assign(statement, {
      run: () => {
        const result = run();
        afterCommit(fileOf(this));
        return result;
      },
    });
  };
}
