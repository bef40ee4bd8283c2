import type { SqliteConnection, Statement } from './connection.js';

/** Returns the part of a SELECT for a text that may hold NUL characters; `prepareWhole` converts it back. */
export const wholeText = ({ cutsTexts }: SqliteConnection, column: string, name = column): string =>
  cutsTexts ? `CAST(${column} AS BLOB) AS ${name}` : `${column} AS ${name}`;

/** Other texts of its rows must not be bytes. */
export function prepareWhole<P extends unknown[], R>(
  db: SqliteConnection,
  sql: string,
  columns: readonly (keyof R & string)[],
): Statement<P, R> {
  const statement = db.prepare<P, R>(sql);
  if (!db.cutsTexts) return statement;
  const whole = (row: R): R => ({ ...row, ...Object.fromEntries(columns.map((name) => [name, textOf(row[name])])) });
  return {
    run: (...parameters) => statement.run(...parameters),
    get: (...parameters) => {
      const row = statement.get(...parameters);
      return row === undefined ? undefined : whole(row);
    },
    all: (...parameters) => statement.all(...parameters).map(whole),
    *iterate(...parameters) {
      for (const row of statement.iterate(...parameters)) yield whole(row);
    },
  };
}

const textOf = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString() : value;
