import { expect } from 'chai';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { AllFiles, ContainerFiles } from '../../../../deploy/nodes/containerFiles.js';
import { ran } from '../../../../deploy/nodes/output.js';
import { readTar, writeTar } from '../../../../deploy/nodes/tar.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const part = fc.stringMatching(/^[a-zé][a-z0-9._é-]{0,60}$/);
const file = fc.record({
  path: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
  bytes: fc.uint8Array({ maxLength: 1500 }),
});

describe('deploy/nodes/tar', () => {
  it('reads what it writes, whatever the names and lengths', () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 6 }), (files) => {
        const entries = files.map(({ path: name, bytes }) => ({ path: name, bytes: Buffer.from(bytes) }));
        expect(readTar(writeTar(entries))).to.deep.equal(entries);
      }),
    );
  });

  it('is understood by tar, and understands it', function () {
    const folder = temporaryDirectory('tar');
    try {
      const entries = [
        { path: 'a', bytes: null },
        { path: `a/${'x'.repeat(120)}`, bytes: Buffer.from('long') },
        { path: 'a/b', bytes: Buffer.alloc(513, 7) },
      ];
      execFileSync('tar', ['xf', '-', '-C', folder], { input: writeTar(entries) });
      expect(fs.readFileSync(path.join(folder, 'a', 'x'.repeat(120)), 'utf8')).to.equal('long');
      for (const format of ['pax', 'ustar']) {
        if (format === 'ustar') fs.rmSync(path.join(folder, 'a', 'x'.repeat(120)));
        const read = readTar(execFileSync('tar', ['cf', '-', '--sort=name', `--format=${format}`, '-C', folder, 'a']));
        expect(read.map((entry) => entry.path)).to.deep.equal(
          entries
            .filter((entry) => format === 'pax' || !entry.path.includes('xx'))
            .map((entry) => entry.path)
            .sort(),
        );
        expect(read.find((entry) => entry.path === 'a/b')?.bytes).to.deep.equal(Buffer.alloc(513, 7));
      }
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('refuses what is no archive, or only a part of one', () => {
    const archive = writeTar([{ path: 'a', bytes: Buffer.alloc(600) }]);
    expect(() => readTar(Buffer.alloc(600, 1))).to.throw('does not look like');
    expect(() => readTar(archive.subarray(0, 700))).to.throw('unexpected end');
  });
});

describe('deploy/nodes/containerFiles', () => {
  const pod = { metadata: { name: 'p' } };
  const container = { name: 'c' };

  it('keeps what is unpacked where a command looks for it', () => {
    const files = new ContainerFiles();
    const run = (...words: string[]): readonly [number, string, string] => {
      const { exitCode, stdout, stderr } = ran(words, {
        pod,
        container,
        stdin: writeTar([{ path: 'd/f', bytes: Buffer.from('text') }]),
        files,
      });
      return [exitCode, Buffer.from(stdout as Uint8Array).toString(), stderr];
    };
    expect(run('tar', '-xmf', '-', '-C', '/nowhere')).to.deep.equal([2, '', 'tar: /nowhere: Cannot open: No such file or directory\n']);
    expect(run('tar', '--no-same-owner', '-xmf', '-', '-C', '/tmp')).to.deep.equal([0, '', '']);
    expect(run('cat', '/tmp/d/f')).to.deep.equal([0, 'text', '']);
    expect(run('cat', '/tmp/d/g')[0]).to.equal(1);
    expect(run('ls', '/tmp')).to.deep.equal([0, 'd\n', '']);
    for (const [option, name, code] of [
      ['-d', '/tmp/d', 0],
      ['-d', '/tmp/d/f', 1],
      ['-f', '/tmp/d/f', 0],
      ['-e', '/tmp/e', 1],
    ] as const)
      expect([option, name, run('test', option, name)[0]]).to.deep.equal([option, name, code]);
    expect(readTar(Buffer.from(ran(['tar', 'cf', '-', '/tmp/d'], { pod, container, files }).stdout as Uint8Array))).to.deep.equal([
      { path: 'tmp/d', bytes: null },
      { path: 'tmp/d/f', bytes: Buffer.from('text') },
    ]);
    expect(run('tar', 'cf', '-', '/none')).to.deep.equal([2, '', 'tar: /none: Cannot stat: No such file or directory\n']);
  });

  it('lets the containers go that were used longest ago', () => {
    const all = new AllFiles(10);
    for (const uid of ['a', 'b', 'c']) {
      all.of(uid, 'c').unpack('/', [{ path: 'f', bytes: Buffer.alloc(4) }]);
      all.of('a', 'c');
      all.makeRoom();
    }
    expect(['a', 'b', 'c'].map((uid) => all.of(uid, 'c').file('/f')?.length ?? 0)).to.deep.equal([4, 0, 4]);
  });
});
