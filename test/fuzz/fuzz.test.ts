import { expect } from 'chai';
import { campaignNames } from './campaign.js';
import { fuzz } from './fuzz.js';

/** Seconds for each seed; `npm run fuzz` runs longer. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 15);
const seeds = [1, Date.now() % (2 ** 31 - 1)];
/** The limit for start and cleanup on a busy machine. */
const overheadMs = 240_000;

describe('fuzz', function () {
  this.timeout(seeds.length * seconds * 1_000 + overheadMs);
  it(`finds nothing with the seeds ${seeds.join(' and ')}`, async () => {
    const { findings } = await fuzz({ seeds, seconds, only: campaignNames });
    expect(findings, findings.join('\n\n')).to.deep.equal([]);
  });
});
