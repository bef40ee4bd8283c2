import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { nodeOptions } from '../../../deploy/managedProcess.js';

describe('the options of Node for a program', () => {
  const script = `
    const { getHeapSpaceStatistics } = require('node:v8');
    const kept = [];
    for (let each = 0; each < 200; each += 1) {
      kept[each % 6] = Array.from({ length: 40_000 }, (_, at) => ({ at: [at] }));
    }
    console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);`;
  const youngBytes = (options: string): number =>
    Number(execFileSync(process.execPath, ['-e', script], { env: { NODE_OPTIONS: options }, encoding: 'utf8' }));
  const mebibyte = 1024 * 1024;

  it('bound the young generation, and those of the user win', () => {
    expect(youngBytes(nodeOptions())).to.equal(32 * mebibyte);
    expect(youngBytes(nodeOptions('--max-semi-space-size=4'))).to.equal(8 * mebibyte);
  });
});
