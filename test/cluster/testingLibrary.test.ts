import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  Connection,
  RestApi,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  keyOf,
  mergePatch,
  resource,
  type KubeObject,
} from '../../controllers/client/index.js';
import { eventually, startApiServer, startCluster, type ClientConfig, type TestCluster } from '../../deploy/testing/index.js';
import { widgets } from '../fixtures/widgets.js';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
const configMaps = resource<ConfigMap>({ apiVersion: 'v1', resource: 'configmaps', kind: 'ConfigMap' });
const serviceAccounts = resource({ apiVersion: 'v1', resource: 'serviceaccounts', kind: 'ServiceAccount' });
const serviceAccount = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'kube-system' },
});
const named = (name: string, data: Readonly<Record<string, string>> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const widget = (name: string, more: object = {}): object => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  ...more,
});

/** Without retries, so that a test sees each failure. */
async function using(config: ClientConfig, work: (api: RestApi) => Promise<void>): Promise<void> {
  const connection = new Connection(config);
  try {
    await work(new RestApi({ connection, userAgent: 'test', retries: 0 }));
  } finally {
    connection.close();
  }
}
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('cluster/testing library: one server', () => {
  let server: TestCluster;
  before(async () => {
    server = await startApiServer();
  });
  afterEach(() => server.reset());
  after(() => server.stop());

  it('applies YAML and objects, and waits for what a function says', async () => {
    const [made] = await server.apply('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n');
    expect(made!.metadata.namespace).to.equal('default');
    const waiting = server.waitFor<ConfigMap>(named('a'), (object) => object?.data?.['k'] === 'w');
    await server.apply(named('a', { k: 'w' }));
    expect((await waiting)?.data).to.deep.equal({ k: 'w' });
    const gone = server.waitFor(named('a'), 'deleted');
    await using(server.admin, (api) => api.delete(configMaps, { namespace: 'default', name: 'a' }));
    expect(await gone).to.equal(null);
    expect(await failure(server.waitFor(named('b'), 'Ready', { timeoutMs: 20 })))
      .to.have.property('message')
      .that.contains('was not Ready within 20 ms: it does not exist');
  });

  it('reads, lists, patches, watches and deletes objects by their kind, whose types it knows', async () => {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' } as const;
    const one = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } } as const;
    expect(await server.get(one)).to.equal(null);
    const [made] = await server.apply({ ...one, data: { k: 'v' } });
    const data: Readonly<Record<string, string>> | undefined = made.data;
    expect(data).to.deep.equal({ k: 'v' });
    const patched = await server.patch(one, { data: { more: 'w' } });
    expect(patched.data).to.deep.equal({ k: 'v', more: 'w' });
    await server.patch(one, [{ op: 'remove', path: '/data/k' }]);
    expect((await server.get(one))?.data).to.deep.equal({ more: 'w' });
    expect(
      (await server.list(kind)).filter(({ data: found }) => found?.['more'] === 'w').map(({ metadata }) => metadata.name),
    ).to.deep.equal(['one']);
    const seen: string[] = [];
    const watch = await server.watch({ ...kind, fieldSelector: 'metadata.name=one' });
    const gone: Promise<null> = server.waitFor(one, 'deleted');
    await server.delete(one);
    expect(await gone).to.equal(null);
    for await (const { type } of watch) {
      seen.push(type);
      if (type === 'DELETED') break;
    }
    expect(seen).to.deep.equal(['ADDED', 'DELETED']);
  });

  it('has roles in effect when a user is created', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
      const reader = await server.createUser({ name: `reader-${turn}`, rules });
      await using(reader, async (api) => {
        await api.list(configMaps, { namespace: 'default' });
      });
    }
  });

  it('waits for what an expression says, and refuses one that can never hold', async () => {
    const waiting = server.waitFor<ConfigMap>(named('cel'), 'object != null && has(object.data.k) && object.data.k.startsWith("w")');
    await server.apply(named('cel', { other: 'v' }));
    await server.apply(named('cel', { k: 'wide' }));
    expect((await waiting)?.data).to.include({ k: 'wide' });
    expect(await failure(server.waitFor(named('cel'), 'object.data.nothing == "x"', { timeoutMs: 20 })))
      .to.have.property('message')
      .that.contains('within 20 ms');
    for (const wrong of ['object.data +', 'size(object.data) + 1'])
      expect(await failure(server.waitFor(named('cel'), wrong)), wrong)
        .to.have.property('message')
        .that.contains(wrong);
  });

  it('makes the disk slow until the cluster is reset', async () => {
    const [member] = server.members;
    const writeMs = async (): Promise<number> => {
      const begun = performance.now();
      await server.apply(named('slow', { at: String(begun) }));
      return performance.now() - begun;
    };
    await member!.slowDisk(150);
    expect(await writeMs()).to.be.at.least(150);
    await server.reset();
    // One may still be active.
    await eventually(async () => (await writeMs()) < 150);
    expect(await failure(member!.slowDisk(-1))).to.be.instanceOf(RangeError);
  });

  it('serves custom types as soon as they are installed, and empties the cluster, finalizers or not', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crds-'));
    fs.mkdirSync(path.join(folder, 'below'));
    fs.writeFileSync(path.join(folder, 'below', 'widgets.json'), JSON.stringify(widgets));
    fs.writeFileSync(path.join(folder, 'notes.yaml'), 'kind: Other\napiVersion: v1\nmetadata: {name: x}\n');
    await server.installCRDs(folder);
    fs.rmSync(folder, { recursive: true });
    await server.apply([
      widget('w', { metadata: { name: 'w', namespace: 'team', finalizers: ['example.org/stays'] } }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    ]);
    await server.reset();
    await using(server.admin, async (api) => {
      expect(isNotFound(await failure(api.read('/apis/example.org/v1/widgets')))).to.equal(true);
      expect(isNotFound(await failure(api.read('/api/v1/namespaces/team')))).to.equal(true);
      expect(await api.read<{ readonly kind: string }>('/api/v1/namespaces/default')).to.have.property('kind', 'Namespace');
    });
  });

  it('brings a snapshot back: custom types, status, and owners under their new uids', async () => {
    await server.installCRDs(widgets);
    const [owner] = await server.apply(widget('owner'));
    await server.apply(
      [named('owned')].map((object) => ({
        ...object,
        metadata: {
          ...object.metadata,
          ownerReferences: [{ apiVersion: 'example.org/v1', kind: 'Widget', name: 'owner', uid: owner!.metadata.uid! }],
        },
      })),
    );
    const type = resource<KubeObject & { readonly status?: unknown }>({
      apiVersion: 'example.org/v1',
      resource: 'widgets',
      kind: 'Widget',
    });
    await using(server.admin, async (api) => {
      await api.patch(type, keyOf(owner!), mergePatch({ status: { ready: true } }), { subresource: 'status' });
    });
    const snapshot = await server.snapshot();
    await server.restore(snapshot);
    await using(server.admin, async (api) => {
      const again = await api.get(type, keyOf(owner!));
      expect(again.status).to.deep.equal({ ready: true });
      expect(again.metadata.uid).not.to.equal(owner!.metadata.uid);
      expect((await api.get(configMaps, { namespace: 'default', name: 'owned' })).metadata.ownerReferences![0]!.uid).to.equal(
        again.metadata.uid,
      );
    });
    expect(await failure(server.restore(Buffer.from([0xa0]))))
      .to.have.property('message')
      .that.contains('no snapshot');
  });

  it('lets a user do what the rules say, and tells what a user has asked', async () => {
    const reader = await server.createUser({ rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }] });
    await using(reader, async (api) => {
      await api.list(configMaps, { namespace: 'default' });
      expect(isForbidden(await failure(api.create(configMaps, named('no'))))).to.equal(true);
    });
    const asked = server.audit('test-user-1');
    expect(asked.at(-1)).to.deep.include({ verb: 'create', resource: 'configmaps', namespace: 'default', code: 403 });
    expect(asked.at(-2)).to.deep.include({ verb: 'list', code: 200 });
    expect(server.audit().some(({ user }) => user === 'kubernetes-admin')).to.equal(true);
  });

  it('lets requests fail by status, by latency, and by a connection that breaks before or after the work', async () => {
    await using(server.admin, async (api) => {
      const busy = await server.fail('POST /api/v1/namespaces/*/configmaps', { status: 429, retryAfterSeconds: 7, times: 2 });
      for (let turn = 0; turn < 2; turn++)
        expect(await failure(api.create(configMaps, named('a')))).to.deep.include({ code: 429, retryAfterSeconds: 7 });
      await busy.spent;
      await api.create(configMaps, named('a'));
      await server.fail('PUT /**', { status: 409 });
      expect(isConflict(await failure(api.update(configMaps, named('a'))))).to.equal(true);
      const begun = performance.now();
      await server.fail({ method: 'GET', path: '/**/a' }, { latencyMs: 60 });
      await api.get(configMaps, { namespace: 'default', name: 'a' });
      expect(performance.now() - begun).to.be.at.least(60);
    });
    for (const [reset, name, made] of [
      ['before', 'b', false],
      ['after', 'c', true],
    ] as const) {
      await server.fail('POST /**', { reset });
      await using(server.admin, async (api) => {
        expect(await failure(api.create(configMaps, named(name)))).to.have.property('name', 'ConnectionError');
        expect((await failure(api.get(configMaps, { namespace: 'default', name }))) === null, reset).to.equal(made);
      });
    }
  });

  it('fails requests over HTTP/1.1 as well', async () => {
    await server.fail('GET /version', { status: 503 });
    const files = fs.mkdtempSync(path.join(os.tmpdir(), 'http1-'));
    fs.writeFileSync(path.join(files, 'ca.crt'), server.ca);
    const ask = `require('https').get('${server.url}/version', { ca: require('fs').readFileSync('${files}/ca.crt') }, r => { r.resume(); console.log(r.statusCode); r.on('end', () => process.exit()); })`;
    const answers = [1, 2].map(() => Number(execFileSync(process.execPath, ['-e', ask], { encoding: 'utf8' })));
    fs.rmSync(files, { recursive: true });
    expect(answers).to.deep.equal([503, 200]);
  });

  it('tells watchers of everything that a reset takes, in order, at later versions', async () => {
    await using(server.admin, async (api) => {
      const { metadata } = await api.list(configMaps, { namespace: 'default' });
      const names = Array.from({ length: 600 }, (_, index) => `many-${index}`);
      const made = await server.apply(names.map((name) => named(name)));
      const newest = Math.max(...made.map((object) => Number(object.metadata.resourceVersion)));
      const watch = await api.watch(configMaps, { namespace: 'default', resourceVersion: metadata.resourceVersion! });
      const resetting = server.reset();
      const left = new Set(names);
      let version = 0;
      for await (const { type, object } of watch) {
        const { name, resourceVersion } = (object as KubeObject).metadata;
        expect(Number(resourceVersion)).to.be.at.least(version);
        version = Number(resourceVersion);
        if (type === 'DELETED') {
          expect(version).to.be.greaterThan(newest);
          left.delete(name ?? '');
        }
        if (left.size === 0) break;
      }
      await resetting;
      expect(
        (await api.list(configMaps, { namespace: 'default' })).items.filter(({ metadata: { name } }) => names.includes(name ?? '')),
      ).to.deep.equal([]);
    });
  });

  it('drops history also where nothing was written since it was seen', async () => {
    await using(server.admin, async (api) => {
      const { metadata } = await api.list(configMaps, { namespace: 'default' });
      await server.expireHistory();
      const again = await failure(
        (async () => {
          const resumed = await api.watch(configMaps, { namespace: 'default', resourceVersion: metadata.resourceVersion! });
          for await (const { type, object } of resumed) throw new Error(`${type} ${(object as { readonly code?: number }).code}`);
        })(),
      );
      expect(isExpired(again) || (again as Error).message === 'ERROR 410', String(again)).to.equal(true);
    });
  });

  it('drops watches, and history before them', async () => {
    await using(server.admin, async (api) => {
      const {
        metadata: { resourceVersion },
      } = await api.list(configMaps, { namespace: 'default' });
      const watch = await api.watch(configMaps, { namespace: 'default', resourceVersion: resourceVersion! });
      const end = failure(
        (async () => {
          for await (const _ of watch) {
            /* until it ends */
          }
        })(),
      );
      await server.apply(named('later'));
      await server.expireHistory();
      await end;
      const again = await failure(
        (async () => {
          for await (const { type, object } of await api.watch(configMaps, { namespace: 'default', resourceVersion: resourceVersion! }))
            throw new Error(`${type} ${(object as { readonly code?: number }).code}`);
        })(),
      );
      expect(isExpired(again) || (again as Error).message === 'ERROR 410', String(again)).to.equal(true);
    });
  });

  it('asks a webhook of the test, whose answer may be a changed object, a refusal or an error', async () => {
    const webhook = await server.serveWebhook(({ object }) => {
      const {
        metadata: { name },
        ...rest
      } = object as ConfigMap;
      if (name === 'refused') return { allowed: false, message: 'not this one' };
      if (name === 'broken') throw new Error('the handler broke');
      return { ...rest, metadata: object!.metadata, data: { ...rest.data, seen: 'yes' } } as ConfigMap;
    });
    await server.apply({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'test' },
      webhooks: [
        {
          name: 'test.example.org',
          clientConfig: webhook.clientConfig,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      ],
    });
    const [seen] = await server.apply(named('seen'));
    expect((seen as ConfigMap).data).to.deep.equal({ seen: 'yes' });
    expect(await failure(server.apply(named('refused'))))
      .to.have.property('message')
      .that.contains('not this one');
    expect(await failure(server.apply(named('broken'))))
      .to.have.property('message')
      .that.contains('the handler broke');
    expect(webhook.requests.at(-1)).to.deep.include({ operation: 'CREATE', name: 'broken' });
  });
});

describe('cluster/testing library: three servers', () => {
  for (const inProcess of [true, false]) {
    it(`cuts off, hands over, holds, kills and restarts members ${inProcess ? 'in threads' : 'in processes'}`, async () => {
      await using3({ inProcess }, async (cluster) => {
        const first = await cluster.leader();
        await cluster.isolate(first);
        const second = await eventually(async () => {
          const now = await cluster.leader();
          return now === first ? null : now;
        }).then((now) => now!);
        await cluster.apply(named('after'));
        await cluster.heal();
        expect(await cluster.transferLeadership()).not.to.equal(second);
        const third = await cluster.leader();
        third.pause();
        await eventually(async () => (await cluster.leader()) !== third);
        third.resume();
        const fourth = await cluster.leader();
        await fourth.kill();
        expect(fourth.running).to.equal(false);
        await cluster.leader();
        await fourth.restart();
        expect(cluster.members.every(({ running }) => running)).to.equal(true);
        await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'goes' } });
        await using(cluster.admin, (api) =>
          api.delete(resource({ apiVersion: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false }), {
            namespace: '',
            name: 'goes',
          }),
        );
        // Only controllers do that.
        await cluster.waitFor({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'goes' } }, 'deleted');
      });
    });
  }
});

describe('cluster/testing library: controllers', () => {
  it('keep the accounts that they write as through a reset', async () => {
    const cluster = await startApiServer({ controllers: true });
    try {
      await cluster.waitFor(
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'namespace-controller', namespace: 'kube-system' } },
        (object) => object !== null,
      );
      await using(cluster.admin, async (api) => {
        const uids = async (): Promise<readonly (string | undefined)[]> =>
          (await api.list(serviceAccounts, { namespace: 'kube-system' })).items.map(({ metadata }) => metadata.uid);
        await cluster.apply(serviceAccount('of-the-test'));
        const before = await uids();
        await cluster.reset();
        const after = await uids();
        expect(before.filter((uid) => !after.includes(uid))).to.have.lengthOf(1);
      });
    } finally {
      await cluster.stop();
    }
  });
});

describe('cluster/testing library: time', () => {
  for (const inProcess of [true, false]) {
    it(`goes by for controllers, nodes and servers when it runs ${inProcess ? 'in threads' : 'in processes'}`, async () => {
      const cluster = await startApiServer({ controllers: true, nodes: 1, inProcess });
      try {
        await cluster.apply({
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'hourly' },
          spec: {
            schedule: '@hourly',
            jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } } },
          },
        });
        const lease = {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'fake-node-0', namespace: 'kube-node-lease' },
        };
        await cluster.waitFor(lease, 'object != null');
        const hourMs = 60 * 60 * 1000;
        await cluster.clock.advance(hourMs);
        expect(cluster.clock.aheadMs).to.equal(hourMs);
        await cluster.waitFor(
          { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'hourly' } },
          'has(object.status.lastScheduleTime)',
          { timeoutMs: 30_000 },
        );
        await cluster.waitFor(lease, `timestamp(object.spec.renewTime) > timestamp("${new Date(Date.now() + hourMs / 2).toISOString()}")`);
        const [made] = await cluster.apply(named('made-later'));
        expect(Date.parse(String(made!.metadata.creationTimestamp)) - Date.now()).to.be.above(hourMs / 2);
        expect(await failure(cluster.clock.advance(-1))).to.be.instanceOf(RangeError);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${cluster.logs()}`, { cause: error });
      } finally {
        await cluster.stop();
      }
    });
  }
});

async function using3(options: { readonly inProcess: boolean }, work: (cluster: TestCluster) => Promise<void>): Promise<void> {
  const cluster = await startCluster(options);
  try {
    await work(cluster);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${cluster.logs()}`, { cause: error });
  } finally {
    await cluster.stop();
  }
}
