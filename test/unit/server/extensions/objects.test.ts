import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { StatusError } from '../../../../api/status.js';
import { tableOf, type TableForm } from '../../../../server/endpoints/table/table.js';
import { applyConfiguration } from '../../../../server/registry/applied.js';
import { noDeleteOptions } from '../../../../server/registry/deletion.js';
import { everything } from '../../../../server/registry/everything.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { outcomeOf } from '../../../../server/registry/stepwise.js';
import type { Target } from '../../../../server/registry/target.js';
import { definition, definitionFixture, ExtensionServer } from './harness.js';
import { inOneGo } from '../../../../api/steps.js';

const widget = (name: string, spec: JsonObject = { size: 1 }, more: JsonObject = {}): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
  ...more,
});
const status = { status: {} };
const versionsWith = (subresources: JsonObject, more: JsonObject = {}): JsonObject => {
  const [version] = (definition('widgets', 'Widget')['spec'] as { versions: JsonObject[] }).versions;
  return { versions: [{ ...version, subresources, ...more }] };
};

async function refused(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StatusError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe('extensions/objects', () => {
  let server: ExtensionServer;
  beforeEach(async () => {
    server = await ExtensionServer.start();
  });
  afterEach(() => {
    server.stop();
    expect(server.reported).to.deep.equal([]);
  });

  const target = (name = ''): Target => server.target('v1', 'widgets', name);
  const create = async (object: ApiObject): Promise<ApiObject> => (await server.registry.create(target(), object, ownWrites)).decode();
  const change = async (name: string, members: JsonObject, subresource = ''): Promise<ApiObject> =>
    (await server.update(target(name), { apply: (current) => ({ ...(current ?? { metadata: {} }), ...members }), subresource })).decode();

  describe('without subresources', () => {
    beforeEach(() => server.define(definition('widgets', 'Widget')));

    // typed/reconcile_schema.go of structured-merge-diff.
    it('are owned as a whole where their type became atomic, even by a write that changes nothing', async () => {
      const fieldsOf = ({ metadata }: ApiObject): unknown =>
        (metadata.managedFields?.[0] as { fieldsV1?: JsonObject }).fieldsV1?.['f:spec'];
      expect(fieldsOf(await create(widget('a', { size: 1 })))).to.deep.equal({ '.': {}, 'f:size': {} });
      const spec = { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { size: { type: 'integer' } } };
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }];
      await server.changeDefinition('widgets.example.com', (object) => ({ ...object, spec: { ...(object['spec'] as object), versions } }));
      expect(fieldsOf(await change('a', {}))).to.deep.equal({});
    });

    it('keep a status that is created with them, and count every change but that of metadata', async () => {
      expect(await create(widget('a', { size: 1 }, { status: { ready: true } })))
        .to.deep.include({ spec: { size: 1 }, status: { ready: true } })
        .and.to.have.nested.property('metadata.generation', 1);
      expect((await change('a', { spec: { size: 2 } })).metadata.generation).to.equal(2);
      expect((await change('a', { status: { ready: false } })).metadata.generation).to.equal(3);
      const { metadata } = (await server.registry.get(target('a'), { at: 'any' })).decode();
      expect((await change('a', { metadata: { ...metadata, labels: { a: 'b' } } })).metadata.generation).to.equal(3);
      expect((await change('a', {})).metadata.resourceVersion).not.to.equal(metadata.resourceVersion);
    });

    it('must name a version to be replaced', async () => {
      await create(widget('a'));
      const error = await refused(server.update(target('a'), { apply: () => widget('a', { size: 2 }) }));
      expect(error.code).to.equal(422);
      expect(error.details?.causes).to.deep.equal([
        { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message: 'Invalid value: 0: must be specified for an update' },
      ]);
      expect(error.message).to.match(/^widgets\.example\.com "a" is invalid/);
    });

    it('tell an empty list from none', async () => {
      const spec = {
        ...(definition('widgets', 'Widget')['spec'] as JsonObject),
        ...versionsWith({}, { schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }),
      };
      await server.changeDefinition('widgets.example.com', (object) => ({
        ...object,
        spec: { ...(object['spec'] as JsonObject), versions: spec['versions'] as JsonObject[] },
      }));
      const first = await create(widget('a', {}));
      const second = await change('a', { spec: { list: [] } });
      expect(second['spec']).to.deep.equal({ list: [] });
      expect(second.metadata.resourceVersion).not.to.equal(first.metadata.resourceVersion);
    });

    it('are selected by fields only as the definition says at the time', async () => {
      await create(widget('a', { color: 'red' }));
      await create(widget('b', { color: 'blue' }));
      const red = async (): Promise<string[]> =>
        (
          await server.registry.list(target().resource, {
            ...everything,
            namespace: 'default',
            fields: [{ field: 'spec.color', equals: true, value: 'red' }],
          })
        ).items.map(({ name }) => name);
      expect(target().resource.behaviour.strategy.read.fields.supports('spec.color')).to.equal(false);
      expect(await red()).to.deep.equal([]);
      await server.changeDefinition('widgets.example.com', (object) => ({
        ...object,
        spec: { ...(object['spec'] as JsonObject), ...versionsWith({}, { selectableFields: [{ jsonPath: '.spec.color' }] }) },
      }));
      expect(target().resource.behaviour.strategy.read.fields.supports('spec.color')).to.equal(true);
      expect(await red()).to.deep.equal(['a']);
      await change('b', { spec: { color: 'red' } });
      expect(await red()).to.deep.equal(['a', 'b']);
    });
  });

  describe('with a status of its own', () => {
    beforeEach(() => server.define(definition('widgets', 'Widget', versionsWith(status))));

    it('are created without it, and it changes only through the subresource', async () => {
      expect(await create(widget('a', { size: 1 }, { status: { ready: true } }))).not.to.have.property('status');
      expect(await change('a', { status: { ready: true } }, 'status'))
        .to.deep.include({ spec: { size: 1 }, status: { ready: true } })
        .and.to.have.nested.property('metadata.generation', 1);
      expect(await change('a', { status: { ready: false }, spec: { size: 2 } }))
        .to.deep.include({ spec: { size: 2 }, status: { ready: true } })
        .and.to.have.nested.property('metadata.generation', 2);
    });

    it('have no owners where they do not fit their type, even by what is not kept', async () => {
      expect((await create(widget('a', { size: 1 }, { status: 'x' }))).metadata).not.to.have.property('managedFields');
      await create(widget('b', { size: 1 }));
      await create(widget('c', { size: 1 }));
      const text = {
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } } } },
      };
      await server.changeDefinition('widgets.example.com', (object) => ({
        ...object,
        spec: { ...(object['spec'] as JsonObject), ...versionsWith(status, text) },
      }));
      expect(
        (
          await change('b', {
            metadata: { ...(await server.registry.get(target('b'), { at: 'any' })).decode().metadata, labels: { a: 'b' } },
            spec: { size: 'x' },
          })
        ).metadata,
      ).not.to.have.property('managedFields');
      const { metadata } = (await server.registry.get(target('c'), { at: 'any' })).decode();
      expect(metadata.managedFields).to.have.length(1);
      expect((await change('c', { metadata, spec: { size: 1 } })).metadata, 'unchanged').not.to.have.property('managedFields');
    });

    it('change in nothing else through it, not even in metadata', async () => {
      const { metadata } = await create(widget('a'));
      const after = await change(
        'a',
        { metadata: { ...metadata, labels: { a: 'b' }, finalizers: ['example.com/x'] }, spec: { size: 9 }, status: { ready: true } },
        'status',
      );
      expect(after.metadata).not.to.have.any.keys('labels', 'finalizers');
      expect(after['spec']).to.deep.equal({ size: 1 });
      expect(after.metadata.managedFields?.map((entry) => entry['subresource'] ?? '')).to.deep.equal(['', 'status']);
    });

    it('lose it again', async () => {
      await create(widget('a'));
      await change('a', { status: { ready: true } }, 'status');
      const bare = await server.update(target('a'), {
        apply: (current) => {
          const { status: _status, ...rest }: ApiObject = current ?? { metadata: {} };
          return rest as ApiObject;
        },
        subresource: 'status',
      });
      expect(bare.decode()).not.to.have.property('status');
    });
  });

  it('are shown with the defaults, and without the fields, that the definition has now', async () => {
    await server.define(definition('widgets', 'Widget'));
    await create(widget('a', { size: 1, color: 'red' }));
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, weight: { type: 'integer', default: 7 } } } },
      },
    };
    const before = target('a').resource;
    await server.changeDefinition('widgets.example.com', (object) => ({
      ...object,
      spec: { ...(object['spec'] as JsonObject), ...versionsWith({}, { schema }) },
    }));
    expect(target('a').resource).not.to.equal(before);
    expect(before.behaviour.retired?.aborted).to.equal(true);
    expect((await server.registry.get(target('a'), { at: 'any' })).decode()['spec']).to.deep.equal({ size: 1, weight: 7 });
    const { items } = await server.registry.list(target().resource, { ...everything, namespace: 'default' });
    expect(items[0]?.decode()['spec']).to.deep.equal({ size: 1, weight: 7 });
    // A write without change stores the current form once.
    const written = await change('a', {});
    expect(written.metadata.generation).to.equal(1);
    expect((await change('a', {})).metadata.resourceVersion).to.equal(written.metadata.resourceVersion);
  });

  it('share what is encoded of them as long as they are stored as they are shown', async () => {
    await server.define(definition('widgets', 'Widget'));
    await create(widget('a'));
    const key = { resource: { group: 'example.com', resource: 'widgets' }, namespace: 'default', name: 'a' };
    const [raw, shown] = [await server.storage.get(key, { at: 'any' }), await server.registry.get(target('a'), { at: 'any' })];
    expect(raw.outcome === 'found' && raw.object).to.equal(shown);
    const list = { ...everything, namespace: 'default' };
    const [first, second] = [await server.registry.list(target().resource, list), await server.registry.list(target().resource, list)];
    expect(first.items[0]).to.equal(shown);
    expect(second.items[0]).to.equal(shown);
  });

  it('are refused to who applies values of other types, or fields that nobody knows', async () => {
    await server.define(definition('widgets', 'Widget'));
    const apply = (spec: JsonObject): Promise<StatusError> =>
      refused(
        Promise.resolve().then(() =>
          inOneGo(
            applyConfiguration(null, {
              resource: target().resource,
              config: widget('a', spec),
              manager: 'm',
              subresource: '',
              force: false,
              now: '2026-01-01T00:00:00Z',
            }),
          ),
        ),
      );
    for (const [spec, message] of [
      [{ size: 'five' }, '.spec.size: expected numeric (int or float), got string'],
      [{ color: 5 }, '.spec.color: expected string, got &value.valueUnstructured{Value:5}'],
      [{ weight: 5 }, '.spec.weight: field not declared in schema'],
    ] as const) {
      const error = await apply(spec);
      expect(error).to.include({ code: 500, reason: '' });
      expect(error.message).to.equal(`failed to create typed patch object (/a; example.com/v1, Kind=Widget): ${message}`);
    }
    const applied = inOneGo(
      applyConfiguration(null, {
        resource: target().resource,
        config: widget('a', { size: 1 }),
        manager: 'm',
        subresource: '',
        force: false,
        now: '2026-01-01T00:00:00Z',
      }),
    );
    expect(applied.metadata.managedFields?.[0]?.['fieldsV1']).to.deep.equal({ 'f:spec': { 'f:size': {} } });
  });

  it('are not laid over by who applies where a value no longer fits its type', async () => {
    await server.define(definition('widgets', 'Widget'));
    const request = { manager: 'm', subresource: '', force: false, now: '2026-01-01T00:00:00Z' };
    const owners = [
      { manager: 'u', operation: 'Update', apiVersion: 'example.com/v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } },
    ];
    const owned = (object: ApiObject): ApiObject => ({ ...object, metadata: { ...object.metadata, managedFields: owners } });
    const live = (spec: JsonObject): ApiObject => owned(widget('a', spec));
    const over = (spec: JsonObject): Promise<StatusError> =>
      refused(
        Promise.resolve().then(() =>
          inOneGo(applyConfiguration(live(spec), { ...request, resource: target().resource, config: widget('a', {}) })),
        ),
      );
    const prefix = 'failed to create typed live object (/a; example.com/v1, Kind=Widget): ';
    expect((await over({ size: 'five' })).message).to.equal(`${prefix}.spec.size: expected numeric (int or float), got string`);
    const error = await refused(
      Promise.resolve().then(() =>
        inOneGo(
          applyConfiguration(owned({ ...widget('a'), spec: [{ b: [1, null], a: 'x' }] } as unknown as ApiObject), {
            ...request,
            resource: target().resource,
            config: widget('a', {}),
          }),
        ),
      ),
    );
    expect(error).to.include({ code: 500, message: `${prefix}.spec: expected map, got &{[map[a:x b:[1 <nil>]]]}` });
    expect(
      inOneGo(applyConfiguration(live({ size: 1, unknown: 1 }), { ...request, resource: target().resource, config: widget('a', {}) }))[
        'spec'
      ],
    ).to.deep.equal({
      size: 1,
      unknown: 1,
    });
  });

  it('are refused with a null that is applied where none may be', async () => {
    await server.define(definition('widgets', 'Widget'));
    const { behaviour } = target().resource;
    const receiveApplied = behaviour.receiveApplied ?? behaviour.receive;
    const received = inOneGo(outcomeOf(receiveApplied(widget('a', { size: null, color: null }) as JsonObject)));
    if (!received.ok) throw new Error('not received');
    const error = await refused(server.registry.create(target(), received.object, ownWrites));
    expect(error.details?.causes?.map(({ field }) => field)).to.have.members(['spec.size', 'spec.color']);
    const posted = inOneGo(outcomeOf(behaviour.receive(widget('a', { size: null }) as JsonObject)));
    expect(posted.ok && posted.object['spec']).to.deep.equal({});
  });

  it('show their kind and version in columns that ask for them', async () => {
    const columns = ['apiVersion', 'kind'].map((name) => ({ name, type: 'string', jsonPath: `.${name}` }));
    await server.define(definition('widgets', 'Widget', versionsWith({}, { additionalPrinterColumns: columns })));
    await create(widget('a'));
    const { resource } = target();
    const stored = await server.registry.get(target('a'), { at: 'any' });
    const form: TableForm = { form: 'table', apiVersion: 'meta.k8s.io/v1', include: 'None' };
    const { rows } = tableOf(resource, [stored], { resourceVersion: '1' }, { form, headers: true });
    expect((rows as JsonObject[])[0]?.['cells']).to.deep.equal(['a', 'example.com/v1', 'Widget']);
  });

  it('scale at the paths of the definition', async () => {
    await server.define(definitionFixture('certificates'));
    const certificates = (name = ''): Target => server.target('v1', 'certificates', name, 'pki.example.com');
    const stored = await server.registry.create(
      certificates(),
      {
        apiVersion: 'pki.example.com/v1',
        kind: 'Certificate',
        metadata: { name: 'a' },
        spec: { secretName: 's', issuerRef: { name: 'i' } },
      },
      ownWrites,
    );
    const { scale } = certificates().resource.behaviour;
    expect(scale.show(stored.decode(), '5')).to.deep.include({ kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 0 } });
    const put = scale.put(
      { metadata: { resourceVersion: '1' }, spec: {} },
      { metadata: { resourceVersion: '9' }, spec: { replicas: 4 } },
      certificates().resource,
    );
    expect(put).to.deep.equal({ metadata: { resourceVersion: '9' }, spec: { copies: 4 } });
    expect(scale.show({ metadata: {}, spec: {} }, '1')).to.deep.include({ spec: {}, status: { replicas: 0 } });
    expect(() => scale.read?.({ metadata: {}, spec: {} }, '1')).to.throw(
      StatusError,
      'the spec replicas field ".spec.copies" does not exist',
    );
    expect(() => scale.put({ metadata: {}, spec: {} }, scale.before({ metadata: {}, spec: {} }, '1'), certificates().resource)).to.throw(
      StatusError,
      'the spec replicas field ".spec.copies" cannot be empty',
    );
    const negative = await refused(
      server.update(certificates('a'), {
        apply: (current) => scale.put(current ?? { metadata: {} }, { metadata: {}, spec: { replicas: -1 } }, certificates().resource),
        subresource: 'scale',
      }),
    );
    expect(negative.details?.causes?.map(({ field }) => field)).to.deep.equal(['spec.copies', '.spec.copies']);
  });

  it('in versions that are deprecated are announced as such', async () => {
    await server.define(definitionFixture('backups'));
    const deprecation = (version: string): string | undefined =>
      server.target(version, 'backups', '', 'storage.example.com').resource.behaviour.deprecation?.text;
    expect(deprecation('v1beta1')).to.equal('storage.example.com/v1beta1 Backup is deprecated; use storage.example.com/v1 Backup');
    expect(deprecation('v1')).to.equal(undefined);
  });

  it('take finalizers of any name, with a word of advice', async () => {
    await server.define(definition('widgets', 'Widget'));
    const warnings: string[] = [];
    const options = {
      ...ownWrites,
      warn: (text: string): void => {
        warnings.push(text);
      },
    };
    await server.registry.create(
      target(),
      { ...widget('a'), metadata: { name: 'a', finalizers: ['plain', 'example.com/own', 'example.com', 'orphan'] } },
      options,
    );
    expect(warnings.splice(0)).to.deep.equal([
      'metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
    await server.registry.update(
      target('a'),
      {
        apply: (current) => ({ ...(current ?? {}), metadata: { ...current?.metadata, finalizers: ['plain', 'more'] } }),
        subresource: '',
        uid: null,
        mayCreate: null,
      },
      options,
    );
    expect(warnings).to.have.length(1).and.to.have.nested.property('[0]').that.contains('"more"');
  });

  it('are warned of what was wrong before also where something else is refused, and of items of sets only as a whole', async () => {
    const long = { 'x-kubernetes-validations': [{ rule: 'self.size() > 3', message: 'too short' }] };
    const withRules = (rules: JsonObject): Promise<unknown> => {
      const text = { type: 'string', maxLength: 9, ...rules };
      const set = { type: 'array', maxItems: 9, 'x-kubernetes-list-type': 'set', items: text };
      const spec = { type: 'object', properties: { a: text, b: text, set } };
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
      return server.changeDefinition('widgets.example.com', (object) => ({
        ...object,
        spec: { ...(object['spec'] as JsonObject), ...versionsWith({}, { schema }) },
      }));
    };
    await server.define(definition('widgets', 'Widget'));
    await withRules({});
    await create(widget('a', { a: 'old', set: ['x', 'y'] }));
    await withRules(long);
    const warnings: string[] = [];
    const specified = (spec: JsonObject): Promise<unknown> =>
      server.registry.update(
        target('a'),
        { apply: (current) => ({ ...(current ?? { metadata: {} }), spec }), subresource: '', uid: null, mayCreate: null },
        { ...ownWrites, warn: (text) => warnings.push(text) },
      );
    const fieldsOf = async (work: Promise<unknown>): Promise<unknown> => (await refused(work)).details?.causes?.map(({ field }) => field);
    expect(await fieldsOf(specified({ a: 'old', b: 'new', set: ['x', 'y'] }))).to.deep.equal(['spec.b']);
    expect(warnings.map((text) => text.split(':')[0])).to.have.members(['spec.a', 'spec.set[0]', 'spec.set[1]']);
    expect(await fieldsOf(specified({ a: 'old', set: ['y', 'x', 'long enough'.slice(0, 9)] }))).to.deep.equal([
      'spec.set[0]',
      'spec.set[1]',
    ]);
    await specified({ a: 'old', set: ['x', 'y'] });
  });

  it('are refused for everything at once: metadata, schema and scale', async () => {
    await server.define(definitionFixture('certificates'));
    const bad = {
      apiVersion: 'pki.example.com/v1',
      kind: 'Certificate',
      metadata: { name: 'Bad', labels: { 'a b': 'c' } },
      spec: { secretName: '', copies: -1, issuerRef: { name: 'i' } },
    };
    const error = await refused(server.registry.create(server.target('v1', 'certificates', '', 'pki.example.com'), bad, ownWrites));
    expect(error.details?.causes?.map(({ field }) => field)).to.include.members([
      'metadata.name',
      'metadata.labels',
      'spec.secretName',
      'spec.copies',
      '.spec.copies',
    ]);
  });

  it('are deleted through finalizers like all others', async () => {
    await server.define(definition('widgets', 'Widget'));
    await create({ ...widget('a'), metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    expect((await server.registry.delete(target('a'), noDeleteOptions, ownWrites)).gone).to.equal(false);
    const held = (await server.registry.get(target('a'), { at: 'any' })).decode();
    expect(held.metadata).to.include({ generation: 2, deletionGracePeriodSeconds: 0 });
    await change('a', { metadata: { ...held.metadata, finalizers: [] } });
    expect((await refused(server.registry.get(target('a'), { at: 'any' }))).code).to.equal(404);
  });
});
