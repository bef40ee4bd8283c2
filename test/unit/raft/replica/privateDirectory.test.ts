import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepPrivate as keepLauncherPrivate } from '../../../../deploy/files.js';
import { openDataDirectory } from '../../../../raft/replica/dataDirectory.js';
import { privacyOf, type Privacy } from '../../../../raft/replica/privateDirectory.js';
import type { ReplicaOptions } from '../../../../raft/replicaApi.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const own = 1000;
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('raft/replica/privateDirectory', () => {
  const cases: readonly (readonly [string, number, number, number, Privacy])[] = [
    ['its own, closed', 0o700, own, own, 'private'],
    ['its own, open to all', 0o755, own, own, 'close'],
    ['its own, open to a group', 0o750, own, own, 'close'],
    ['its own, in which others may only look things up', 0o701, own, own, 'close'],
    ['one of root that is open to all', 0o755, 0, own, 'refuse'],
    ['one of another that everybody may write to', 0o1777, 7, own, 'refuse'],
    ['one of root that a group was given', 0o2770, 0, own, 'private'],
    ['one of another, to root', 0o755, 7, 0, 'close'],
  ];
  for (const [what, mode, uid, ownUid, privacy] of cases) {
    it(`finds ${what}: ${privacy}`, () => {
      expect(privacyOf({ mode: 0o40000 | mode, uid }, ownUid)).to.equal(privacy);
    });
  }

  it('closes a data directory that others could enter, with all that is in it already', () => {
    const directory = join(temporaryDirectory('private'), 'data');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const { store, log } = openDataDirectory({
      dataDirectory: directory,
      memberId: 'a',
      clusterToken: 't',
      initialMembers: [],
    } as unknown as ReplicaOptions);
    store.close();
    log.close();
    expect(modeOf(directory)).to.equal(0o700);
  });

  it('closes the folder of the launcher', () => {
    const directory = temporaryDirectory('private');
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, 'launcher.lock'), '');
    keepLauncherPrivate(directory);
    expect(modeOf(directory)).to.equal(0o700);
  });
});
