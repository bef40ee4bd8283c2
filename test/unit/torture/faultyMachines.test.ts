import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openSqlite } from '../../../raft/sqlite/driver.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { FaultyMachines, type DiskFault } from '../../torture/disk/faultyMachines.js';
import { nothingMore } from '../../torture/disk/losePower.js';

interface Bench {
  readonly machines: FaultyMachines;
  readonly directory: string;
  /** The directory on the machine's disk. */
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
}

function bench(): Bench | null {
  const directory = fs.realpathSync(temporaryDirectory('machines'));
  const machines = FaultyMachines.make(path.join(directory, 'control'));
  const data = path.join(directory, 'data');
  fs.mkdirSync(data);
  return machines === null ? null : { machines, directory, data, env: { ...process.env, ...machines.environment('a', data) } };
}

describe('torture/faultyMachines', function () {
  it('fails for files below its directory alone, in the way it is told to', function () {
    const on = bench();
    if (on === null) this.skip();
    const program = `
      const fs = require('node:fs');
      const tried = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
      const answers = process.argv.slice(1).map((name) => {
        const file = fs.openSync(name, 'w');
        return [tried(() => fs.writeSync(file, 'x')), tried(() => fs.fdatasyncSync(file))];
      });
      process.stdout.write(JSON.stringify(answers));
    `;
    const answers = (state: DiskFault | 'good'): unknown => {
      on.machines.setDisk('a', state, 1);
      return JSON.parse(
        spawnSync(process.execPath, ['-e', program, path.join(on.data, 'one'), path.join(on.directory, 'other')], {
          env: on.env,
          encoding: 'utf8',
        }).stdout,
      );
    };
    const good = ['done', 'done'];
    expect(answers('good')).to.deep.equal([good, good]);
    expect(answers('slow')).to.deep.equal([good, good]);
    expect(answers('full')).to.deep.equal([['ENOSPC', 'done'], good]);
    expect(answers('syncFails')).to.deep.equal([['done', 'EIO'], good]);
  });

  it('moves the wall clock of a running process, there and back, and neither its other clocks nor its timers', async function () {
    const on = bench();
    if (on === null) this.skip();
    // A timer of an hour must not fire when the clock moves by a day.
    const program = `
      let rang = false;
      setTimeout(() => { rang = true; }, 3600000);
      process.stdin.on('data', () => setTimeout(() => console.log(JSON.stringify({ wall: Date.now(), date: new Date().getTime(), steady: performance.now(), hr: Number(process.hrtime.bigint() / 1000000n), rang })), 20));
    `;
    const child = spawn(process.execPath, ['-e', program], { env: on.env, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (): Promise<Record<'wall' | 'date' | 'steady' | 'hr', number> & { readonly rang: boolean }> => {
      child.stdin.write('?');
      return JSON.parse((await lines.next()).value as string) as Awaited<ReturnType<typeof ask>>;
    };
    const day = 86_400_000;
    try {
      let before = await ask();
      for (const jump of [day, -2 * day, 5_250, day - 5_250]) {
        on.machines.jumpClock('a', jump);
        const after = await ask();
        const passed = after.steady - before.steady;
        expect(after.wall - before.wall - jump).to.be.closeTo(passed, 1_000);
        expect(after.date - after.wall).to.be.within(0, 1_000);
        expect(after.hr - before.hr).to.be.closeTo(passed, 1_000);
        expect(after.rang).to.equal(false);
        before = after;
      }
    } finally {
      child.kill('SIGKILL');
    }
  });
});

/** Runs `program` on a machine, then loses power and unsynced data. `data` is its directory; `fs` and `path` are defined. */
function afterLoss(on: Bench, program: string): readonly string[] {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      '-e',
      `const fs = require('node:fs'), path = require('node:path'), data = ${JSON.stringify(on.data)}; (async () => { ${program}; process.kill(process.pid, 'SIGKILL') })()`,
    ],
    { env: on.env, encoding: 'utf8' },
  );
  expect(status, stderr).to.equal(null);
  on.machines.losePower('a', on.data, nothingMore);
  return fs
    .readdirSync(on.data)
    .sort()
    .map((name) => `${name}: ${fs.readFileSync(path.join(on.data, name), 'utf8')}`);
}

const syncData = 'fs.fsyncSync(fs.openSync(data, "r"))';

describe('torture/losePower', function () {
  it('takes what was not synced, and leaves what was', function () {
    const on = bench();
    if (on === null) this.skip();
    const write = (sync: string): readonly string[] =>
      afterLoss(
        on,
        `
      const file = fs.openSync(path.join(data, 'file'), 'a+');
      fs.writeSync(file, 'synced;'); fs.fsyncSync(file); ${syncData};
      fs.writeSync(file, 'later;'); ${sync};
    `,
      );
    expect(write('')).to.deep.equal(['file: synced;']);
    expect(write('fs.fdatasyncSync(file)')).to.deep.equal(['file: synced;synced;later;']);
    expect(write('fs.fsyncSync(fs.openSync(path.join(data, "file"), "r"))'), 'through another descriptor').to.deep.equal([
      'file: synced;synced;later;synced;later;',
    ]);
  });

  it('puts back what was overwritten, cut off and emptied, whichever call did it', function () {
    const on = bench();
    if (on === null) this.skip();
    const changes = [
      'fs.writeSync(fs.openSync(file, "r+"), "xx", 1)',
      'fs.writeSync(fs.openSync(file, "r+"), "xx")',
      'fs.writevSync(fs.openSync(file, "r+"), [Buffer.from("y"), Buffer.from("z")], 2)',
      'fs.writevSync(fs.openSync(file, "r+"), [Buffer.from("y"), Buffer.from("z")])',
      'fs.truncateSync(file, 2)',
      'fs.truncateSync(file, 100)',
      'fs.writeFileSync(file, "new")',
      'fs.appendFileSync(file, "more")',
    ];
    const begin = `const file = path.join(data, 'file'), one = fs.openSync(file, 'w'); fs.writeSync(one, '0123456789'); fs.fsyncSync(one); ${syncData}`;
    for (const change of [...changes, changes.join(';')])
      expect(afterLoss(on, `${begin}; ${change}`), change).to.deep.equal(['file: 0123456789']);
  });

  it('takes names that their directory was not synced for, whatever happened to them', function () {
    const on = bench();
    if (on === null) this.skip();
    const make = (name: string): string =>
      `{ const file = fs.openSync(path.join(data, '${name}'), 'w'); fs.writeSync(file, '${name}'); fs.fsyncSync(file); }`;
    const at = (name: string): string => `path.join(data, '${name}')`;
    const begin = `${make('a')} ${make('b')} ${syncData}`;
    const changes = [
      make('c'),
      `fs.unlinkSync(${at('a')})`,
      `fs.renameSync(${at('a')}, ${at('c')})`,
      `fs.renameSync(${at('a')}, ${at('b')})`,
      `fs.linkSync(${at('a')}, ${at('c')})`,
    ];
    for (const change of [...changes, `${changes[2]!}; fs.unlinkSync(${at('c')}); ${make('c')} fs.unlinkSync(${at('b')}); ${make('b')}`]) {
      expect(afterLoss(on, `${begin}; ${change}`), change).to.deep.equal(['a: a', 'b: b']);
    }
    expect(afterLoss(on, `${begin}; fs.renameSync(${at('a')}, ${at('b')}); ${syncData}`)).to.deep.equal(['b: a']);
  });

  it('remembers what earlier processes wrote, as the kernel does', function () {
    const on = bench();
    if (on === null) this.skip();
    const program = `const fs = require('node:fs'), file = ${JSON.stringify(path.join(on.data, 'file'))}; fs.appendFileSync(file, 'x');`;
    for (const turn of [1, 2, 3])
      expect(
        spawnSync(
          process.execPath,
          ['-e', `${program} if (${turn} === 1) { fs.fsyncSync(fs.openSync(file)); ${syncData.replace('data', JSON.stringify(on.data))} }`],
          { env: on.env },
        ).status,
      ).to.equal(0);
    expect(fs.readFileSync(path.join(on.data, 'file'), 'utf8')).to.equal('xxx');
    expect(on.machines.losePower('a', on.data, nothingMore)).to.deep.equal({ files: 1, names: 0 });
    expect(fs.readFileSync(path.join(on.data, 'file'), 'utf8')).to.equal('x');
  });

  it('makes SQLite lose acknowledged rows unless it syncs', function () {
    const on = bench();
    if (on === null) this.skip();
    const rows = (synchronous: string): number => {
      const driver = JSON.stringify(new URL('../../../raft/sqlite/driver.js', import.meta.url).href);
      const file = JSON.stringify(path.join(on.data, `${synchronous}.db`));
      const begin = `const { openSqlite } = await import(${driver}), db = openSqlite(${file}); db.pragma('locking_mode = EXCLUSIVE'); db.pragma('journal_mode = WAL');`;
      afterLoss(on, `${begin} db.pragma('synchronous = FULL'); db.exec('CREATE TABLE t (x)')`);
      afterLoss(
        on,
        `${begin} db.pragma('synchronous = ${synchronous}'); for (let x = 0; x < 20; x++) db.prepare('INSERT INTO t VALUES (?)').run(x)`,
      );
      const db = openSqlite(path.join(on.data, `${synchronous}.db`), { readOnly: true });
      try {
        return db.prepare<[], { readonly n: number }>('SELECT count(*) AS n FROM t').get()!.n;
      } finally {
        db.close();
      }
    };
    expect([rows('OFF'), rows('NORMAL'), rows('FULL')]).to.deep.equal([0, 0, 20]);
  });
});
