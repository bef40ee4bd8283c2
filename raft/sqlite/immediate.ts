import type { SqliteConnection } from './connection.js';

/** How a connection undoes a transaction that is still open; SQLite has undone it already after some failures, such as that of the disk. */
export interface Undoing extends Pick<SqliteConnection, 'begin' | 'commit'> {
  undo(): void;
}

/** `immediate` of both drivers: by statements that are prepared once, where better-sqlite3's own `transaction` makes four functions for each use. */
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
