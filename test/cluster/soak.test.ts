import { expect } from 'chai';
import { soak } from '../soak/soak.js';

/** `npm run soak` runs longer. */
const seconds = Number(process.env['SOAK_SECONDS'] ?? 20);
const seed = Number(process.env['SOAK_SEED'] ?? 1);
/** The limit for start and remaining events on a busy machine. */
const overheadMs = 300_000;

describe('cluster/soak', function () {
  this.timeout(seconds * 1_000 + overheadMs);

  it('gives ordinary clients nothing but the expected responses and events', async function () {
    const { findings, requests } = await soak({ seconds, seed, threads: 1, progress: (line) => process.stdout.write(`      ${line}\n`) });
    expect(findings).to.deep.equal([]);
    for (const kind of ['HTTP/1.1', 'HTTP/2', 'client-node']) expect(requests[kind], kind).to.be.above(0);
  });
});
