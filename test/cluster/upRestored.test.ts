import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Connection, loadKubeconfig, RestApi, resource, type KubeObject } from '../../controllers/client/index.js';
import { programFile } from '../../deploy/programs.js';
import { isNotFound, unless } from '../../controllers/client/errors.js';
import { startApiServer } from '../../deploy/testing/index.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

const configMaps = resource<KubeObject & { readonly data?: Readonly<Record<string, string>> }>({
  apiVersion: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
});

/** A cluster that starts from the file of a test or another cluster. */
describe('cluster/up --restore', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory('restored');
  const data = path.join(folder, 'data');
  const raftplane = (...args: readonly string[]): { readonly status: number | null; readonly text: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [programFile('raftplane'), ...args, '--data-dir', data], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, KUBECONFIG: path.join(folder, 'config') },
    });
    return { status, text: stdout + stderr };
  };
  const up = (file: string): ReturnType<typeof raftplane> =>
    raftplane('up', '--detach', '--port', '0', '--replicas', '3', '--managers', '0', '--restore', file);
  const name = { namespace: 'team', name: 'kept' };
  const asking = async <T>(ask: (api: RestApi) => Promise<T>): Promise<T> => {
    const connection = new Connection(loadKubeconfig(path.join(data, 'admin.kubeconfig')));
    try {
      return await ask(new RestApi({ connection, userAgent: 'test' }));
    } finally {
      connection.close();
    }
  };
  const kept = (): Promise<unknown> => asking(async (api) => (await api.get(configMaps, name)).data);
  const cutOff = (file: string): string => {
    const cut = path.join(folder, 'cut.backup');
    const whole = fs.readFileSync(file);
    fs.writeFileSync(cut, whole.subarray(0, whole.length >> 1));
    return cut;
  };

  after(() => {
    raftplane('stop', '--delete');
  });

  it('takes a snapshot of a test, then a backup of its own, and nothing where there is a cluster', async () => {
    const snapshot = path.join(folder, 'snapshot.cbor');
    const server = await startApiServer({ audit: false });
    await server.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'team' }, data: { by: 'a test' } },
    ]);
    fs.writeFileSync(snapshot, await server.snapshot());
    await server.stop();

    expect(up(snapshot)).to.have.property('status', 0);
    expect(await kept()).to.deep.equal({ by: 'a test' });
    const backup = path.join(folder, 'monday.backup');
    expect(raftplane('backup', backup)).to.have.property('status', 0);
    raftplane('stop');
    expect(up(backup)).to.have.property('text').that.contains('holds a cluster already');
    raftplane('stop', '--delete');

    expect(up(backup)).to.have.property('status', 0);
    expect(await kept()).to.deep.equal({ by: 'a test' });

    // At run time a valid file replaces all content; an invalid one changes nothing.
    for (const file of [backup, snapshot]) {
      await asking((api) => api.delete(configMaps, name));
      expect(raftplane('restore', cutOff(file)))
        .to.include({ status: 1 })
        .and.to.have.property('text')
        .that.contains('cannot be restored');
      expect(await asking((api) => unless(isNotFound, api.get(configMaps, name))), 'nothing was changed').to.equal(null);
      const { status, text } = raftplane('restore', file);
      expect(status, text).to.equal(0);
      expect(await kept()).to.deep.equal({ by: 'a test' });
    }
    expect(raftplane('restore', path.join(folder, 'missing')).status).to.equal(3);
    raftplane('stop', '--delete');
  });

  it('refuses what is neither, and leaves nothing running', () => {
    const wrong = path.join(folder, 'wrong');
    fs.writeFileSync(wrong, 'neither');
    const other = cutOff(path.join(folder, 'monday.backup'));
    for (const file of [wrong, other, path.join(folder, 'missing')]) {
      const { status, text } = up(file);
      expect(status, text).to.be.above(0);
      expect(text).to.contain(path.basename(file));
      expect(raftplane('status').status, 'nothing runs').to.equal(3);
      raftplane('stop', '--delete');
    }
  });
});
