import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import { StatusError } from '../../../../api/status.js';
import type { Admission } from '../../../../server/registry/admission.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../server/registry/resources.js';
import { bootstrap } from '../../../../server/registry/bootstrap.js';
import { everything } from '../../../../server/registry/everything.js';
import type { Change, Registry, WriteOptions } from '../../../../server/registry/contract.js';
import type { Target } from '../../../../server/registry/target.js';
import { noDeleteOptions } from '../../../../server/registry/deletion.js';
import { createRegistry } from '../../../../server/registry/store.js';
import type { Consistency, GetResult, ObjectKey, Storage, StoredObject, WriteResult } from '../../../../server/storage/contract.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';

const catalogue = createCatalogue();
const resourceOf = (name: string, group = '', version = 'v1'): ServedResource => {
  const resource = catalogue.resource(group, version, name);
  if (resource === null) throw new Error(`no ${name}`);
  return resource;
};
const configMaps = resourceOf('configmaps');
const options = (more: Partial<WriteOptions> = {}): WriteOptions => ({
  user: { name: 'u', uid: '', groups: [], extra: {} },
  manager: 'm',
  dryRun: false,
  timeoutMs: 1000,
  warn: () => {},
  ...more,
});
const target = (name: string, resource = configMaps): Target => ({ resource, namespace: resource.namespaced ? 'default' : '', name });
const configMap = (metadata: ApiObject['metadata'], data: Record<string, string> = {}): ApiObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata,
  data,
});
const replace = (object: ApiObject, more: Partial<Change> = {}): Change => ({
  apply: () => structuredClone(object),
  subresource: '',
  uid: null,
  mayCreate: () => {},
  ...more,
});

/** Storage with freezable local reads, like a replica that catches up. */
function lagging(storage: MemoryStorage): Storage & { freeze(): void } {
  let frozenAt: number | null = null;
  return {
    freeze: () => {
      frozenAt = storage.version;
    },
    get: (key: ObjectKey, consistency: Consistency): Promise<GetResult> =>
      storage.get(key, consistency.at === 'any' && frozenAt !== null ? { at: 'exact', version: frozenAt } : consistency),
    list: (request) => storage.list(request),
    watch: (request, sink) => storage.watch(request, sink),
    ready: () => storage.ready(),
    isStale: (key) => storage.isStale(key),
    create: (...parameters) => storage.create(...parameters),
    update: (...parameters) => storage.update(...parameters),
    delete: (...parameters) => storage.delete(...parameters),
  };
}

async function refusal(promise: Promise<unknown>): Promise<StatusError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('registry/store', () => {
  let memory: MemoryStorage;
  let storage: ReturnType<typeof lagging>;
  let registry: Registry;

  beforeEach(async () => {
    memory = createMemoryStorage();
    storage = lagging(memory);
    registry = createRegistry({ storage });
    await bootstrap({ registry, catalogue });
  });

  it('gives a new object what only the server decides, whatever the client sends', async () => {
    const stored = await registry.create(
      target(''),
      configMap({ name: 'a', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z' }),
      options(),
    );
    const { metadata } = stored.decode();
    expect(metadata.uid).to.match(/^[0-9a-f-]{36}$/);
    expect(metadata).not.to.have.property('deletionTimestamp');
    expect(metadata.creationTimestamp).to.match(/^20(?!01)\d\d-/);
    expect(metadata.resourceVersion).to.equal(String(stored.version));
  });

  it('refuses a version of a new object after admission has had its say', async () => {
    const asked: string[] = [];
    const admission: Admission = {
      admit: () => undefined,
      validate: () => {
        asked.push('validate');
      },
    };
    registry = createRegistry({ storage, admission });
    const refused = await refusal(registry.create(target(''), configMap({ name: 'a', resourceVersion: '5' }), options()));
    expect(refused).to.include({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
    expect(asked).to.deep.equal(['validate']);
  });

  it('tries another suffix when a generated name is taken', async () => {
    // The first five numbers name the first object, the next five collide, the last five do not.
    const numbers = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5];
    registry = createRegistry({ storage, random: () => numbers.shift() ?? 0.9 });
    const names = [];
    for (let i = 0; i < 2; i++) names.push((await registry.create(target(''), configMap({ generateName: 'g-' }), options())).name);
    expect(names).to.deep.equal(['g-bbbbb', 'g-rrrrr']);
  });

  it('takes a name beside a prefix for one that it has chosen itself', async () => {
    await registry.create(target(''), configMap({ name: 'a' }), options());
    const plain = 'configmaps "a" already exists';
    const reported = async (metadata: ApiObject['metadata']): Promise<unknown> => {
      const { code, message, details } = await refusal(registry.create(target(''), configMap(metadata), options()));
      return [code, message, details?.retryAfterSeconds];
    };
    expect(await reported({ name: 'a' })).to.deep.equal([409, plain, undefined]);
    expect(await reported({ name: 'a', generateName: 'g-' })).to.deep.equal([
      409,
      `${plain}, the server was not able to generate a unique name for the object`,
      1,
    ]);
  });

  it('refuses objects in namespaces that are absent or terminating', async () => {
    const elsewhere = { ...target(''), namespace: 'absent' };
    expect(await refusal(registry.create(elsewhere, configMap({ name: 'a' }), options()))).to.include({
      code: 404,
      message: 'namespaces "absent" not found',
    });
    const namespaces = resourceOf('namespaces');
    await registry.create({ resource: namespaces, namespace: '', name: '' }, { metadata: { name: 'going' } }, options());
    await registry.delete({ resource: namespaces, namespace: '', name: 'going' }, noDeleteOptions, options());
    const refused = await refusal(registry.create({ ...target(''), namespace: 'going' }, configMap({ name: 'a' }), options()));
    expect(refused.code).to.equal(403);
    expect(refused.details?.causes?.[0]?.reason).to.equal('NamespaceTerminating');
    const nameless = await refusal(registry.create({ ...target(''), namespace: 'going' }, configMap({ name: '' }), options()));
    expect(nameless.message).to.match(/^configmaps "Unknown" is forbidden: unable to create new content in namespace going /);
  });

  it('reports a conflict for an outdated version, and retries where the client names none', async () => {
    const first = await registry.create(target(''), configMap({ name: 'a' }), options());
    await registry.update(target('a'), replace(configMap({ name: 'a' }, { k: '1' })), options());
    const outdated = replace(configMap({ name: 'a', resourceVersion: String(first.version) }, { k: '2' }));
    expect(await refusal(registry.update(target('a'), outdated, options()))).to.include({ code: 409, reason: 'Conflict' });
    const increments = Array.from({ length: 20 }, () =>
      registry.update(
        target('a'),
        {
          ...replace(configMap({})),
          apply: (current) => ({
            ...current,
            metadata: current?.metadata ?? {},
            data: { k: String(Number((current?.['data'] as { k: string }).k) + 1) },
          }),
        },
        options(),
      ),
    );
    // Each conflict is retried on the winner's state, so none is lost.
    await Promise.all(increments);
    expect((await registry.get(target('a'), { at: 'mostRecent' })).decode()['data']).to.deep.equal({ k: '21' });
  });

  it('does not decide anything final on a state that may be outdated', async () => {
    await registry.create(target(''), configMap({ name: 'a' }, { k: 'old' }), options());
    storage.freeze();
    const key = { resource: configMaps.storage, namespace: 'default', name: 'a' };
    const other = createRegistry({ storage: memory });
    const changed = await other.update(target('a'), replace(configMap({ name: 'a' }, { k: 'new' })), options());
    // The outdated state already has this content, but the current one does not.
    const back = await registry.update(target('a'), replace(configMap({ name: 'a' }, { k: 'old' })), options());
    expect(back.object.version).to.be.greaterThan(changed.object.version);
    // The client's version is unknown here, but correct.
    const seen = await registry.update(
      target('a'),
      replace(configMap({ name: 'a', resourceVersion: String(back.object.version) }, { k: 'newer' })),
      options(),
    );
    expect(seen.object.decode()['data']).to.deep.equal({ k: 'newer' });
    // An object created elsewhere exists.
    await other.create(target(''), configMap({ name: 'b' }), options());
    expect((await registry.delete(target('b'), noDeleteOptions, options())).gone).to.equal(true);
    expect((await storage.get(key, { at: 'any' })).outcome).to.equal('found');
  });

  it('writes nothing when nothing changes', async () => {
    const stored = await registry.create(target(''), configMap({ name: 'a', labels: { x: '1', y: '2' } }, { k: 'v' }), options());
    const again = await registry.update(
      target('a'),
      replace({ data: { k: 'v' }, kind: 'ConfigMap', metadata: { labels: { y: '2', x: '1' }, name: 'a' } }),
      options(),
    );
    expect(again.object.version).to.equal(stored.version);
  });

  it('keeps the status out of updates and the rest out of updates of the status', async () => {
    const deployments = resourceOf('deployments', 'apps');
    const labels = { app: 'd' };
    const shape = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    const deployment = (replicas: number, status: object): ApiObject => ({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'd' },
      spec: { replicas, ...structuredClone(shape) },
      status: { ...status },
    });
    const at = target('d', deployments);
    const seen = ({ object }: { object: StoredObject }): unknown => {
      const { spec, status, metadata } = object.decode();
      return { replicas: (spec as { replicas: number }).replicas, status, generation: metadata.generation };
    };
    const created = await registry.create({ ...at, name: '' }, deployment(1, { replicas: 9 }), options());
    expect(seen({ object: created })).to.deep.equal({ replicas: 1, status: {}, generation: 1 });
    const status = await registry.update(at, replace(deployment(5, { replicas: 1 }), { subresource: 'status' }), options());
    expect(seen(status)).to.deep.equal({ replicas: 1, status: { replicas: 1 }, generation: 1 });
    const spec = await registry.update(at, replace(deployment(5, {})), options());
    expect(seen(spec)).to.deep.equal({ replicas: 5, status: { replicas: 1 }, generation: 2 });
  });

  it('removes a terminating object with its last finalizer', async () => {
    await registry.create(target(''), configMap({ name: 'a', finalizers: ['x/y'] }), options());
    expect((await registry.delete(target('a'), noDeleteOptions, options())).gone).to.equal(false);
    const refused = await refusal(registry.update(target('a'), replace(configMap({ name: 'a', finalizers: ['x/y', 'x/z'] })), options()));
    expect(refused.details?.causes?.[0]?.message).to.contain('no new finalizers can be added');
    await registry.update(target('a'), replace(configMap({ name: 'a' })), options());
    expect((await refusal(registry.get(target('a'), { at: 'mostRecent' }))).code).to.equal(404);
  });

  it('changes nothing in a dry run', async () => {
    const dry = options({ dryRun: true });
    const created = await registry.create(target(''), configMap({ name: 'a' }), dry);
    expect(created.decode().metadata).not.to.have.property('resourceVersion');
    expect((await refusal(registry.get(target('a'), { at: 'mostRecent' }))).code).to.equal(404);
    const real = await registry.create(target(''), configMap({ name: 'a' }), options());
    await registry.update(target('a'), replace(configMap({ name: 'a' }, { k: 'v' })), dry);
    expect((await registry.delete(target('a'), noDeleteOptions, dry)).gone).to.equal(true);
    expect((await registry.get(target('a'), { at: 'mostRecent' })).version).to.equal(real.version);
  });

  it('says whether a failed write may still happen', async () => {
    const failing = (result: WriteResult): Registry =>
      createRegistry({ storage: { ...lagging(memory), create: () => Promise.resolve(result) } });
    expect(
      await refusal(failing({ outcome: 'unavailable', reason: 'no leader' }).create(target(''), configMap({ name: 'a' }), options())),
    ).to.include({ code: 503, reason: 'ServiceUnavailable' });
    expect(
      await refusal(failing({ outcome: 'unknown', reason: 'the leader was lost' }).create(target(''), configMap({ name: 'a' }), options())),
    ).to.include({ code: 504, reason: 'Timeout' });
  });

  it('converts between served versions of one object', async () => {
    const [v1, v2] = [
      resourceOf('horizontalpodautoscalers', 'autoscaling', 'v1'),
      resourceOf('horizontalpodautoscalers', 'autoscaling', 'v2'),
    ];
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
    const spec = { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 60 };
    await registry.create(
      { resource: v1, namespace: 'default', name: '' },
      { kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', metadata: { name: 'h' }, spec },
      options(),
    );
    const stored = await registry.get({ resource: v2, namespace: 'default', name: 'h' }, { at: 'mostRecent' });
    expect(stored.decode()['spec']).to.deep.equal({
      maxReplicas: 3,
      minReplicas: 1,
      scaleTargetRef,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
    });
  });

  it('runs the bootstrap on several replicas at once', async () => {
    const empty = createMemoryStorage();
    const replicas = Array.from({ length: 3 }, () => createRegistry({ storage: empty }));
    await Promise.all(replicas.map((each) => bootstrap({ registry: each, catalogue })));
    const version = empty.version;
    await bootstrap({ registry, catalogue });
    expect(empty.version).to.equal(version);
    const service = await registry.get(
      { resource: resourceOf('services'), namespace: 'default', name: 'kubernetes' },
      { at: 'mostRecent' },
    );
    expect(service.decode()['spec']).to.include({ clusterIP: '10.0.0.1' });
  });

  it('removes API services that another release has made at its start, and no others', async () => {
    const resource = catalogue.resource('apiregistration.k8s.io', 'v1', 'apiservices');
    if (resource === null) throw new Error('API services are not served');
    const make = (group: string, label?: string): Promise<unknown> =>
      registry.create(
        { resource, namespace: '', name: '' },
        {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: {
            name: `v1.${group}`,
            ...(label === undefined ? {} : { labels: { 'kube-aggregator.kubernetes.io/automanaged': label } }),
          },
          spec: { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
        },
        options(),
      );
    await make('stale.example.com', 'onstart');
    await make('defined.example.com', 'true');
    await make('own.example.com');
    const names = async (): Promise<string[]> =>
      (await registry.list(resource, { ...everything, namespace: '', consistency: { at: 'mostRecent' } })).items.map(({ name }) => name);
    const before = await names();
    await bootstrap({ registry, catalogue });
    expect(await names()).to.deep.equal(before.filter((name) => name !== 'v1.stale.example.com'));
  });
});
