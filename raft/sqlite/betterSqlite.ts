import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';
import type { OpenOptions, SqliteConnection, SqliteDriver, Statement } from './connection.js';

/** A package with native code: from a binary of its authors, or compiled where it is installed. Either fits one version of Node. */
export const betterSqlite: SqliteDriver = {
  name: 'better-sqlite3',
  load() {
    // Not imported: it is missing where it could neither be downloaded nor compiled.
    const Constructor = createRequire(import.meta.url)('better-sqlite3') as typeof Database;
    return (path, options) => new BetterSqliteConnection(Constructor, path, options);
  },
};

class BetterSqliteConnection implements SqliteConnection {
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
    // Not `transaction`, which makes four functions for each use.
    this.begin();
    try {
      const result = change();
      this.commit();
      return result;
    } catch (error) {
      // SQLite has undone it already after some failures, such as that of the disk.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  begin(): void {
    (this.#begin ??= this.#db.prepare('BEGIN IMMEDIATE')).run();
  }

  commit(): void {
    (this.#commit ??= this.#db.prepare('COMMIT')).run();
  }

  async backup(path: string, slice: () => number): Promise<void> {
    await this.#db.backup(path, { progress: slice });
  }

  close(): void {
    this.#db.close();
  }
}
