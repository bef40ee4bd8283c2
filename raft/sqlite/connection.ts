/** What the log and the store ask of SQLite, whichever driver is under it. All calls are synchronous but `backup`: order is then plain to see. */

/** A prepared statement. `P` are its parameters: values in order, or one object of named ones. */
export interface Statement<P extends unknown[], R = unknown> {
  run(...parameters: P): unknown;
  /** The first row. Pragmas that return no row still take effect. */
  get(...parameters: P): R | undefined;
  all(...parameters: P): R[];
  /** Rows as they are read. Nothing else may use the connection before the end of it. */
  iterate(...parameters: P): Iterable<R>;
}

export interface SqliteConnection {
  /** As it was given when the file was opened. */
  readonly path: string;
  exec(sql: string): void;
  /** Valid until `close`. Rows are objects by column name; blobs are byte arrays of their own. */
  prepare<P extends unknown[], R = unknown>(sql: string): Statement<P, R>;
  /** Runs a pragma to its end. Returns the first column of its first row. */
  pragma(source: string): unknown;
  /** Runs `change` in a transaction that is the only writer from its beginning; what it throws undoes everything. */
  immediate<T>(change: () => T): T;
  /** Begins such a transaction, which lasts until `commit`; `close` undoes what was not committed. */
  begin(): void;
  commit(): void;
  /**
   * Copies the database to another file, some pages at a time. Writes by this connection go on meanwhile and reach the copy. `slice` is called between the
   * slices and says how many pages the next one has; what it throws ends the copy.
   */
  backup(path: string, slice: () => number): Promise<void>;
  close(): void;
}

export interface OpenOptions {
  /** Writes nothing, not even what SQLite would keep beside the file. */
  readonly readOnly?: boolean;
  /** Throws rather than making a file. */
  readonly mustExist?: boolean;
}

/** One way to have SQLite in a Node process. */
export interface SqliteDriver {
  readonly name: 'better-sqlite3' | 'node:sqlite';
  /** Throws with the reason when this Node or this installation does not have it. */
  load(): (path: string, options?: OpenOptions) => SqliteConnection;
}
