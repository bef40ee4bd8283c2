import { expect } from 'chai';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, rescueBackup, restoreBackup, verifyBackup } from '../../../../raft/maintenance.js';
import { memberId } from '../../../../raft/types.js';
import type { Member } from '../../../../raft/types.js';
import { created, TestCluster } from './testCluster.js';

/** Places in a file of some pages, most of them nearly empty. */
const placesTried = 24;

describe('raft/maintenance', () => {
  const cluster = new TestCluster();
  const folder = mkdtempSync(join(tmpdir(), 'raft-maintenance-'));
  const backup = join(folder, 'the.backup');
  const owner = { dataDirectory: join(cluster.directory, 'a'), memberId: memberId('a'), clusterToken: 'test' };
  let revisionBefore = 0;

  before(async () => {
    await cluster.prepare('a');
    const a = await cluster.start('a');
    for (const key of ['/one', '/two', '/three']) await created(a, key);
    const copy = await a.replica.snapshot();
    if (copy.outcome !== 'made') throw new Error(copy.outcome);
    copyFileSync(copy.path, backup);
    revisionBefore = (await a.replica.status()).revision;
  });
  after(async () => {
    await cluster.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (id: string, address: string): Member => ({ id: memberId(id), role: 'voter', address });
  const into = (name: string): string => join(folder, name);

  it('founds a cluster whose revisions begin far behind those of the backup, all of which count as compacted', () => {
    const made = { dataDirectory: into('founded'), memberId: memberId('x'), clusterToken: 'new' };
    restoreBackup(backup, { ...made, members: [at('x', '')] });
    expect(inspect(made).revision).to.be.greaterThan(revisionBefore + 1_000_000);
    expect(() => inspect({ ...made, clusterToken: 'test' }), 'servers of the old cluster').to.throw(/another cluster token/);
  });

  it('makes directories with equal content out of one backup', () => {
    const members = [at('x', '127.0.0.1:1'), at('y', '127.0.0.1:2')];
    const revisions = members.map(({ id }) => {
      const made = { dataDirectory: into(`equal-${id}`), memberId: id, clusterToken: 'new' };
      restoreBackup(backup, { ...made, members });
      const { index, term, revision, lastIndex } = inspect(made);
      return { index, term, revision, lastIndex };
    });
    expect(revisions[0]).to.deep.equal(revisions[1]);
  });

  it('refuses members and tokens with which no server could start, and leaves nothing behind', () => {
    const refused = (members: readonly Member[], clusterToken = 'new', id = 'x'): string => {
      try {
        restoreBackup(backup, { dataDirectory: into('refused'), memberId: memberId(id), clusterToken, members });
        return 'done';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused([at('x', '127.0.0.1:1'), at('x', '127.0.0.1:2')])).to.match(/x is there twice/);
    expect(refused([at('x', '127.0.0.1:1'), at('y', '127.0.0.1:1')])).to.match(/127\.0\.0\.1:1 is there twice/);
    expect(refused([at('x', 'foo'), at('y', '127.0.0.1:1')])).to.match(/host:port/);
    expect(refused([at('x', '127.0.0.1:0'), at('y', '127.0.0.1:1')])).to.match(/no port/);
    expect(refused([at('y', '')])).to.match(/x is not among the members/);
    expect(refused([at('x', '')], '')).to.match(/token is empty/);
    mkdirSync(into('refused'));
    writeFileSync(join(into('refused'), 'something'), '');
    expect(refused([at('x', '')])).to.match(/not empty/);
    expect(readdirSync(into('refused'))).to.deep.equal(['something']);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).to.deep.equal([]);
  });

  const spoiled: Readonly<Record<string, (file: string) => void>> = {
    'cut off': (file) => {
      truncateSync(file, statSync(file).size >> 1);
    },
    empty: (file) => {
      truncateSync(file, 0);
    },
    'of something else': (file) => {
      writeFileSync(file, 'some words '.repeat(1000));
    },
    'changed in its first bytes': (file) => {
      flip(file, 20);
    },
    'changed in the middle': (file) => {
      flip(file, statSync(file).size >> 1);
    },
    'changed in its last bytes': (file) => {
      flip(file, statSync(file).size - 3);
    },
    missing: (file) => {
      rmSync(file);
    },
    'a database that was copied by hand': (file) => {
      copyFileSync(join(owner.dataDirectory, 'store.db'), file);
    },
  };
  const flip = (file: string, place: number): void => {
    const bytes = readFileSync(file);
    bytes[place]! ^= 0x40;
    writeFileSync(file, bytes);
  };

  for (const [what, spoil] of Object.entries(spoiled)) {
    it(`refuses a backup that is ${what}, says what to do, and leaves nothing behind`, () => {
      const file = into('spoiled.backup');
      copyFileSync(backup, file);
      spoil(file);
      const advice = /is no whole backup: .*(earlier backup|where it was made)/;
      expect(() => verifyBackup(file)).to.throw(advice);
      expect(() =>
        restoreBackup(file, { dataDirectory: into('never'), memberId: memberId('x'), clusterToken: 'new', members: [at('x', '')] }),
      ).to.throw(advice);
      expect(existsSync(into('never'))).to.equal(false);
      expect(readdirSync(folder).filter((name) => /restoring|verifying/.test(name))).to.deep.equal([]);
    });
  }

  it('rescues nothing from a server that runs, and all from one that was killed, whose directory stays as it is', async () => {
    const rescued = into('rescued.backup');
    expect(await rescueBackup(owner, rescued).catch((error: unknown) => (error as Error).message)).to.match(/in use: another process runs/);
    await cluster.stop('a');
    const before = readdirSync(owner.dataDirectory).map((name) => [name, statSync(join(owner.dataDirectory, name)).mtimeMs]);
    expect((await rescueBackup(owner, rescued)).revision).to.equal(revisionBefore);
    expect(readdirSync(owner.dataDirectory).map((name) => [name, statSync(join(owner.dataDirectory, name)).mtimeMs])).to.deep.equal(before);
    expect(await rescueBackup(owner, rescued).catch((error: unknown) => (error as Error).message)).to.match(/exists already/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.work'))).to.deep.equal([]);
  });

  for (const name of ['store.db', 'log.db']) {
    it(`notices changed bytes anywhere in ${name}, or reads none of them`, () => {
      const whole = inspect(owner);
      const file = join(owner.dataDirectory, name);
      const bytes = readFileSync(file);
      let noticed = 0;
      for (let place = 0; place < bytes.length; place += Math.floor(bytes.length / placesTried)) {
        flip(file, place);
        try {
          expect(inspect(owner), `byte ${place}`).to.deep.equal(whole);
        } catch (error) {
          expect(error, `byte ${place}: ${String(error)}`)
            .to.have.property('code')
            .that.is.oneOf(['DAMAGED', 'UNSUPPORTED_FORMAT', 'CANNOT_OPEN', 'INCONSISTENT_DATA', 'WRONG_IDENTITY']);
          noticed += 1;
        }
        for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
        writeFileSync(file, bytes);
      }
      expect(noticed).to.be.greaterThan(1);
    });
  }

  it('says that a damaged survivor is one, and that another is to be taken', async () => {
    const store = join(owner.dataDirectory, 'store.db');
    flip(store, readFileSync(store).indexOf('value'));
    const rescued = into('damaged.backup');
    expect(await rescueBackup(owner, rescued).catch((error: unknown) => (error as Error).message)).to.match(
      /is damaged.*Take another survivor/,
    );
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).to.deep.equal([]);
  });
});
