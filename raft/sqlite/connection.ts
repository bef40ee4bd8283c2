/** All calls are synchronous. */

export interface Statement<P extends unknown[], R = unknown> {
  run(...parameters: P): unknown;
  /** Pragmas without a row still take effect. */
  get(...parameters: P): R | undefined;
  all(...parameters: P): R[];
  /** Nothing else may use the connection until the end. */
  iterate(...parameters: P): Iterable<R>;
}

export interface SqliteConnection {
  readonly path: string;
  /** Reads texts up to their first NUL character only, as in Node 22 (`wholeTexts.ts`). */
  readonly cutsTexts: boolean;
  exec(sql: string): void;
  /** Rows are objects by column name; blobs are separate byte arrays. */
  prepare<P extends unknown[], R = unknown>(sql: string): Statement<P, R>;
  /** Returns the first column of its first row. */
  pragma(source: string): unknown;
  /** An exception undoes everything. */
  immediate<T>(change: () => T): T;
  /** `close` undoes an uncommitted one. */
  begin(): void;
  commit(): void;
  close(): void;
}

export interface OpenOptions {
  /** Writes nothing, not even SQLite's companion files. */
  readonly readOnly?: boolean;
  readonly mustExist?: boolean;
}

export interface SqliteDriver {
  readonly name: 'better-sqlite3' | 'node:sqlite' | '@photostructure/sqlite';
  load(): (path: string, options?: OpenOptions) => SqliteConnection;
}
