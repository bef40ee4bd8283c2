import { expect } from 'chai';
import { mergePatch } from '../../../../controllers/client/api.js';
import { isAlreadyExists, isConflict, isExpired, isNamespaceTerminating, isNotFound } from '../../../../controllers/client/errors.js';
import { type ReplicaSet, replicaSets } from '../../../../api/types/apps/v1.js';
import { configMaps, namespaces, type Pod, pods } from '../../../../api/types/core/v1.js';
import { replicaSetController } from '../../../../controllers/replicaset/replicaSets.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';
import { MemoryApi } from '../../../fixtures/memoryApi.js';

/** Tests the fixture that controllers' tests use. */
describe('fixtures/memoryApi', () => {
  const world = (): { clock: FakeClock; api: MemoryApi } => {
    const clock = new FakeClock();
    return { clock, api: new MemoryApi({ clock }) };
  };
  const map = (name: string, more: object = {}) => ({ metadata: { name, namespace: 'n', ...more } });
  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => {
        throw new Error('it succeeded');
      },
      (error: unknown) => error,
    );

  it('compares versions, completes metadata, and leaves what is unchanged alone', async () => {
    const { api } = world();
    const created = await api.create(configMaps, { metadata: { generateName: 'm-', namespace: 'n' } });
    expect(created.metadata).to.deep.include({ name: 'm-00001', uid: 'uid-1', resourceVersion: '1' });
    const changed = await api.update(configMaps, { ...created, data: { a: 'b' } });
    expect(changed.metadata.resourceVersion).to.equal('2');
    expect((await api.update(configMaps, changed)).metadata.resourceVersion).to.equal('2');
    expect(isConflict(await failure(api.update(configMaps, created)))).to.equal(true);
    expect(isAlreadyExists(await failure(api.create(configMaps, map('m-00001'))))).to.equal(true);
    expect(api.takeWrites().map(({ verb, key, refused }) => [verb, key, refused])).to.deep.equal([
      ['create', 'n/m-', undefined],
      ['update', 'n/m-00001', undefined],
      ['update', 'n/m-00001', undefined],
      ['update', 'n/m-00001', 'Conflict'],
      ['create', 'n/m-00001', 'AlreadyExists'],
    ]);
  });

  it('keeps status and spec apart, and counts generations', async () => {
    const { api } = world();
    const [set] = api.seed(replicaSets, { ...map('r'), spec: { replicas: 1 } } as ReplicaSet);
    await api.update(replicaSets, { ...set, spec: { replicas: 2 }, status: { replicas: 9 } } as ReplicaSet);
    await api.patch(replicaSets, { namespace: 'n', name: 'r' }, mergePatch({ status: { replicas: 1 }, spec: { replicas: 7 } }), {
      subresource: 'status',
    });
    const now = api.peek(replicaSets, 'n/r');
    expect([now?.spec?.replicas, now?.status?.replicas, now?.metadata.generation]).to.deep.equal([2, 1, 2]);
  });

  it('lets finalizers and nodes delay a deletion', async () => {
    const { api } = world();
    api.seed(configMaps, map('held', { finalizers: ['x/y'] }));
    await api.delete(configMaps, { namespace: 'n', name: 'held' });
    expect(api.peek(configMaps, 'n/held')?.metadata.deletionTimestamp).to.be.a('string');
    await api.patch(configMaps, { namespace: 'n', name: 'held' }, mergePatch({ metadata: { finalizers: null } }));
    expect(isNotFound(await failure(api.get(configMaps, { namespace: 'n', name: 'held' })))).to.equal(true);
    api.seed(pods, { ...map('p'), spec: { nodeName: 'a' }, status: { phase: 'Running' } } as Pod);
    await api.delete(pods, { namespace: 'n', name: 'p' });
    expect(api.peek(pods, 'n/p')?.metadata.deletionGracePeriodSeconds).to.equal(30);
    await api.delete(pods, { namespace: 'n', name: 'p' }, { gracePeriodSeconds: 0 });
    expect(api.all(pods)).to.deep.equal([]);
    api.seed(namespaces, { metadata: { name: 'n' }, spec: { finalizers: ['kubernetes'] } });
    await api.delete(namespaces, { namespace: '', name: 'n' });
    expect(isNamespaceTerminating(await failure(api.create(configMaps, map('late'))))).to.equal(true);
  });

  it('serves watches from a version on, filtered, and forgets old versions', async () => {
    const { api } = world();
    api.seed(configMaps, map('a', { labels: { x: '1' } }), map('b'));
    const watch = await api.watch(configMaps, { resourceVersion: api.version, labelSelector: 'x=1' });
    api.change(configMaps, 'n/b', (object) => ({ ...object, metadata: { ...object.metadata, labels: { x: '1' } } }));
    api.change(configMaps, 'n/a', (object) => ({ ...object, metadata: { ...object.metadata, labels: {} } }));
    const seen: string[] = [];
    for await (const { type, object } of watch) {
      seen.push(`${type} ${(object as { metadata: { name: string } }).metadata.name}`);
      if (seen.length === 2) break;
    }
    expect(seen).to.deep.equal(['ADDED b', 'DELETED a']);
    api.compact();
    expect(isExpired(await failure(api.watch(configMaps, { resourceVersion: '1' })))).to.equal(true);
  });

  it('drives a controller', async () => {
    const { start, stop, api, writes, events } = controllerWorld();
    const template = { metadata: { labels: { app: 'w' } }, spec: { containers: [{ name: 'c' }] } };
    api.seed(replicaSets, { ...map('web'), spec: { replicas: 2, selector: { matchLabels: { app: 'w' } }, template } } as ReplicaSet);
    await start(replicaSetController);
    expect((await writes()).filter(({ type }) => type === 'pods').map(({ verb, key }) => [verb, key])).to.deep.equal([
      ['create', 'n/web-'],
      ['create', 'n/web-'],
    ]);
    expect(api.peek(replicaSets, 'n/web')?.status?.replicas).to.equal(2);
    expect(events).to.include('Normal SuccessfulCreate n/web: Created pod: web-00001');
    await stop();
  });
});
