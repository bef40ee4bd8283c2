import { expect } from 'chai';
import { campaignNames } from './campaign.js';
import { fuzz } from './fuzz.js';

/** Of each seed: `npm run fuzz` is the same for as long as one likes. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 15);
/** Starting, and giving everything back, come on top, on a machine that may be busy. */
const overheadMs = 180_000;

describe('fuzz', function () {
  this.timeout(seconds * 1_000 + overheadMs);
  for (const seed of [1, Date.now() % (2 ** 31 - 1)]) {
    it(`finds nothing with the seed ${seed}`, async () => {
      const { findings } = await fuzz({ seed, seconds, only: campaignNames });
      expect(findings, findings.join('\n\n')).to.deep.equal([]);
    });
  }
});
