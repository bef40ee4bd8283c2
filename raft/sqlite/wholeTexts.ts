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

type Named = Readonly<Record<string, unknown>>;

const parameter = /\?|@\w+/g;
const isNamed = (value: unknown): value is Named => typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
const holdsNul = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('\0') : isNamed(value) && Object.values(value).some(holdsNul);
const wholeBytes = (value: unknown): unknown => {
  if (isNamed(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, wholeBytes(each)]));
  return typeof value === 'string' && holdsNul(value) ? Buffer.from(value) : value;
};

/**
 * Prepares a statement for a driver that binds texts up to their first NUL character only. For such texts a variant of the statement makes texts of bytes. `sql` has
 * a `?` or an `@` for parameters alone.
 */
export function bindingWhole<P extends unknown[], R>(prepare: (sql: string) => Statement<P, R>, sql: string): Statement<P, R> {
  const statement = prepare(sql);
  const variants = new Map<string, Statement<P, R>>();
  const variantFor = (values: P): Statement<P, R> => {
    let at = 0;
    const valueOf = (name: string): unknown => (name === '?' ? values[at++] : values.find(isNamed)?.[name.slice(1)]);
    const whole = sql.replaceAll(parameter, (name) => (holdsNul(valueOf(name)) ? `CAST(${name} AS TEXT)` : name));
    const variant = variants.get(whole) ?? prepare(whole);
    variants.set(whole, variant);
    return variant;
  };
  const bind = <T>(values: P, use: (bound: Statement<P, R>, values: P) => T): T =>
    values.some(holdsNul) ? use(variantFor(values), values.map(wholeBytes) as P) : use(statement, values);
  return {
    run: (...values) => bind(values, (bound, all) => bound.run(...all)),
    get: (...values) => bind(values, (bound, all) => bound.get(...all)),
    all: (...values) => bind(values, (bound, all) => bound.all(...all)),
    iterate: (...values) => bind(values, (bound, all) => bound.iterate(...all)),
  };
}
