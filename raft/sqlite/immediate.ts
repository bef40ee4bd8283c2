import type { SqliteConnection } from './connection.js';

/** Undoes an open transaction; after some failures, such as the disk's, SQLite has already undone it. */
export interface Undoing extends Pick<SqliteConnection, 'begin' | 'commit'> {
  undo(): void;
}

/** Implements both drivers' `immediate` with statements prepared once; better-sqlite3's own `transaction` creates four functions for each use. */
export function immediate<T>(connection: Undoing, change: () => T): T {
  connection.begin();
  try {
    const result = change();
    connection.commit();
    return result;
  } catch (error) {
    connection.undo();
    throw error;
  }
}
