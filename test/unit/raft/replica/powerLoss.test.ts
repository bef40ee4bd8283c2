import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { memberId } from '../../../../raft/types.js';
import type { ReplicaOptions } from '../../../../raft/replicaApi.js';
import { openDataDirectory } from '../../../../raft/replica/dataDirectory.js';
import { PowerSwitch } from '../../../fixtures/powerSwitch.js';
import { nothingMore } from '../../../torture/disk/losePower.js';
import { removeScratch, scratch } from '../log/scratch.js';

const dataDirectoryModule = new URL('../../../../raft/replica/dataDirectory.js', import.meta.url).href;

describe('raft data directory after a loss of power', function () {
  afterEach(removeScratch);

  it('is there as soon as it was opened, with the directories above it, and is the same replica', async function () {
    const power = PowerSwitch.make(scratch());
    if (power === null) this.skip();
    const dataDirectory = join(power.data, 'of', 'member-a');
    const options: Pick<ReplicaOptions, 'dataDirectory' | 'memberId' | 'initialMembers' | 'clusterToken'> = {
      dataDirectory,
      memberId: memberId('a'),
      initialMembers: [],
      clusterToken: 'test',
    };
    const program = `
      const { openDataDirectory } = await import(${JSON.stringify(dataDirectoryModule)});
      console.log(openDataDirectory(${JSON.stringify(options)}).log.identity.incarnation);
      setInterval(() => {}, 1000);
    `;
    const { lines } = await power.runUntil(() => true, ['--input-type=module', '-e', program], nothingMore);
    expect(existsSync(dataDirectory)).to.equal(true);
    const { log, store } = openDataDirectory(options as ReplicaOptions);
    try {
      expect(log.identity.incarnation).to.equal(lines[0]);
    } finally {
      log.close();
      store.close();
    }
  });
});
