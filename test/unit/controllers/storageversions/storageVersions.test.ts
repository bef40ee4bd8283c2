import { expect } from 'chai';
import { type StorageVersion, storageVersions } from '../../../../api/types/apiserverinternal/v1alpha1.js';
import { leases } from '../../../../api/types/coordination/v1.js';
import { configMaps } from '../../../../api/types/core/v1.js';
import { storageVersionMigrations } from '../../../../api/types/storagemigration/v1beta1.js';
import { storageVersionCollector, withoutGone } from '../../../../controllers/storageversions/garbage.js';
import { storageVersionMigrator } from '../../../../controllers/storageversions/migrator.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const version = (...servers: readonly (readonly [apiServerID: string, encodingVersion: string])[]): StorageVersion => ({
  metadata: { name: 'v' },
  spec: {},
  status: { storageVersions: servers.map(([apiServerID, encodingVersion]) => ({ apiServerID, encodingVersion })) },
});

describe('the collector of storage versions', () => {
  it('forgets servers that are gone', () => {
    const of = (given: StorageVersion, ...alive: string[]): unknown => withoutGone(given, (server) => alive.includes(server), 0);
    expect(of(version(['a', 'v1']), 'a')).to.equal(null);
    expect(of(version(['a', 'v1']))).to.equal('empty');
    expect(of(version(['a', 'v1'], ['b', 'v2']), 'a')).to.deep.include({ commonEncodingVersion: 'v1' });
    expect(of(version(['a', 'v1'], ['b', 'v2'], ['c', 'v3']), 'a', 'b')).to.not.have.property('commonEncodingVersion');
  });

  it('does so when their lease goes', async () => {
    const world = controllerWorld();
    world.api.answers.set('/apis/internal.apiserver.k8s.io/v1alpha1', () => ({ resources: [{ name: 'storageversions' }] }));
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    world.api.seed(
      leases,
      { metadata: { name: 'a', namespace: 'kube-system', labels } },
      { metadata: { name: 'b', namespace: 'kube-system', labels } },
    );
    world.api.seed(storageVersions, version(['a', 'v1'], ['b', 'v1']));
    await world.start(storageVersionCollector);
    expect(await world.writes()).to.deep.equal([]);
    world.api.evaporate(leases, 'kube-system/b');
    await world.settled();
    expect(world.api.peek(storageVersions, 'v')?.status?.storageVersions).to.deep.equal([{ apiServerID: 'a', encodingVersion: 'v1' }]);
    world.api.evaporate(leases, 'kube-system/a');
    await world.settled();
    expect(world.api.peek(storageVersions, 'v')).to.equal(undefined);
    await world.stop();
  });
});

describe('the migrator of storage versions', () => {
  const migrate = async (resource: string): Promise<{ reasons: unknown; patched: readonly string[] }> => {
    const world = controllerWorld();
    world.api.answers.set('/apis/storagemigration.k8s.io/v1beta1', () => ({ resources: [{ name: 'storageversionmigrations' }] }));
    world.api.answers.set('/api/v1', () => ({ resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] }));
    world.api.seed(configMaps, { metadata: { name: 'a', namespace: 'n' } }, { metadata: { name: 'b', namespace: 'm' } });
    world.api.seed(storageVersionMigrations, { metadata: { name: 'm' }, spec: { resource: { group: '', resource } } });
    await world.start(storageVersionMigrator);
    await world.settled();
    await world.settled();
    const reasons = world.api.peek(storageVersionMigrations, 'm')?.status?.conditions?.map(({ type, reason }) => [type, reason]);
    const patched = (await world.writes()).flatMap(({ verb, type, key }) => (verb === 'patch' && type === 'configmaps' ? [key] : []));
    await world.stop();
    return { reasons, patched };
  };
  it('writes every object anew', async () =>
    expect(await migrate('configmaps')).to.deep.equal({
      reasons: [
        ['Running', 'MigrationRunning'],
        ['Succeeded', 'StorageVersionMigrationSucceeded'],
      ],
      patched: ['m/b', 'n/a'],
    }));
  it('says when there is no such resource', async () =>
    expect(await migrate('widgets')).to.deep.equal({
      reasons: [
        ['Running', 'MigrationRunning'],
        ['Failed', 'StorageVersionMigrationFailed'],
      ],
      patched: [],
    }));
});
