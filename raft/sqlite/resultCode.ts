/** Drivers report the name or the number (https://www.sqlite.org/rescode.html). */
const names = [
  'OK',
  'ERROR',
  'INTERNAL',
  'PERM',
  'ABORT',
  'BUSY',
  'LOCKED',
  'NOMEM',
  'READONLY',
  'INTERRUPT',
  'IOERR',
  'CORRUPT',
  'NOTFOUND',
  'FULL',
  'CANTOPEN',
  'PROTOCOL',
  'EMPTY',
  'SCHEMA',
  'TOOBIG',
  'CONSTRAINT',
  'MISMATCH',
  'MISUSE',
  'NOLFS',
  'AUTH',
  'FORMAT',
  'RANGE',
  'NOTADB',
] as const;

export type ResultCode = (typeof names)[number];

/** Null for errors that are not SQLite's. */
export function resultCodeOf(error: unknown): ResultCode | null {
  if (!(error instanceof Error)) return null;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') return names[errcode & 0xff] ?? 'ERROR';
  if (error.name !== 'SqliteError' || typeof code !== 'string') return null;
  const [, primary] = /^SQLITE_([A-Z]+)/.exec(code) ?? [];
  return names.find((name) => name === primary) ?? 'ERROR';
}
