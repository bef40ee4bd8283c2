import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

describe('cluster/testing library: what is left', () => {
  const door = fileURLToPath(new URL('../../deploy/testing/index.js', import.meta.url));
  const run = (text: string, temporary: string): string =>
    execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', `import * as lib from ${JSON.stringify(door)};\n${text}`], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary },
    });

  it('is nothing: no handle, no open file, no folder, after several side by side, again and again', () => {
    const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'));
    const text = `
      import fs from 'node:fs';
      const open = () => fs.readdirSync('/proc/self/fd').length;
      const round = async () => { const all = await Promise.all([lib.startApiServer(), lib.startApiServer()]); await all[0].apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }); await Promise.all(all.map(one => one.stop())); };
      await round();
      const before = open();
      for (let turn = 0; turn < 3; turn++) await round();
      console.log(JSON.stringify({ files: open() - before, handles: process.getActiveResourcesInfo().filter(kind => kind !== 'PipeWrap'), left: fs.readdirSync(process.env.TMPDIR) }));`;
    expect(JSON.parse(run(text, temporary))).to.deep.equal({ files: 0, handles: [], left: [] });
    fs.rmSync(temporary, { recursive: true });
  });

  it('is nothing after fifty rounds: no handle, file, folder, child or port, and memory is flat', function () {
    this.timeout(900_000);
    const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'));
    const text = `
      import fs from 'node:fs';
      import net from 'node:net';
      const open = () => fs.readdirSync('/proc/self/fd').length;
      const children = () => fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').filter(Boolean).length;
      const memory = () => { globalThis.gc(); const { heapUsed, rss } = process.memoryUsage(); return { heapUsed, rss }; };
      const ports = [];
      const round = async (options) => {
        const one = await lib.startApiServer(options);
        ports.push(Number(new URL(one.url).port));
        await one.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
        await one.stop();
      };
      for (let turn = 0; turn < 10; turn++) await round({ inProcess: turn > 0 });
      const before = { files: open(), ...memory() };
      for (let turn = 0; turn < 40; turn++) await round({ inProcess: turn % 20 !== 0 });
      const after = memory();
      const handles = process.getActiveResourcesInfo().filter(kind => kind !== 'PipeWrap');
      const listening = await Promise.all(ports.map(port => new Promise(resolve => net.connect(port, '127.0.0.1').on('connect', () => resolve(true)).on('error', () => resolve(false)))));
      console.log(JSON.stringify({
        files: open() - before.files, children: children(), ports: listening.filter(Boolean).length, left: fs.readdirSync(process.env.TMPDIR),
        handles, heapKept: after.heapUsed - before.heapUsed, rssKept: after.rss - before.rss,
      }));`;
    const { heapKept, rssKept, ...left } = JSON.parse(run(text, temporary)) as Record<string, number>;
    expect(left).to.deep.equal({ files: 0, children: 0, ports: 0, left: [], handles: [] });
    const mebibyte = 2 ** 20;
    // A server has some 100 MB, so forty leaks, even of a tenth, would show.
    expect(heapKept, 'heap').to.be.below(10 * mebibyte);
    expect(rssKept, 'resident memory').to.be.below(200 * mebibyte);
    fs.rmSync(temporary, { recursive: true });
  });

  it('is nothing after a test process that forgot to stop, and ended', () => {
    const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'));
    run('await lib.startApiServer(); process.exit(0);', temporary);
    expect(fs.readdirSync(temporary)).to.deep.equal([]);
    fs.rmSync(temporary, { recursive: true });
  });

  it('is nothing when a server does not start, and the error says why', () => {
    const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'));
    const text =
      "import fs from 'node:fs';\nconst error = await lib.startApiServer({ apiserverFlags: ['--no-such-flag'] }).then(() => null, e => e.message); console.log(JSON.stringify({ error, left: fs.readdirSync(process.env.TMPDIR) }));";
    const { error, left } = JSON.parse(run(text, temporary)) as { readonly error: string; readonly left: readonly string[] };
    expect(error).to.contain('r1 did not start: it ended with status 1').and.to.contain('no-such-flag');
    expect(left).to.deep.equal([]);
    fs.rmSync(temporary, { recursive: true });
  });
});
