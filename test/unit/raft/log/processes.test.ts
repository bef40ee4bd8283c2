import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { InUseError } from '../../../../raft/sqlite/errors.js';
import { contents, open } from './entries.js';
import { removeScratch, scratch } from './scratch.js';

const appender = fileURLToPath(new URL('./appender.js', import.meta.url));

/** Starts the appender and kills it after it has acknowledged `index`. Returns the last acknowledged index. */
async function killedAfter(path: string, index: number, bytes: number): Promise<number> {
  const child = spawn(process.execPath, [appender, path, '100000', String(bytes)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged >= index) child.kill('SIGKILL');
  }
  return acknowledged;
}

describe('raft log across processes', function () {
  afterEach(removeScratch);

  it('loses nothing it acknowledged when it is killed, again and again', async () => {
    const path = join(scratch(), 'log.db');
    let target = 0;
    for (const stride of [1, 40, 300, 900, 7]) {
      target += stride;
      const acknowledged = await killedAfter(path, target, 900);
      const log = open(path);
      expect(acknowledged).to.be.at.least(target);
      expect(log.lastIndex).to.be.at.least(acknowledged);
      // The last group may be stored without acknowledgement, but only as a whole.
      expect(log.lastIndex % 3).to.equal(0);
      for (const line of contents(log).entries) {
        const [index = '', , , data = ''] = line.split('/');
        expect(Buffer.from(data, 'base64').toString()).to.match(new RegExp(`^${index}:`));
      }
      target = log.lastIndex;
      log.close();
    }
  });

  it('does not let a second process in, and is free as soon as the first is dead', async () => {
    const path = join(scratch(), 'log.db');
    const child = spawn(process.execPath, [appender, path, '100000', '100'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      for (let attempt = 0; attempt < 20; attempt += 1) expect(() => open(path)).to.throw(InUseError, path);
    } finally {
      child.kill('SIGKILL');
    }
    child.stdout.resume();
    await exited;
    open(path).close();
  });

  it('syncs the disk at least once for each group', function () {
    const groups = 60;
    const directory = scratch();
    const report = join(directory, 'strace.txt');
    const traced = spawnSync(
      'strace',
      [
        '-f',
        '-c',
        '-e',
        'trace=fsync,fdatasync',
        '-o',
        report,
        process.execPath,
        appender,
        join(directory, 'log.db'),
        String(groups),
        '100',
      ],
      { encoding: 'utf8' },
    );
    if (traced.error !== undefined || traced.status !== 0 || !traced.stdout.includes(`${groups * 3}\n`)) this.skip();
    const calls = [...readFileSync(report, 'utf8').matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*\b(?:fsync|fdatasync)$/gm)].map(
      ([, count]) => Number(count),
    );
    expect(calls.reduce((sum, count) => sum + count, 0)).to.be.at.least(groups);
  });

  it('refuses everything after a failed write, and holds what it acknowledged', () => {
    const path = join(scratch(), 'log.db');
    // 512 KiB for each file, which the write-ahead file exceeds.
    const starved = spawnSync('bash', ['-c', 'ulimit -f 512; exec "$@"', 'bash', process.execPath, appender, path, '1000', '2000'], {
      encoding: 'utf8',
    });
    const lines = starved.stdout.trim().split('\n');
    expect(lines.at(-1)).to.equal('failed DISK_FAILED refused DISK_FAILED');
    const log = open(path);
    expect(log.lastIndex).to.be.at.least(Number(lines.at(-2)));
    log.close();
  });
});
