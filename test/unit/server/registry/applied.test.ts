import { expect } from 'chai';
import type { Admission } from '../../../../server/registry/admission.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { StatusError } from '../../../../api/status.js';
import type { Versions } from '../../../../server/patch/apply/ownership.js';
import type { Schema } from '../../../../server/patch/apply/schema.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { applyConfiguration } from '../../../../server/registry/applied.js';
import { bootstrap } from '../../../../server/registry/bootstrap.js';
import type { Change, Registry, WriteOptions } from '../../../../server/registry/contract.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { createRegistry } from '../../../../server/registry/store.js';
import type { Target } from '../../../../server/registry/target.js';
import type { Storage } from '../../../../server/storage/contract.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import { createSample } from './sample.js';
import { inOneGo } from '../../../../api/steps.js';

const catalogue = createCatalogue();
const resource = catalogue.resource('', 'v1', 'configmaps')!;
const at = (name: string): Target => ({ resource, namespace: 'default', name });
const map = (name: string, metadata: JsonObject = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data: { k: 'v' },
});

async function registryOf(storage: Storage, admission: Admission | null = null): Promise<Registry> {
  await bootstrap({ registry: createRegistry({ storage }), catalogue });
  return createRegistry({ storage, admission });
}

/** A server-side apply at a given time. */
const applying = (config: ApiObject, manager: string, now: string): Change => ({
  apply: (current) => {
    const live = current === null ? null : { ...current, apiVersion: 'v1', kind: 'ConfigMap' };
    const request = { resource, config: structuredClone(config), manager, subresource: '', force: false, now };
    const object = inOneGo(applyConfiguration(live, request));
    object.metadata.resourceVersion = current?.metadata.resourceVersion ?? '';
    return object;
  },
  subresource: '',
  uid: null,
  mayCreate: () => {},
  applies: true,
});

const time = (second: number): string => `2026-01-01T00:00:0${second}Z`;
const ownersOfData = [
  { manager: 'u', operation: 'Update', apiVersion: 'v1', time: time(0), fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:k': {} } } },
];

describe('registry/applied', () => {
  it('says of a misfit without owners that nobody can be made its owner', () => {
    const accounts = catalogue.resource('', 'v1', 'serviceaccounts')!;
    const account = (more: JsonObject): ApiObject => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' }, ...more });
    const request = { resource: accounts, config: account({}), manager: 'a', subresource: '', force: false, now: time(0) };
    const live = account({ secrets: [{}] });
    expect(() => inOneGo(applyConfiguration(live, request))).to.throw(
      'failed to create manager for existing fields: failed to convert new object (/a; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0',
    );
    const owned = { ...live, metadata: { ...live.metadata, managedFields: ownersOfData } };
    expect(() => inOneGo(applyConfiguration(owned, request))).to.throw('failed to create typed live object (/a; /v1, Kind=ServiceAccount)');
  });

  it('takes null for the owners for a change, as it does any other null', () => {
    const live = { ...map('live'), metadata: { name: 'live', managedFields: ownersOfData } };
    const timeUnder = (metadata: JsonObject): unknown[] => {
      const request = { resource, config: map('live', metadata), manager: 'a', subresource: '', force: false, now: time(1) };
      return (inOneGo(applyConfiguration(live, request)).metadata.managedFields ?? []).map((entry) => [entry['manager'], entry['time']]);
    };
    expect(timeUnder({})).to.deep.equal([
      ['a', undefined],
      ['u', time(0)],
    ]);
    expect(timeUnder({ managedFields: null })).to.deep.equal([
      ['a', time(1)],
      ['u', time(0)],
    ]);
  });

  it('lists conflicts with a first writer in order, whatever the order of its object', () => {
    const live = { ...map('live', { labels: { b: 'x', a: 'x' } }), data: { n: 'x', m: 'x' } };
    const config = { ...map('live', { labels: { b: 'y', a: 'y' } }), data: { n: 'y', m: 'y' } };
    const request = { resource, config, manager: 'a', subresource: '', force: false, now: time(0) };
    expect(() => inOneGo(applyConfiguration(live, request))).to.throw(
      'Apply failed with 4 conflicts: conflicts with "before-first-apply" using v1:\n- .data.m\n- .data.n\n- .metadata.labels.a\n- .metadata.labels.b',
    );
  });

  it('lists managers in the order of what identifies them, through which part of the object they wrote first', () => {
    const owner = (subresource: string | undefined, member: string): JsonObject => ({
      manager: 'u',
      operation: 'Update',
      apiVersion: 'v1',
      time: time(0),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:${member}`]: {} } },
      ...(subresource === undefined ? {} : { subresource }),
    });
    const managedFields = [owner(undefined, 'm'), owner('scale', 'n')];
    const live = { ...map('live'), metadata: { name: 'live', managedFields }, data: { n: 'x', m: 'x' } };
    const request = {
      resource,
      config: { ...map('live'), data: { n: 'y', m: 'y' } },
      manager: 'a',
      subresource: '',
      force: false,
      now: time(0),
    };
    expect(() => inOneGo(applyConfiguration(live, request))).to.throw(
      'Apply failed with 2 conflicts: conflicts with "u" with subresource "scale" using v1:\n- .data.n\nconflicts with "u" using v1:\n- .data.m',
    );
  });

  it('ends where the object does not fit a version in which somebody owns fields', () => {
    const [text, set]: Schema[] = [
      { kind: 'leaf', scalar: 'string' },
      { kind: 'list', relationship: 'set', element: { kind: 'leaf', scalar: 'string' } },
    ];
    const structure = (fields: Record<string, Schema>): Schema => ({
      kind: 'struct',
      atomic: false,
      field: (name) => fields[name],
      always: [],
    });
    const types: Record<string, Schema> = {
      v1: structure({ apiVersion: text!, metadata: { kind: 'unknown' }, a: text!, list: set! }),
      v2: { kind: 'unknown' },
    };
    const versions: Versions = { schemaOf: (name) => types[name] ?? null, convert: (object) => ({ ...object }) };
    const owned = (manager: string, apiVersion: string, fields: JsonObject): JsonObject => ({
      manager,
      operation: 'Apply',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: fields,
    });
    const message = (live: JsonObject, config: JsonObject, owners: JsonObject[]): string => {
      const request = {
        resource: { ...resource, version: 'v2' },
        config: { ...config, metadata: {} },
        manager: 'm',
        subresource: '',
        force: true,
        now: time(0),
        versions,
      };
      try {
        inOneGo(applyConfiguration({ ...live, metadata: { managedFields: owners } } as unknown as ApiObject, request));
        return '';
      } catch (error) {
        return `${(error as StatusError).code} ${(error as StatusError).message}`;
      }
    };
    const other = owned('other', 'v1', { 'f:a': {} });
    expect(message({ a: 'x' }, { a: 'x' }, [other])).to.equal('');
    expect(message({ a: 'x', b: 1 }, { a: 'x' }, [other])).to.equal('500 .b: field not declared in schema');
    expect(message({ a: 'x' }, { b: 1 }, [other])).to.equal('500 failed to convert new object: .b: field not declared in schema');
    expect(message({ a: 'x' }, { list: ['s', 's'] }, [owned('m', 'v1', { 'f:a': {} })])).to.equal(
      '500 failed to prune fields: failed to convert merged object to last applied version: .list: duplicate entries for key [="s"]',
    );
  });

  it('records no owners for an object whose status, which nobody keeps, has items without keys', async () => {
    const sample = await createSample();
    const created = await sample.create({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'f' },
      spec: { priorityLevelConfiguration: { name: 'p' } },
      status: { conditions: [{}] },
    });
    expect(created.metadata).not.to.have.property('managedFields');
  });

  it('writes nothing when it changes nothing, also where what is sent is spelled otherwise', async () => {
    const registry = await registryOf(createMemoryStorage());
    const config = map('same', { creationTimestamp: null });
    const apply = async (manager: string, second: number): Promise<number> =>
      (await registry.update(at('same'), applying(config, manager, time(second)), ownWrites)).object.version;
    await apply('a', 0);
    // A manager that repeats an unchanged apply moves to the end of the list.
    const version = await apply('b', 1);
    expect(await apply('a', 2)).to.equal(version);
    expect(await apply('b', 3)).to.equal(version);
    const { managedFields = [] } = (await registry.get(at('same'), { at: 'mostRecent' })).decode().metadata;
    expect(managedFields.map((entry) => entry['time'])).to.deep.equal([time(0), time(1)]);
  });

  it('does without owners where an object is too large with them, unless it is applied', async () => {
    const storage = createMemoryStorage();
    const tooLarge = { outcome: 'rejected', reason: 'etcdserver: request is too large' } as const;
    const [create, update] = [storage.create.bind(storage), storage.update.bind(storage)];
    const small: Storage = Object.assign(storage, {
      create: (...call: Parameters<Storage['create']>) => (isOwned(call[1]) ? Promise.resolve(tooLarge) : create(...call)),
      update: (...call: Parameters<Storage['update']>) => (isOwned(call[1]) ? Promise.resolve(tooLarge) : update(...call)),
    });
    const isOwned = ({ metadata }: ApiObject): boolean => metadata.name === 'large' && metadata.managedFields !== undefined;
    const registry = await registryOf(small);
    const apply = (): Promise<unknown> =>
      registry
        .update(at('large'), applying(map('large', { labels: { a: 'b' } }), 'a', time(0)), ownWrites)
        .catch((error: unknown) => error);
    expect(await apply()).to.include({ code: 500, message: tooLarge.reason });
    const created = await registry.create(at(''), map('large'), ownWrites);
    expect(created.decode().metadata).not.to.have.property('managedFields');
    expect(await apply()).to.include({ code: 500, message: tooLarge.reason });
  });
});

describe('registry/owners after admission', () => {
  const entry = { manager: 'hook', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:k': {} } } };
  const cases: readonly [what: string, left: JsonObject[], managers: string[], warning: string | null][] = [
    ['are those that it leaves', [entry], ['hook'], null],
    ['are nobody when it leaves none', [], [], null],
    ['are as before when they cannot be read', [{ ...entry, fieldsType: 'x' }], ['me'], 'invalid fieldsType "x" in managed fields entry 0'],
    ['are as before when an entry says nothing', [{}], ['me'], 'operation must be `Apply` or `Update`'],
  ];
  for (const [what, left, managers, warning] of cases) {
    it(what, async () => {
      let hooked = false;
      const admission: Admission = {
        admit({ object, changing }) {
          if (!hooked || object === null) return;
          changing?.();
          object.metadata.managedFields = structuredClone(left);
        },
        validate: () => {},
      };
      const registry = await registryOf(createMemoryStorage(), admission);
      const warnings: string[] = [];
      const options: WriteOptions = { ...ownWrites, manager: 'me', warn: (text) => void warnings.push(text) };
      const labelled = (current: ApiObject | null): ApiObject => ({ ...current!, metadata: { ...current!.metadata, labels: { a: 'b' } } });
      const update = { apply: labelled, subresource: '', uid: null, mayCreate: null };
      await registry.create(at(''), map('updated'), options);
      await registry.create(at(''), map('applied'), options);
      hooked = true;
      const written = [
        await registry.create(at(''), map('created'), options),
        (await registry.update(at('updated'), update, options)).object,
        (await registry.update(at('applied'), applying(map('applied', { labels: { a: 'b' } }), 'me', time(1)), options)).object,
      ];
      for (const { name, decode } of written.map((object) => ({ name: object.name, decode: () => object.decode() })))
        expect([...new Set((decode().metadata.managedFields ?? []).map((each) => each['manager']))], name).to.deep.equal(managers);
      expect(warnings.map((text) => text.split('please fix your requests: ')[1])).to.deep.equal(
        warning === null ? [] : [warning, warning, warning],
      );
    });
  }
});
