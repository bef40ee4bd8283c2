import { expect } from 'chai';
import fs from 'node:fs';
import { processorSeconds, residentBytes } from '../../fixtures/processUsage.js';

describe('what a process has used', () => {
  before(function () {
    if (!fs.existsSync('/proc/self/stat')) this.skip();
  });

  it('is what Node knows of its own', () => {
    const { user, system } = process.cpuUsage();
    expect(processorSeconds(process.pid)).to.be.within((user + system) / 1e6 - 0.05, process.uptime() * 64);
    expect(residentBytes(process.pid)).to.be.within(process.memoryUsage.rss() / 2, process.memoryUsage.rss() * 2);
  });

  it('is unknown for one that does not run', () => {
    expect(() => processorSeconds(null)).to.throw('ENOENT');
    expect(() => residentBytes(undefined)).to.throw('ENOENT');
  });
});
