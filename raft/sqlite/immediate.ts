import type { SqliteConnection } from './connection.js';

/** SQLite has already undone the transaction after some failures, such as the disk's. */
export interface Undoing extends Pick<SqliteConnection, 'begin' | 'commit'> {
  undo(): void;
}

/** better-sqlite3's own `transaction` creates four functions for each use. */
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
