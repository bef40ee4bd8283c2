import { betterSqlite } from './betterSqlite.js';
import type { OpenOptions, SqliteConnection, SqliteDriver } from './connection.js';
import { nodeSqlite } from './nodeSqlite.js';

/** Which SQLite this process uses, and why. docs/decisions/0012-two-drivers.md tells what differs between them. */

/** Names the one driver that may be used: for comparisons. */
export const sqliteVariable = 'RAFTPLANE_SQLITE';

const byPreference: readonly SqliteDriver[] = [betterSqlite, nodeSqlite];
/** The first that tells how long the write-ahead file is without doing anything to it (`PRAGMA wal_checkpoint(NOOP)`). */
const oldestVersion = [3, 51] as const;

export interface SqliteChoice {
  readonly name: SqliteDriver['name'];
  /** Of SQLite itself. */
  readonly version: string;
  /** What would have been taken before it, and the reason why it was not. */
  readonly passedOver: readonly { readonly name: string; readonly reason: string }[];
  readonly open: (path: string, options?: OpenOptions) => SqliteConnection;
}

/** No driver can be used; the message says why for each, and what to do. */
export class NoSqliteError extends Error {
  override readonly name = 'NoSqliteError';
}

/** Tries the drivers in order of preference; `only` names the one that may be taken. Opens a database in memory, which proves that native code fits this Node. */
export function chooseSqlite(
  only: string | undefined = process.env[sqliteVariable],
  drivers: readonly SqliteDriver[] = byPreference,
): SqliteChoice {
  const passedOver: { name: string; reason: string }[] = [];
  for (const driver of drivers) {
    try {
      if (only && only !== driver.name) throw new Error(`${sqliteVariable} is ${only}`);
      const open = driver.load();
      return { name: driver.name, version: versionOf(open), passedOver, open };
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      passedOver.push({ name: driver.name, reason });
    }
  }
  const reasons = passedOver.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
  throw new NoSqliteError(`no SQLite can be used here (${reasons}). Take Node 24 or newer, or run "npm rebuild better-sqlite3"`);
}

function versionOf(open: SqliteChoice['open']): string {
  const db = open(':memory:', { mustExist: false });
  try {
    const version = db.prepare<[], { version: string }>('SELECT sqlite_version() AS version').get()?.version ?? '';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]))
      throw new Error(`it has SQLite ${version}; ${oldestVersion.join('.')} or newer is needed`);
    return version;
  } finally {
    db.close();
  }
}

let chosen: SqliteChoice | null = null;

/** Opens a database file with the driver of this process; nobody waits for a lock. Throws what the driver throws, or NoSqliteError. */
export function openSqlite(path: string, options?: OpenOptions): SqliteConnection {
  chosen ??= chooseSqlite();
  return chosen.open(path, options);
}
