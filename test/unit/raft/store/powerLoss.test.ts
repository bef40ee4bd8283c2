import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { revision } from '../../../../raft/types.js';
import { PowerSwitch } from '../../../fixtures/powerSwitch.js';
import { Prng } from '../../../simulation/prng.js';
import { drawSurvival, nothingMore } from '../../../torture/disk/losePower.js';
import { removeScratch, scratch } from '../log/scratch.js';
import { apply, everything, open, put, transaction } from './commands.js';

const applier = fileURLToPath(new URL('./applier.js', import.meta.url));
const restorer = fileURLToPath(new URL('./restorer.js', import.meta.url));
const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

describe('raft store after a loss of power', function () {
  afterEach(removeScratch);

  it('is what it was at some batch, not before its last checkpoint, whatever the disk kept of what was not synced', async function () {
    const power = PowerSwitch.make(scratch());
    if (power === null) this.skip();
    const path = join(power.data, 'store.db');
    let target = 0;
    let filesLost = 0;
    for (const seed of seeds) {
      const prng = new Prng(seed);
      target += prng.between(1, 900);
      const { lines, loss } = await power.runUntil(
        (line) => Number(line.split(' ')[0]) >= target,
        [applier, path],
        seed === 1 ? nothingMore : drawSurvival(prng),
      );
      const checkpointed = Math.max(...lines.map((line) => Number(line.split(' ')[1] ?? 0)));
      filesLost += loss.files;
      const store = open(path);
      expect(store.appliedIndex, `seed ${seed}`).to.be.at.least(checkpointed);
      const now = everything(store);
      // Both keys of each transaction must have the same number.
      const half = (name: string): readonly string[] =>
        'items' in now ? now.items.filter((item) => item.startsWith(`${name}-`)).map((item) => item.slice(name.length)) : [];
      expect(half('left'), `seed ${seed}`).to.deep.equal(half('right'));
      expect(store.changesSince(revision(store.compactedRevision), 1e9).outcome).to.equal('found');
      target = store.appliedIndex;
      store.close();
    }
    expect(filesLost, 'files that lost something').to.be.greaterThan(0);
  });

  it('holds a snapshot that it said it has restored, in place of what was before', async function () {
    const power = PowerSwitch.make(scratch());
    if (power === null) this.skip();
    const path = join(power.data, 'store.db');
    await power.runUntil((line) => Number(line.split(' ')[0]) >= 9, [applier, path], nothingMore);
    const source = open(join(scratch(), 'source.db'));
    apply(source, ...Array.from({ length: 400 }, (_, at) => transaction([put(`key-${at}`, 'x'.repeat(300))])));
    const snapshot = join(power.data, 'snapshot');
    const { index } = await source.snapshotTo(snapshot);
    const seen = everything(source);
    source.close();
    const { lines } = await power.runUntil(() => true, [restorer, path, snapshot, String(index)], nothingMore);
    expect(lines).to.deep.equal(['restored']);
    const store = open(path);
    expect(store.appliedIndex).to.equal(index);
    expect(everything(store)).to.deep.equal(seen);
    store.close();
  });
});
