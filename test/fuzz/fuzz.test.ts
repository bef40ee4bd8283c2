import { expect } from 'chai';
import { campaignNames } from './campaign.js';
import { fuzz } from './fuzz.js';

/** Of each seed: `npm run fuzz` is the same for as long as one likes. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 15);
const seeds = [1, Date.now() % (2 ** 31 - 1)];
/** Starting, and giving everything back, come on top, on a machine that may be busy. */
const overheadMs = 240_000;

describe('fuzz', function () {
  this.timeout(seeds.length * seconds * 1_000 + overheadMs);
  it(`finds nothing with the seeds ${seeds.join(' and ')}`, async () => {
    const { findings } = await fuzz({ seeds, seconds, only: campaignNames });
    expect(findings, findings.join('\n\n')).to.deep.equal([]);
  });
});
