import { expect } from 'chai';
import fc from 'fast-check';
import { Pace } from '../../../server/endpoints/backends/pace.js';

describe('the pace of connections (--max-connection-bytes-per-sec)', () => {
  it('changes no byte, and lets nothing pass beyond the first second before the rest has been waited for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), { minLength: 1, maxLength: 8 }),
        async (rate, chunks) => {
          let waited = 0;
          const pace = new Pace(rate, (ms) => {
            waited += ms;
            return Promise.resolve();
          });
          const passed: Buffer[] = [];
          pace.on('data', (chunk: Buffer) => passed.push(chunk));
          for (const chunk of chunks) pace.write(Buffer.from(chunk));
          const ended = new Promise((resolve) => pace.once('end', resolve));
          pace.end();
          await ended;
          const all = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
          expect(Buffer.concat(passed).equals(all)).to.equal(true);
          expect(passed.every((chunk) => chunk.length <= rate)).to.equal(true);
          // Nobody waits for what is within the first second; a real wait fills the bucket, this one does not, so each is counted again at most.
          if (all.length <= rate) expect(waited).to.equal(0);
          else expect(waited).to.be.greaterThan(0);
        },
      ),
      { numRuns: 50 },
    );
  });
});
