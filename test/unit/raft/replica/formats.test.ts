import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { inspect, restoreBackup, verifyBackup } from '../../../../raft/maintenance.js';
import { readDataDirectory } from '../../../../raft/replica/dataDirectory.js';
import { memberId } from '../../../../raft/types.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const formats = join(packageRoot, 'test', 'fixtures', 'formats');

/** Each folder is from a killed program of that format: three keys, some only in write-ahead files, and a backup. */
describe('data directories of all formats', () => {
  for (const format of readdirSync(formats))
    it(`are read, and backups restored: format ${format}`, () => {
      const folder = temporaryDirectory('format');
      const dataDirectory = join(folder, 'data');
      mkdirSync(dataDirectory);
      for (const name of readdirSync(join(formats, format))) {
        const content = gunzipSync(readFileSync(join(formats, format, name)));
        writeFileSync(join(name === 'backup.gz' ? folder : dataDirectory, basename(name, '.gz')), content);
      }
      const found = inspect({ dataDirectory, memberId: memberId('a'), clusterToken: 'test' });
      expect(found).to.include({ index: 4, revision: 3, lastIndex: 4, lastTerm: 1, committed: 4 });
      expect(keys(dataDirectory)).to.deep.equal(['/one', '/three', '/two']);

      const backup = join(folder, 'backup');
      expect(verifyBackup(backup)).to.include({ index: 4, term: 1 });
      const restored = { dataDirectory: join(folder, 'restored'), memberId: memberId('b'), clusterToken: 'new' };
      restoreBackup(backup, { ...restored, members: [{ id: restored.memberId, role: 'voter', address: '' }] });
      expect(keys(restored.dataDirectory)).to.deep.equal(['/one', '/three', '/two']);
    });
});

function keys(dataDirectory: string): readonly string[] {
  const store = readDataDirectory(dataDirectory);
  try {
    const found = store.range({ start: '', end: null, revision: null, limit: null });
    return found.outcome === 'found' ? found.items.map(({ key }) => key) : [];
  } finally {
    store.close();
  }
}
