import { createRequire } from 'node:module';

/** Makes a replica's disk slow: log commits block their thread for longer. */

let delayMs = 0;

export function delayCommits(ms: number): void {
  delayMs = ms;
}

const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const isLog = (file: string | null): boolean => file?.endsWith('log.db') ?? false;

function afterCommit(file: string | null): void {
  if (delayMs > 0 && isLog(file)) Atomics.wait(nobody, 0, 0, delayMs);
}

/** The common part of all drivers' databases. */
interface Preparing {
  prepare(sql: string): { run(...parameters: unknown[]): unknown };
}

type NodeDatabase = Preparing & { location(): string | null };
interface NodeSqlite {
  readonly DatabaseSync: { new (...args: unknown[]): NodeDatabase; readonly prototype: NodeDatabase };
}

const require = createRequire(import.meta.url);
const patches: readonly (() => void)[] = [
  () => {
    const { prototype } = require('better-sqlite3') as { readonly prototype: Preparing & { readonly name: string } };
    patchCommits(prototype, ({ name }) => name);
  },
  delayLoaded,
  () => {
    // Node 22 prints a warning when it is loaded; there it is skipped.
    if (Number(process.versions.node.split('.')[0]) >= 24)
      patchNodeSqlite(process.getBuiltinModule('node:sqlite') as unknown as NodeSqlite);
  },
];

/** Must be called before the first database is opened. */
export function patchDrivers(): void {
  for (const patch of patches)
    try {
      patch();
    } catch {
      // Not installed.
    }
}

const patchNodeSqlite = ({ DatabaseSync }: NodeSqlite): void => patchCommits(DatabaseSync.prototype, (database) => database.location());

/** Native classes are constant: each database gets its own `prepare`. */
function delayLoaded(): void {
  const { dlopen } = process;
  process.dlopen = (module, ...rest) => {
    dlopen(module, ...rest);
    const loaded = module as { exports: Partial<NodeSqlite> };
    const { DatabaseSync } = loaded.exports;
    if (DatabaseSync === undefined) return;
    const construct = (target: NodeSqlite['DatabaseSync'], args: unknown[]): object => {
      const database = Reflect.construct(target, args);
      const prepare = database.prepare.bind(database);
      return Object.defineProperty(database, 'prepare', { value: (sql: string) => delayed(sql, prepare(sql), () => database.location()) });
    };
    loaded.exports = { ...loaded.exports, DatabaseSync: new Proxy(DatabaseSync, { construct }) };
  };
}

function patchCommits<D extends Preparing>(prototype: D, fileOf: (database: D) => string | null): void {
  const { prepare } = prototype;
  prototype.prepare = function (this: D, sql: string) {
    return delayed(sql, prepare.call(this, sql), () => fileOf(this));
  };
}

function delayed(sql: string, statement: ReturnType<Preparing['prepare']>, file: () => string | null): ReturnType<Preparing['prepare']> {
  if (sql !== 'COMMIT') return statement;
  return {
    run: () => {
      const result = statement.run();
      afterCommit(file());
      return result;
    },
  };
}
