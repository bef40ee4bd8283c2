import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { hasEtcd } from '../fixtures/etcdServers.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { torture } from '../torture/torture.js';

/** As in `torture.test.ts`: `npm run torture -- --store etcd` runs longer. */
const seconds = Number(process.env['TORTURE_SECONDS'] ?? 60);
const seed = Number(process.env['TORTURE_SEED'] ?? 1);
const overheadMs = 600_000;

describe('torture over etcd', function () {
  this.timeout(seconds * 1000 * 2 + overheadMs);

  it('keeps every promise while servers and members of the etcd are killed, stopped, cut off and compacted under traffic', async function () {
    if (!fs.existsSync('/proc/net/tcp') || !hasEtcd()) this.skip();
    const directory = path.join(temporaryDirectory('torture-etcd'), 'run');
    const { findings, figures } = await torture({
      seed,
      faultsMs: seconds * 1000,
      directory,
      store: 'etcd',
      progress: (line) => {
        process.stdout.write(`      ${line}\n`);
      },
    });
    const log = findings.length === 0 ? '' : fs.readFileSync(path.join(directory, 'torture.log'), 'utf8');
    expect(findings, `seed ${seed}; what happened:\n${log}`).to.deep.equal([]);
    // Faults hit both sides, and writes and comparisons happened.
    const met = [...figures.faults.keys()];
    expect(met.some((kind) => kind.startsWith('etcd')) && met.some((kind) => !kind.startsWith('etcd'))).to.equal(true);
    expect(figures.writes).to.be.greaterThan(0);
    expect(figures.compared).to.be.greaterThan(0);
  });
});
