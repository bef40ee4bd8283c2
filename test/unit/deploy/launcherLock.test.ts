import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DirectoryInUse, lockDirectory } from '../../../deploy/launcherLock.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('deploy/launcherLock', () => {
  it('refuses a second owner with the process id of the first, until it is released', () => {
    const directory = temporaryDirectory('lock');
    const unlock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).to.throw(DirectoryInUse, `process ${process.pid}`);
    unlock();
    lockDirectory(directory)();
  });

  it('takes over from a process that has ended', () => {
    const directory = temporaryDirectory('lock');
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    fs.writeFileSync(path.join(directory, 'launcher.lock'), JSON.stringify({ pid: ended, startedAt: '1' }));
    lockDirectory(directory)();
  });

  it('takes over when the process id belongs to another process by now', function () {
    if (!fs.existsSync('/proc/self/stat')) this.skip();
    const directory = temporaryDirectory('lock');
    fs.writeFileSync(path.join(directory, 'launcher.lock'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    lockDirectory(directory)();
  });

  it('takes over a half-written lock', () => {
    const directory = temporaryDirectory('lock');
    fs.writeFileSync(path.join(directory, 'launcher.lock'), '{"pid":');
    lockDirectory(directory)();
  });
});
