import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';
import type { OpenOptions, SqliteConnection, SqliteDriver, Statement } from './connection.js';
import { immediate, type Undoing } from './immediate.js';
import { errorText } from '../errorText.js';

/** Users may install it: native code, downloaded or compiled for one version of Node. */
export const betterSqlite: SqliteDriver = {
  name: 'better-sqlite3',
  load() {
    try {
      const Constructor = createRequire(import.meta.url)('better-sqlite3') as typeof Database;
      new Constructor(':memory:').close();
      return (path, options) => new BetterSqliteConnection(Constructor, path, options);
    } catch (cause) {
      throw new Error(reasonOf(cause), { cause });
    }
  },
};

function reasonOf(error: unknown): string {
  const message = errorText(error);
  if (message.startsWith("Cannot find module 'better-sqlite3'")) return 'it is not installed';
  if (message.includes('NODE_MODULE_VERSION')) return `it was compiled for another Node than this ${process.versions.node}`;
  return message.includes('bindings file') ? 'its native code was not built, because its install script failed or did not run' : message;
}

class BetterSqliteConnection implements SqliteConnection, Undoing {
  readonly cutsTexts = false;
  readonly #db: Database.Database;
  #begin: Database.Statement<[]> | null = null;
  #commit: Database.Statement<[]> | null = null;

  constructor(
    Constructor: typeof Database,
    readonly path: string,
    { readOnly = false, mustExist = readOnly }: OpenOptions = {},
  ) {
    this.#db = new Constructor(path, { readonly: readOnly, fileMustExist: mustExist, timeout: 0 });
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare<P extends unknown[], R>(sql: string): Statement<P, R> {
    return this.#db.prepare<P, R>(sql) as unknown as Statement<P, R>;
  }

  pragma(source: string): unknown {
    return this.#db.pragma(source, { simple: true });
  }

  immediate<T>(change: () => T): T {
    return immediate(this, change);
  }

  undo(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }

  begin(): void {
    (this.#begin ??= this.#db.prepare('BEGIN IMMEDIATE')).run();
  }

  commit(): void {
    (this.#commit ??= this.#db.prepare('COMMIT')).run();
  }

  close(): void {
    this.#db.close();
  }
}
