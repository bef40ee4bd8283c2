import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { PowerSwitch } from '../../../fixtures/powerSwitch.js';
import { Prng } from '../../../simulation/prng.js';
import { drawSurvival, nothingMore } from '../../../torture/disk/losePower.js';
import { contents, open } from './entries.js';
import { removeScratch, scratch } from './scratch.js';

const appender = fileURLToPath(new URL('./appender.js', import.meta.url));
const seeds = [1, 2, 3, 4, 5, 6];

describe('raft log after a loss of power', function () {
  afterEach(removeScratch);

  it('holds everything it acknowledged, whatever the disk kept of what was not synced', async function () {
    const power = PowerSwitch.make(scratch());
    if (power === null) this.skip();
    const path = join(power.data, 'log.db');
    let target = 0;
    for (const seed of seeds) {
      const prng = new Prng(seed);
      target += prng.between(1, 300);
      const survival = seed === 1 ? nothingMore : drawSurvival(prng);
      const { lines } = await power.runUntil((line) => Number(line) >= target, [appender, path, '100000', '700'], survival);
      const log = open(path);
      expect(log.lastIndex, `seed ${seed}`).to.be.at.least(Number(lines.at(-1)));
      expect(log.lastIndex % 3, `seed ${seed}: groups are whole`).to.equal(0);
      for (const line of contents(log).entries) {
        const [index = '', , , data = ''] = line.split('/');
        expect(Buffer.from(data, 'base64').toString()).to.match(new RegExp(`^${index}:`));
      }
      target = log.lastIndex;
      log.close();
    }
  });

  it('was born whole, under its name, before it said anything', async function () {
    const power = PowerSwitch.make(scratch());
    if (power === null) this.skip();
    const path = join(power.data, 'log.db');
    const { lines } = await power.runUntil(() => true, [appender, path, '100000', '100'], nothingMore);
    const log = open(path);
    expect(log.created).to.equal(false);
    expect(log.lastIndex).to.be.at.least(Number(lines.at(-1)));
    log.close();
  });
});
