import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { plainError, type StatusError } from '../../../../api/status.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { applyConfiguration } from '../../../../server/registry/applied.js';
import { converting } from '../../../../server/registry/conversions.js';
import { definition, ExtensionServer, FakeConverter } from './harness.js';

/** `v1` has a whole name, `v2` its parts, `v3` the parts in a list; all have a note. */
function rename(object: ApiObject, apiVersion: string): ApiObject {
  const spec = { ...(object['spec'] as JsonObject | undefined) };
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const list = Array.isArray(spec['parts']) ? spec['parts'].map(text) : null;
  const [first = '', last = ''] =
    list ?? (spec['name'] === undefined ? [text(spec['first']), text(spec['last'])] : text(spec['name']).split(' '));
  const note = spec['note'] === undefined ? {} : { note: spec['note'] };
  if (first === '' && last === '') return { ...object, spec: note };
  if (apiVersion.endsWith('/v1')) return { ...object, spec: { name: `${first} ${last}`, ...note } };
  return { ...object, spec: apiVersion.endsWith('/v2') ? { first, last, ...note } : { parts: [first, last], ...note } };
}

const text = { type: 'string' };
const schemaOf = (properties: JsonObject): JsonObject => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { ...properties, note: text } } } },
});
const people = definition('people', 'Person', {
  names: { plural: 'people', kind: 'Person' },
  conversion: {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://convert.example.com/' } },
  },
  versions: [
    { name: 'v1', served: true, storage: true, schema: schemaOf({ name: text }) },
    { name: 'v2', served: true, storage: false, schema: schemaOf({ first: text, last: text }) },
    { name: 'v3', served: true, storage: false, schema: schemaOf({ parts: { type: 'array', items: text } }) },
  ],
});

describe('owners of fields in versions that a webhook converts', () => {
  let server: ExtensionServer;
  let converter: FakeConverter;
  beforeEach(async () => {
    converter = new FakeConverter(rename);
    server = await ExtensionServer.start({ webhooks: () => converter });
    await server.define(people);
  });
  afterEach(() => {
    server.stop();
  });

  const as = (manager: string): typeof ownWrites => ({ ...ownWrites, manager });
  const create = (version: string, spec: JsonObject, manager: string): Promise<unknown> =>
    server.registry.create(
      server.target(version, 'people'),
      { apiVersion: `example.com/${version}`, kind: 'Person', metadata: { name: 'ada' }, spec },
      as(manager),
    );
  const update = (version: string, spec: JsonObject, manager: string): Promise<unknown> =>
    server.registry.update(
      server.target(version, 'people', 'ada'),
      {
        apply: (current) => ({ ...current!, spec: { ...(current!['spec'] as JsonObject), ...spec } }),
        subresource: '',
        uid: null,
        mayCreate: null,
      },
      as(manager),
    );
  const apply = (version: string, spec: JsonObject, manager: string, force = false): Promise<unknown> => {
    const target = server.target(version, 'people', 'ada');
    const { resource } = target;
    const typed = { apiVersion: `example.com/${version}`, kind: 'Person' };
    const config: ApiObject = { ...typed, metadata: { name: 'ada' }, spec };
    return server.registry.update(
      target,
      {
        apply: (current) =>
          converting(resource, function* (versions) {
            const live = current === null ? null : { ...typed, ...current };
            const request = {
              resource,
              config: structuredClone(config),
              manager,
              subresource: '',
              force,
              now: '2026-01-01T00:00:00Z',
              versions,
            };
            const object = yield* applyConfiguration(live, request);
            object.metadata.resourceVersion = current?.metadata.resourceVersion ?? '';
            return object;
          }),
        subresource: '',
        uid: null,
        mayCreate: () => Promise.resolve(),
        applies: true,
      },
      as(manager),
    );
  };
  const decoded = async (version: string): Promise<ApiObject> =>
    (await server.registry.get(server.target(version, 'people', 'ada'), { at: 'mostRecent' })).decode();
  /** Owners of the specification's members, with versions. */
  const owners = async (): Promise<string[]> =>
    ((await decoded('v1')).metadata.managedFields ?? [])
      .map((entry) => {
        const fields = (entry as { fieldsV1?: { 'f:spec'?: object } }).fieldsV1?.['f:spec'] ?? {};
        const names = Object.keys(fields).filter((name) => name !== '.');
        return `${String(entry['manager'])} ${String(entry['operation'])} ${String(entry['apiVersion']).split('/')[1]}: ${names.join(' ')}`;
      })
      .sort();
  const failure = (work: Promise<unknown>): Promise<StatusError> =>
    work.then(
      () => {
        throw new Error('it worked');
      },
      (error: StatusError) => error,
    );

  it('lose what an update in another version changes, and nothing else', async () => {
    await create('v1', { name: 'Ada Lovelace', note: 'n' }, 'one');
    expect(await owners()).to.deep.equal(['one Update v1: f:name f:note']);
    await update('v2', { last: 'Byron' }, 'two');
    expect(await owners()).to.deep.equal(['one Update v1: f:note', 'two Update v2: f:last']);
    await update('v3', { parts: ['Anna', 'King'] }, 'three');
    expect(await owners()).to.deep.equal(['one Update v1: f:note', 'three Update v3: f:parts']);
  });

  it('conflict with what is applied in another version, unless that takes over', async () => {
    await create('v1', { name: 'Ada Lovelace', note: 'n' }, 'one');
    const refused = await failure(apply('v2', { last: 'Byron', first: 'Ada' }, 'two'));
    expect([refused.code, refused.message]).to.deep.equal([
      409,
      'Apply failed with 1 conflict: conflict with "one" using example.com/v1: .spec.name',
    ]);
    await apply('v2', { first: 'Ada', last: 'Byron' }, 'two', true);
    expect(await owners()).to.deep.equal(['one Update v1: f:note', 'two Apply v2: f:first f:last']);
    expect((await decoded('v1'))['spec']).to.deep.equal({ name: 'Ada Byron', note: 'n' });
  });

  it('share what an applier in another version wants as it is', async () => {
    await create('v1', { name: 'Ada Lovelace' }, 'one');
    await apply('v2', { first: 'Ada', last: 'Lovelace' }, 'two');
    expect(await owners()).to.deep.equal(['one Update v1: f:name', 'two Apply v2: f:first f:last']);
  });

  it('keep what somebody else leaves out who applied in another version', async () => {
    await apply('v2', { first: 'Ada', last: 'Lovelace', note: 'n' }, 'one');
    await apply('v3', { parts: ['Ada', 'Lovelace'] }, 'two');
    await apply('v2', { note: 'n' }, 'one');
    expect((await decoded('v1'))['spec']).to.deep.equal({ name: 'Ada Lovelace', note: 'n' });
    await apply('v3', {}, 'two');
    expect((await decoded('v1'))['spec']).to.deep.equal({ note: 'n' });
  });

  it('cost one question for each version in which others own something', async () => {
    await create('v1', { name: 'Ada Lovelace', note: 'n' }, 'one');
    await update('v2', { note: 'm' }, 'two');
    await update('v3', { note: 'o', parts: ['Ada', 'Lovelace'] }, 'three');
    await update('v3', { parts: ['Ada', 'Byron'] }, 'three');
    await apply('v2', { first: 'Ada' }, 'four');
    expect(await owners()).to.deep.equal(['four Apply v2: f:first', 'one Update v1: ', 'three Update v3: f:note f:parts']);
    await decoded('v2');
    const before = converter.calls;
    await update('v2', { first: 'Anna' }, 'five');
    // To v1 and v3 for owners there, to the stored version, and back.
    expect(converter.calls - before).to.be.at.most(4);
  });

  it('cost nothing where nobody owns anything in another version', async () => {
    await create('v1', { name: 'Ada Lovelace', note: 'n' }, 'one');
    await update('v1', { name: 'Ada King' }, 'two');
    await apply('v1', { note: 'm' }, 'one', true);
    expect(converter.calls).to.equal(0);
  });

  it('do not keep anybody from updating what needs no conversion while the webhook fails; an apply is refused', async () => {
    await create('v1', { name: 'Ada Lovelace', note: 'n' }, 'one');
    await update('v2', { note: 'm' }, 'two');
    converter.gate = Promise.reject(plainError(500, 'conversion webhook failed: it is asleep'));
    converter.gate.catch(() => undefined);
    await update('v1', { name: 'Ada King' }, 'one');
    expect((await decoded('v1'))['spec']).to.deep.equal({ name: 'Ada King', note: 'm' });
    expect(await owners()).to.deep.equal(['one Update v1: f:name', 'two Update v2: f:note']);
    expect(await failure(apply('v1', { name: 'Ada Byron' }, 'three', true))).to.include({ code: 500 });
  });
});
