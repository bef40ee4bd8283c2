import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ManagedProcess } from '../../../deploy/managedProcess.js';

async function seen(environment: Readonly<Record<string, string>>): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'managed-'));
  const [program, log] = [path.join(folder, 'program.mjs'), path.join(folder, 'log')];
  fs.writeFileSync(program, "process.stdout.write(`${process.env['MALLOC_MMAP_THRESHOLD_']}`);\nprocess.disconnect();\n");
  try {
    await new Promise<void>((resolve) => {
      new ManagedProcess({ name: 'program', role: 'apiserver', address: null, program, args: [], log, environment }, () =>
        resolve(),
      ).start();
    });
    return fs.readFileSync(log, 'utf8');
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

describe('a program in a process of its own', () => {
  it('takes large blocks from the system and not from the heap, unless told otherwise', async () => {
    expect(await seen({})).to.equal('131072');
    expect(await seen({ MALLOC_MMAP_THRESHOLD_: '65536' })).to.equal('65536');
  });
});
