import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteConnection } from './connection.js';
import { UnsupportedFormatError } from './errors.js';
import { draftSuffix, syncPath } from './files.js';

/** Turns tables of one version into those of the next, inside a transaction. */
export type Migration = (db: SqliteConnection) => void;

interface Format {
  readonly name: string;
  /** Identifies the kind in the file's header (https://www.sqlite.org/fileformat2.html#application_id). */
  readonly applicationId: number;
  /** The first one migrates version 1. Released ones never change. */
  readonly migrations: readonly Migration[];
}

export const formatVersion = ({ migrations }: Pick<Format, 'migrations'>): number => migrations.length + 1;

/** Returns the name of the copy that a migration leaves. */
export const copyBefore = (path: string, version: number): string => `${path}.version-${version}`;

/** Returns the file's version, which may be older than this program's. Throws UnsupportedFormatError. */
export function checkFormat(db: SqliteConnection, path: string, format: Format): number {
  const id = db.pragma('application_id');
  if (id !== format.applicationId) throw new UnsupportedFormatError(path, `it is not a ${format.name} (application id ${String(id)})`);
  const version = Number(db.pragma('user_version'));
  const newest = formatVersion(format);
  if (version > newest)
    throw new UnsupportedFormatError(
      path,
      `it has version ${version}, and this program knows versions up to ${newest}: a newer program has written it. Start that program or a newer one; an older one can only join as a new member, with an empty data directory`,
    );
  if (version < 1) throw new UnsupportedFormatError(path, `it has version ${version}, which no program has written`);
  return version;
}

/** Throws UnsupportedFormatError also for an older file, where nothing can be written. */
export function demandCurrentFormat(db: SqliteConnection, path: string, format: Format): void {
  const version = checkFormat(db, path, format);
  if (version < formatVersion(format))
    throw new UnsupportedFormatError(path, `it has version ${version}, and there is no room to migrate it. Make room, and start again`);
}

/** Migrates an older file in one transaction, after a durable copy, which stays. */
export function migrate(db: SqliteConnection, path: string, format: Format): void {
  const version = checkFormat(db, path, format);
  const steps = format.migrations.slice(version - 1);
  if (steps.length === 0) return;
  keepCopy(db, path, copyBefore(path, version));
  db.immediate(() => {
    for (const step of steps) step(db);
    db.pragma(`user_version = ${formatVersion(format)}`);
  });
}

/** SQLite itself copies: closing a second descriptor would end this process's locks (https://www.sqlite.org/howtocorrupt.html, 2.2). */
function keepCopy(db: SqliteConnection, path: string, copy: string): void {
  const draft = `${path}.${randomUUID()}${draftSuffix}`;
  db.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`);
  syncPath(draft);
  renameSync(draft, copy);
  syncPath(dirname(path));
}
