import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chooseSqlite, sqliteVariable } from '../../../../raft/sqlite/driver.js';

const exiting = fileURLToPath(new URL('./exiting.js', import.meta.url));

describe('a thread that uses SQLite by @photostructure/sqlite', () => {
  before(function () {
    try {
      chooseSqlite('@photostructure/sqlite');
    } catch {
      this.skip();
    }
  });

  it('ends with its process, which keeps its status', () => {
    const env = { ...process.env, [sqliteVariable]: '@photostructure/sqlite' };
    const ends = Array.from({ length: 8 }, () => {
      const { status, signal, stderr } = spawnSync(process.execPath, [exiting], { encoding: 'utf8', env });
      return { status, signal, stderr };
    });
    expect(ends).to.deep.equal(Array(8).fill({ status: 7, signal: null, stderr: '' }));
  });
});
