/** SQLite for log and store over any driver. All calls but `backup` are synchronous. */

/** `P` are the parameters: values in order, or one object of named ones. */
export interface Statement<P extends unknown[], R = unknown> {
  run(...parameters: P): unknown;
  /** Returns the first row. Pragmas without a row still take effect. */
  get(...parameters: P): R | undefined;
  all(...parameters: P): R[];
  /** Yields rows as they are read. Nothing else may use the connection until the end. */
  iterate(...parameters: P): Iterable<R>;
}

export interface SqliteConnection {
  /** The path given when the file was opened. */
  readonly path: string;
  /** Whether a text that is read ends at its first NUL character, as in Node 22. Texts that may hold one are then read as bytes (`wholeTexts.ts`). */
  readonly cutsTexts: boolean;
  exec(sql: string): void;
  /** Valid until `close`. Rows are objects by column name; blobs are separate byte arrays. */
  prepare<P extends unknown[], R = unknown>(sql: string): Statement<P, R>;
  /** Runs a pragma to its end. Returns the first column of its first row. */
  pragma(source: string): unknown;
  /** Runs `change` in a transaction that is the only writer from its beginning; an exception undoes everything. */
  immediate<T>(change: () => T): T;
  /** Begins such a transaction, which lasts until `commit`; `close` undoes an uncommitted one. */
  begin(): void;
  commit(): void;
  /**
   * Copies the database in slices while this connection's writes go on and reach the copy. `slice` returns the pages of the next slice; its exception ends the
   * copy.
   */
  backup(path: string, slice: () => number): Promise<void>;
  close(): void;
}

export interface OpenOptions {
  /** Writes nothing, not even SQLite's companion files. */
  readonly readOnly?: boolean;
  /** Throws instead of creating a file. */
  readonly mustExist?: boolean;
}

export interface SqliteDriver {
  readonly name: 'better-sqlite3' | 'node:sqlite';
  /** Throws with the reason if this Node or installation lacks it. */
  load(): (path: string, options?: OpenOptions) => SqliteConnection;
}
