import { betterSqlite } from './betterSqlite.js';
import type { OpenOptions, SqliteConnection, SqliteDriver } from './connection.js';
import { nodeSqlite, packagedSqlite } from './nodeSqlite.js';
import { errorText } from '../errorText.js';

/** Names the only driver to use, for comparisons. */
export const sqliteVariable = 'RAFTPLANE_SQLITE';

const byPreference: readonly SqliteDriver[] = [betterSqlite, nodeSqlite, packagedSqlite];
/** The first version that reports the length of the write-ahead file without changing it (`PRAGMA wal_checkpoint(NOOP)`). */
const oldestVersion = [3, 51] as const;

const remedy =
  'Take Node 24 or newer, or a current Node 22, which have an SQLite of their own, or install one beside this package: npm install better-sqlite3 (compiled where no binary is found)';

export interface SqliteChoice {
  readonly name: SqliteDriver['name'];
  readonly version: string;
  readonly passedOver: readonly { readonly name: string; readonly reason: string }[];
  readonly open: (path: string, options?: OpenOptions) => SqliteConnection;
}

/** No driver is usable; the message gives a reason for each, and a remedy. */
export class NoSqliteError extends Error {
  override readonly name = 'NoSqliteError';
}

/** Tries the drivers in order of preference, or the `only` one, with a database in memory. */
export function chooseSqlite(
  only: string | null = process.env[sqliteVariable] || null,
  drivers: readonly SqliteDriver[] = byPreference,
): SqliteChoice {
  const passedOver: { name: string; reason: string }[] = [];
  for (const driver of drivers) {
    try {
      if (only !== null && only !== driver.name) throw new Error(`${sqliteVariable} is ${only}`);
      const open = driver.load();
      return { name: driver.name, version: versionOf(open), passedOver, open };
    } catch (error) {
      const [reason = ''] = errorText(error).split('\n');
      passedOver.push({ name: driver.name, reason });
    }
  }
  const reasons = passedOver.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
  throw new NoSqliteError(`no SQLite can be used here (${reasons}). ${remedy}`);
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

/** Does not wait for locks. */
export function openSqlite(path: string, options?: OpenOptions): SqliteConnection {
  chosen ??= chooseSqlite();
  return chosen.open(path, options);
}
