import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

  it('takes over from a process that has ended and waits to be collected', async function () {
    if (!fs.existsSync('/proc/self/stat')) this.skip();
    const directory = temporaryDirectory('lock');
    // The exec'ed program reaps no child; the shell would, so its child ends afterwards.
    const shell = spawn('sh', ['-c', '(until grep -q sleep /proc/$$/comm; do :; done) & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = Number(String((await once(shell.stdout, 'data'))[0]));
    const fields = (): readonly string[] => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    while (fields()[0] !== 'Z') await delay(1);
    fs.writeFileSync(path.join(directory, 'launcher.lock'), JSON.stringify({ pid, startedAt: fields()[19] }));
    lockDirectory(directory)();
    shell.kill('SIGKILL');
  });

  it('takes over a half-written lock', () => {
    const directory = temporaryDirectory('lock');
    fs.writeFileSync(path.join(directory, 'launcher.lock'), '{"pid":');
    lockDirectory(directory)();
  });
});
