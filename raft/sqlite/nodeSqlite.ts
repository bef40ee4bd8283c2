import { existsSync } from 'node:fs';
import type { OpenOptions, SqliteConnection, SqliteDriver, Statement } from './connection.js';
import { immediate, type Undoing } from './immediate.js';

interface NodeDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement<unknown[]>;
  close(): void;
}
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => NodeDatabase;
  /** Absent before Node 22.16. */
  readonly backup?: (db: NodeDatabase, path: string, options: { readonly rate: number; readonly progress: () => void }) => Promise<number>;
}

/** A part of Node since 22.5. It copies databases since 22.16; in Node 22 it cuts texts at a NUL character. */
export const nodeSqlite: SqliteDriver = {
  name: 'node:sqlite',
  load() {
    const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined);
    if (sqlite === undefined) throw new Error(`Node ${process.versions.node} does not have it; Node 22 and 24 do`);
    if (sqlite.backup === undefined) throw new Error(`that of Node ${process.versions.node} cannot copy databases; that of Node 22.16 can`);
    const cutsTexts = !readsWholeTexts(sqlite);
    return (path, options) => new NodeSqliteConnection({ sqlite, cutsTexts }, path, options);
  },
};

function readsWholeTexts({ DatabaseSync }: NodeSqlite): boolean {
  const db = new DatabaseSync(':memory:', { readOnly: false });
  try {
    return (db.prepare("SELECT 'a' || char(0) || 'b' AS text").get() as { readonly text: string }).text.length === 3;
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
  readonly #sqlite: NodeSqlite;
  readonly #db: NodeDatabase;
  #closed = false;
  #turns: Record<'begin' | 'commit' | 'rollback', Statement<[]>> | null = null;

  readonly cutsTexts: boolean;

  constructor(
    { sqlite, cutsTexts }: { readonly sqlite: NodeSqlite; readonly cutsTexts: boolean },
    readonly path: string,
    { readOnly = false, mustExist = readOnly }: OpenOptions = {},
  ) {
    if (mustExist && !existsSync(path)) throw new Error(`there is no file ${path}`);
    this.#sqlite = sqlite;
    this.cutsTexts = cutsTexts;
    this.#db = new sqlite.DatabaseSync(path, { readOnly });
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare<P extends unknown[], R>(sql: string): Statement<P, R> {
    return this.#db.prepare(sql) as Statement<unknown[]> as Statement<P, R>;
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

  async backup(path: string, slice: () => number): Promise<void> {
    const progress = (): void => {
      if (this.#closed) throw new Error('the database was closed while it was copied');
      slice();
    };
    await this.#sqlite.backup!(this.#db, path, { rate: slice(), progress });
  }

  /** A copy in progress ends with its next slice. */
  close(): void {
    this.#closed = true;
    this.#db.close();
  }
}
