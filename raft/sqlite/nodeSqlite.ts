import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { OpenOptions, SqliteConnection, SqliteDriver, Statement } from './connection.js';
import { pass } from './gate.js';
import { immediate, type Undoing } from './immediate.js';
import { bindingWhole } from './wholeTexts.js';

interface NodeDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement<unknown[]>;
  close(): void;
}
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => NodeDatabase;
}

/** A part of Node since 22.5. In Node 22 it cuts texts at a NUL character when it reads them. */
export const nodeSqlite: SqliteDriver = {
  name: 'node:sqlite',
  load: () => {
    const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined);
    if (sqlite === undefined) throw new Error(`Node ${process.versions.node} does not have it; Node 22 and 24 do`);
    return opening(sqlite);
  },
};

/** A package with the same interface. It cuts texts when it binds them too. */
export const packagedSqlite: SqliteDriver = {
  name: '@photostructure/sqlite',
  load: () => {
    const require = createRequire(import.meta.url);
    const bundled = bundledFiles();
    return opening(passing((bundled.length > 0 ? firstThatLoads(require, bundled) : require('@photostructure/sqlite')) as NodeSqlite));
  },
};

/** Made by `deploy/bundle.mjs`, for each C library. */
const bundledFiles = (): readonly string[] =>
  ['glibc', 'musl']
    .map((library) => fileURLToPath(new URL(`sqlite/${process.platform}-${process.arch}/${library}.node`, import.meta.url)))
    .filter((file) => existsSync(file));

/** Code for another C library does not load. */
function firstThatLoads(require: NodeJS.Require, [file = '', ...others]: readonly string[]): unknown {
  try {
    return require(file);
  } catch (error) {
    try {
      if (others.length > 0) return firstThatLoads(require, others);
    } catch {
      // The first error says more.
    }
    throw error;
  }
}

/** Passes the thread's gate. */
const passing = (sqlite: NodeSqlite): NodeSqlite => ({
  DatabaseSync: class implements NodeDatabase {
    readonly #db: NodeDatabase;

    constructor(...given: ConstructorParameters<NodeSqlite['DatabaseSync']>) {
      this.#db = pass(() => new sqlite.DatabaseSync(...given));
    }

    get isTransaction(): boolean {
      return pass(() => this.#db.isTransaction);
    }

    exec(sql: string): void {
      pass(() => this.#db.exec(sql));
    }

    prepare(sql: string): Statement<unknown[]> {
      const statement = pass(() => this.#db.prepare(sql));
      return {
        run: (...values) => pass(() => statement.run(...values)),
        get: (...values) => pass(() => statement.get(...values)),
        all: (...values) => pass(() => statement.all(...values)),
        *iterate(...values) {
          const rows = pass(() => statement.iterate(...values)[Symbol.iterator]());
          try {
            for (let next = pass(() => rows.next()); next.done !== true; next = pass(() => rows.next())) yield next.value;
          } finally {
            pass(() => rows.return?.());
          }
        },
      };
    }

    close(): void {
      pass(() => this.#db.close());
    }
  },
});

function opening(sqlite: NodeSqlite): ReturnType<SqliteDriver['load']> {
  const traits = { sqlite, ...cutsOf(sqlite) };
  return (path, options) => new NodeSqliteConnection(traits, path, options);
}

interface Cuts {
  readonly cutsTexts: boolean;
  readonly cutsBoundTexts: boolean;
}

function cutsOf({ DatabaseSync }: NodeSqlite): Cuts {
  const db = new DatabaseSync(':memory:', { readOnly: false });
  try {
    const { text, bytes } = db.prepare("SELECT 'a' || char(0) || 'b' AS text, CAST(? AS BLOB) AS bytes").get('a\0b') as {
      readonly text: string;
      readonly bytes: Uint8Array;
    };
    return { cutsTexts: text.length < 3, cutsBoundTexts: bytes.length < 3 };
  } finally {
    db.close();
  }
}

function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

class NodeSqliteConnection implements SqliteConnection, Undoing {
  readonly #db: NodeDatabase;
  readonly #cutsBoundTexts: boolean;
  #turns: Record<'begin' | 'commit' | 'rollback', Statement<[]>> | null = null;

  readonly cutsTexts: boolean;

  constructor(
    { sqlite, cutsTexts, cutsBoundTexts }: Cuts & { readonly sqlite: NodeSqlite },
    readonly path: string,
    { readOnly = false, mustExist = readOnly }: OpenOptions = {},
  ) {
    if (mustExist && !existsSync(path)) throw new Error(`there is no file ${path}`);
    this.cutsTexts = cutsTexts;
    this.#cutsBoundTexts = cutsBoundTexts;
    this.#db = new sqlite.DatabaseSync(path, { readOnly });
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare<P extends unknown[], R>(sql: string): Statement<P, R> {
    const prepare = (text: string): Statement<P, R> => this.#db.prepare(text) as Statement<unknown[]> as Statement<P, R>;
    return this.#cutsBoundTexts ? bindingWhole(prepare, sql) : prepare(sql);
  }

  pragma(source: string): unknown {
    // Some pragmas work row by row.
    const [row] = this.#db.prepare(`PRAGMA ${source}`).all() as (Record<string, unknown> | undefined)[];
    return row === undefined ? undefined : Object.values(row)[0];
  }

  immediate<T>(change: () => T): T {
    return immediate(this, change);
  }

  undo(): void {
    if (this.#db.isTransaction) this.#turn('rollback').run();
  }

  begin(): void {
    this.#turn('begin').run();
  }

  commit(): void {
    this.#turn('commit').run();
  }

  #turn(name: 'begin' | 'commit' | 'rollback'): Statement<[]> {
    this.#turns ??= {
      begin: this.#db.prepare('BEGIN IMMEDIATE'),
      commit: this.#db.prepare('COMMIT'),
      rollback: this.#db.prepare('ROLLBACK'),
    };
    return this.#turns[name];
  }

  close(): void {
    this.#db.close();
  }
}
