import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { StatusError } from '../../../../api/status.js';
import { cleanupFinalizer } from '../../../../server/extensions/definition.js';
import { CustomResources, definitionsResource, withCustomResources } from '../../../../server/extensions/definitions.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { listedGroups } from '../../../../server/discovery/listedGroups.js';
import { aggregatedGroups, resourceList } from '../../../../server/discovery/documents.js';
import { builtInResources, createCatalogue } from '../../../../server/kinds/index.js';
import { noDeleteOptions } from '../../../../server/registry/deletion.js';
import type { StoredObject, WatchSink } from '../../../../server/storage/contract.js';
import { follow } from '../../../../server/storage/follow.js';
import { createStorage, definition, definitionFixture, ExtensionServer, noWebhooks } from './harness.js';

describe('extensions/definitions', () => {
  const servers: ExtensionServer[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.stop();
      expect(server.reported).to.deep.equal([]);
    }
  });

  async function start(...args: Parameters<typeof ExtensionServer.start>): Promise<ExtensionServer> {
    const server = await ExtensionServer.start(...args);
    servers.push(server);
    return server;
  }

  const conditions = async (server: ExtensionServer, name: string): Promise<unknown> => {
    const object = (await server.registry.get(server.definitionTarget(name), { at: 'any' })).decode();
    return ((object['status'] as JsonObject)['conditions'] as JsonObject[]).map(({ type, status, reason }) => [type, status, reason]);
  };

  it('become resources once they are established', async () => {
    const server = await start();
    await server.define(definitionFixture('certificates'));
    expect(await conditions(server, 'certificates.pki.example.com')).to.deep.equal([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
    const resource = server.custom.catalogue.resource('pki.example.com', 'v1', 'certificates');
    expect(resource).to.deep.include({
      kind: 'Certificate',
      listKind: 'CertificateList',
      singular: 'certificate',
      namespaced: true,
      shortNames: ['cert', 'certs'],
      categories: ['pki', 'all'],
    });
    expect([...(resource?.subresources.keys() ?? [])]).to.deep.equal(['status', 'scale']);
    const { catalogue } = server.custom;
    const [group] = aggregatedGroups(listedGroups([], catalogue.groups, new Map()), catalogue)['items'] as JsonObject[];
    expect(group)
      .to.have.nested.property('versions[0].resources[0].responseKind')
      .that.deep.equals({ group: 'pki.example.com', version: 'v1', kind: 'Certificate' });
    expect(group)
      .to.have.nested.property('versions[0].resources[0].subresources')
      .that.deep.equals([
        {
          subresource: 'status',
          responseKind: { group: 'pki.example.com', version: 'v1', kind: 'Certificate' },
          verbs: ['get', 'patch', 'update'],
        },
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get', 'patch', 'update'] },
      ]);
    expect(server.custom.catalogue.kind('pki.example.com', 'v1', 'Certificate')).to.equal(resource);
  });

  it('list versions as clients prefer them, and only those that are served', async () => {
    const server = await start();
    const version = (name: string, storage = false, served = true): JsonObject => ({
      name,
      served,
      storage,
      schema: { openAPIV3Schema: { type: 'object' } },
    });
    await server.define(
      definition('widgets', 'Widget', {
        versions: [version('v1alpha1'), version('v2'), version('v1', true), version('v3', false, false), version('v2beta1')],
      }),
    );
    expect(server.custom.catalogue.group('example.com')?.versions.map((each) => each.version)).to.deep.equal([
      'v2',
      'v1',
      'v2beta1',
      'v1alpha1',
    ]);
    expect(server.custom.catalogue.resource('example.com', 'v2', 'widgets')?.writtenVersion).to.equal('v1');
  });

  it('stay the same entry as long as nothing that matters changes', async () => {
    const server = await start();
    await server.define(definition('widgets', 'Widget'));
    const before = server.custom.catalogue;
    await server.changeDefinition('widgets.example.com', (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }));
    expect(server.custom.catalogue).to.equal(before);
    await server.define(definition('gadgets', 'Gadget', {}, 'example.org'));
    expect(server.custom.catalogue).not.to.equal(before);
    expect(server.custom.catalogue.group('example.com')).to.equal(before.group('example.com'));
  });

  it('do not take the place of what is built in', async () => {
    const server = await start();
    const builtIn = createCatalogue();
    const joined = withCustomResources(builtIn, () => server.custom.catalogue);
    await server.registry.create(
      server.definitionTarget(''),
      {
        ...definition('widgets', 'Widget', {}, 'networking.k8s.io'),
        metadata: { name: 'widgets.networking.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
      },
      ownWrites,
    );
    await server.define(definition('widgets', 'Widget'));
    expect(joined().resource('networking.k8s.io', 'v1', 'widgets')).to.equal(null);
    expect(joined().resource('networking.k8s.io', 'v1', 'ingresses')).to.equal(builtIn.resource('networking.k8s.io', 'v1', 'ingresses'));
    expect(joined().resource('example.com', 'v1', 'widgets')).not.to.equal(null);
    expect(
      joined()
        .groups.map(({ name }) => name)
        .slice(-1),
    ).to.deep.equal(['example.com']);
    expect(joined()).to.equal(joined());
  });

  it('add versions to groups that are built in', async () => {
    const server = await start();
    const builtIn = createCatalogue();
    const joined = withCustomResources(builtIn, () => server.custom.catalogue);
    const version = (name: string): JsonObject => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: { openAPIV3Schema: { type: 'object' } },
    });
    const own = definition('bars', 'Bar', { versions: ['v1', 'v2', 'vfake'].map(version) }, 'apiextensions.k8s.io');
    await server.define({ ...own, metadata: { ...own.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } } });
    const names = (of: string): string[] | undefined =>
      joined()
        .version('apiextensions.k8s.io', of)
        ?.resources.map(({ resource }) => resource);
    expect([names('v1'), names('v2'), names('vfake')]).to.deep.equal([['customresourcedefinitions'], ['bars'], ['bars']]);
    expect(
      joined()
        .group('apiextensions.k8s.io')
        ?.versions.map((each) => each.version),
    ).to.deep.equal(['v1', 'v2', 'vfake']);
    expect(joined().groups.filter(({ name }) => name === 'apiextensions.k8s.io')).to.have.length(1);
    const [listed] = listedGroups([], joined().groups, new Map()).filter(({ name }) => name === 'apiextensions.k8s.io');
    expect(listed?.versions).to.deep.equal(['v1', 'v2', 'vfake']);
  });

  it('leave alone what is kept where objects of a built-in type are, when they go', async () => {
    const server = await start();
    const own = definition('apiservices', 'APIService', { scope: 'Cluster' }, 'apiregistration.k8s.io');
    const versions = [{ name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { ...(own['spec'] as JsonObject), versions };
    const service = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.kept.example.com' },
      spec: { group: 'kept.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    };
    await server.registry.create(server.apiServiceTarget(''), service, ownWrites);
    const name = 'apiservices.apiregistration.k8s.io';
    await server.define({ ...own, metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } }, spec });
    expect(server.custom.catalogue.groups).to.deep.equal([]);
    await server.registry.delete(server.definitionTarget(name), noDeleteOptions, ownWrites);
    await server.until(() => server.custom.lifeCycles.length === 0);
    expect((await server.registry.get(server.apiServiceTarget('v1.kept.example.com'), { at: 'any' })).name).to.equal('v1.kept.example.com');
  });

  it('are taken through their lives by several servers at once, each change written once', async () => {
    const storage = createStorage();
    const [first, second, third] = [
      await start({ storage }),
      await start({ storage, alone: false }),
      await start({ storage, alone: false }),
    ];
    await first.define(definition('widgets', 'Widget'));
    await Promise.all([second, third].map((server) => server.until(() => server.custom.catalogue.group('example.com') !== null)));
    const stored = await first.registry.get(first.definitionTarget('widgets.example.com'), { at: 'any' });
    expect(stored.decode().metadata.managedFields?.map((entry) => entry['subresource'] ?? '')).to.deep.equal(['', 'status']);
    for (let n = 0; n < 20; n++)
      await first.registry.create(
        first.target('v1', 'widgets'),
        { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: `w${n}` } },
        ownWrites,
      );
    await first.registry.delete(first.definitionTarget('widgets.example.com'), noDeleteOptions, ownWrites);
    await Promise.all([first, second, third].map((server) => server.until(() => server.custom.catalogue.group('example.com') === null)));
    const left = await storage.list({
      resource: { group: 'example.com', resource: 'widgets' },
      namespace: null,
      labels: [],
      fields: [],
      consistency: { at: 'any' },
      limit: null,
      after: null,
    });
    expect(left.outcome === 'found' && left.items).to.deep.equal([]);
  });

  it('stay until the last of their objects is gone, and take no new ones (customresource_handler.go)', async () => {
    const server = await start();
    await server.define(definition('widgets', 'Widget'));
    const held = server.target('v1', 'widgets', 'held');
    await server.registry.create(
      { ...held, name: '' },
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'held', finalizers: ['example.com/hold'] } },
      ownWrites,
    );
    const { object, gone } = await server.registry.delete(server.definitionTarget('widgets.example.com'), noDeleteOptions, ownWrites);
    expect(gone).to.equal(false);
    expect(object.decode().metadata)
      .to.deep.include({ finalizers: [cleanupFinalizer], generation: 1 })
      .and.not.to.have.property('deletionGracePeriodSeconds');
    await server.until(() => held.resource.behaviour.creationRefusal('') !== null);
    const why = 'is forbidden: create not allowed while custom resource definition is terminating';
    const generated = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { generateName: 'new-' } };
    const creating = server.registry.create({ ...held, name: '' }, generated, ownWrites);
    expect(await creating.catch((error: unknown) => error))
      .to.be.instanceOf(StatusError)
      .and.to.include({ code: 403, message: `widgets.example.com ${why}` });
    const applied = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'other' } };
    const applying = server.registry.update(
      { ...held, name: 'other' },
      { apply: () => structuredClone(applied), subresource: '', uid: null, mayCreate: () => {}, applies: true },
      { ...ownWrites, dryRun: true },
    );
    expect(await applying.catch((error: unknown) => error)).to.include({ code: 403, message: `widgets.example.com "other" ${why}` });
    const ending = server.custom.catalogue.resource('example.com', 'v1', 'widgets');
    expect(ending).not.to.equal(held.resource);
    expect(ending === null ? null : ending.behaviour).to.equal(held.resource.behaviour);
    const [listed] = resourceList('example.com', { version: 'v1', resources: ending === null ? [] : [ending] })[
      'resources'
    ] as JsonObject[];
    expect(listed?.['verbs']).to.deep.equal(['delete', 'deletecollection', 'get', 'list', 'watch']);
    expect(held.resource.behaviour.retired?.aborted).to.equal(false);
    await server.until(() =>
      server.custom.lifeCycles.some(({ conditions: list }) => list.some(({ reason }) => reason === 'InstanceDeletionInProgress')),
    );
    await server.update(held, { apply: (current) => ({ ...(current ?? {}), metadata: { ...current?.metadata, finalizers: [] } }) });
    await server.until(() => server.custom.catalogue.group('example.com') === null);
    expect(held.resource.behaviour.retired?.aborted).to.equal(true);
  });

  it('have an APIService for each version that they make, which goes with them; those of others stay', async () => {
    const storage = createStorage();
    const [server, other] = [await start({ storage }), await start({ storage, alone: false })];
    const watched: string[] = [];
    server.registry.watch(
      server.apiServiceTarget('').resource,
      { namespace: '', labels: [], fields: [], start: { at: 'any' }, initialEvents: true },
      {
        event: ({ type, object: { name } }) => {
          watched.push(`${type} ${name}`);
          for (const look of looks.splice(0)) look();
        },
        synced: () => {},
        end: () => {},
      },
    );
    const looks: (() => void)[] = [];
    const until = async (text: string): Promise<void> => {
      while (!watched.includes(text))
        await new Promise<void>((resolve) => {
          looks.push(resolve);
        });
    };
    const foreign = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.foreign.example.com' },
      spec: { group: 'foreign.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    };
    await server.registry.create(server.apiServiceTarget(''), foreign, ownWrites);
    await server.define(definitionFixture('backups'));
    await Promise.all([until('ADDED v1.storage.example.com'), until('ADDED v1beta1.storage.example.com')]);
    const made = (await server.registry.get(server.apiServiceTarget('v1.storage.example.com'), { at: 'any' })).decode();
    expect(made)
      .to.deep.include({ spec: { group: 'storage.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 } })
      .and.to.have.nested.property('metadata.labels.kube-aggregator\\.kubernetes\\.io/automanaged', 'true');
    await server.registry.delete(server.definitionTarget('backups.storage.example.com'), noDeleteOptions, ownWrites);
    await Promise.all([until('DELETED v1.storage.example.com'), until('DELETED v1beta1.storage.example.com')]);
    await Promise.all([server, other].map((each) => each.custom.settled()));
    expect(watched.filter((text) => text.includes('foreign') || text.startsWith('MODIFIED'))).to.deep.equal([
      'ADDED v1.foreign.example.com',
    ]);
    expect(watched).to.have.length(5);
  });

  it('keep their API services while any definition cannot be read', async () => {
    const storage = createStorage();
    const bogus = { namespace: '', name: 'bogus.example.com' } as StoredObject;
    const sinks = new Set<WatchSink>();
    const watch = storage.watch.bind(storage);
    storage.watch = (request, sink) => {
      if (request.resource.resource === definitionsResource.resource) sinks.add(sink);
      return watch(request, sink);
    };
    const server = await start({ storage });
    const seen: string[] = [];
    const looks = new Map<string, () => void>();
    const once = (text: string): Promise<void> => new Promise((resolve) => looks.set(text, resolve));
    const see = (text: string): void => {
      seen.push(text);
      looks.get(text)?.();
    };
    const [made, removed] = [once('put v1.example.com'), once('removed v1.stale.example.com')];
    follow(
      storage,
      { group: 'apiregistration.k8s.io', resource: 'apiservices' },
      { put: ({ name }) => see(`put ${name}`), remove: (_, name) => see(`removed ${name}`) },
    );
    for (const sink of sinks) sink.unreadable?.(bogus, 'bogus data');
    const stale = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.stale.example.com', labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'stale.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    };
    await server.registry.create(server.apiServiceTarget(''), stale, ownWrites);
    await server.define(definition('widgets', 'Widget'));
    await made;
    expect(seen).to.deep.equal(['put v1.stale.example.com', 'put v1.example.com']);
    for (const sink of sinks) sink.event({ type: 'DELETED', object: bogus } as Parameters<WatchSink['event']>[0]);
    await removed;
  });

  it('are waited for by a server that has just started, before it says that something is not there', async () => {
    const storage = createStorage();
    const first = await start({ storage });
    await first.define(definition('widgets', 'Widget'));
    const second = new CustomResources({
      storage,
      builtIn: createCatalogue(),
      isBuiltIn: builtInResources(),
      webhooks: noWebhooks,
      report: () => {},
    });
    await second.catchUp({ group: 'example.com', resource: 'widgets' });
    expect(second.catalogue.resource('example.com', 'v1', 'widgets')).not.to.equal(null);
    await second.catchUp({ group: 'example.com', resource: 'gadgets' });
    expect(second.catalogue.resource('example.com', 'v1', 'gadgets')).to.equal(null);
    second.stop();
  });

  it('that were never established go at once', async () => {
    const server = await start();
    await server.define(definition('widgets', 'Widget'));
    await server.registry.create(server.definitionTarget(''), definition('gadgets', 'Widget'), ownWrites);
    await server.until(() =>
      server.custom.lifeCycles.some(({ name, conditions: list }) => name === 'gadgets.example.com' && list.length > 0),
    );
    await server.registry.delete(server.definitionTarget('gadgets.example.com'), noDeleteOptions, ownWrites);
    await server.until(() => server.custom.lifeCycles.every(({ name }) => name !== 'gadgets.example.com'));
    expect(server.custom.catalogue.resource('example.com', 'v1', 'widgets')).not.to.equal(null);
  });
});
