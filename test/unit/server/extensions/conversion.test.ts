import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { plainError, StatusError } from '../../../../api/status.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { everything } from '../../../../server/registry/everything.js';
import type { Failure, WatchEvent } from '../../../../server/storage/contract.js';
import { definition, ExtensionServer, FakeConverter } from './harness.js';

/** One version has a whole name, the other its parts. */
function rename(object: ApiObject, apiVersion: string): ApiObject {
  const spec = (object['spec'] ?? {}) as JsonObject;
  if (apiVersion.endsWith('/v1')) return { ...object, spec: { name: `${String(spec['first'])} ${String(spec['last'])}` } };
  const [first = '', last = ''] = String(spec['name']).split(' ');
  return { ...object, spec: { first, last } };
}

const schemaOf = (...names: readonly string[]): JsonObject => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) } },
  },
});
const webhook = {
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://convert.example.com/' } },
};
const people = (storage: 'v1' | 'v2'): ApiObject =>
  definition('people', 'Person', {
    names: { plural: 'people', kind: 'Person' },
    conversion: webhook,
    versions: [
      { name: 'v1', served: true, storage: storage === 'v1', schema: schemaOf('name') },
      { name: 'v2', served: true, storage: storage === 'v2', schema: schemaOf('first', 'last') },
    ],
  });

describe('extensions/conversion', () => {
  let server: ExtensionServer;
  let converter: FakeConverter;
  beforeEach(async () => {
    converter = new FakeConverter(rename);
    server = await ExtensionServer.start({ webhooks: () => converter });
    await server.define(people('v1'));
  });
  afterEach(() => {
    server.stop();
  });

  const create = (version: string, name: string, spec: JsonObject): Promise<unknown> =>
    server.registry.create(
      server.target(version, 'people'),
      { apiVersion: `example.com/${version}`, kind: 'Person', metadata: { name }, spec },
      ownWrites,
    );
  const read = async (version: string, name: string): Promise<unknown> =>
    (await server.registry.get(server.target(version, 'people', name), { at: 'any' })).decode()['spec'];
  const rawVersion = async (name: string): Promise<string | undefined> => {
    const result = await server.storage.get(
      { resource: { group: 'example.com', resource: 'people' }, namespace: 'default', name },
      { at: 'any' },
    );
    return result.outcome === 'found' ? result.object.apiVersion : undefined;
  };

  it('stores one version and shows each', async () => {
    await create('v2', 'ada', { first: 'Ada', last: 'Lovelace' });
    expect(await rawVersion('ada')).to.equal('example.com/v1');
    expect(await read('v1', 'ada')).to.deep.equal({ name: 'Ada Lovelace' });
    expect(await read('v2', 'ada')).to.deep.equal({ first: 'Ada', last: 'Lovelace' });
  });

  it('shows in a dry run what a write would answer, or how it would fail', async () => {
    const dryRun = { ...ownWrites, dryRun: true };
    const ada: ApiObject = {
      apiVersion: 'example.com/v2',
      kind: 'Person',
      metadata: { name: 'ada' },
      spec: { first: 'Ada King', last: 'Lovelace' },
    };
    const rehearsed = (await server.registry.create(server.target('v2', 'people'), structuredClone(ada), dryRun)).decode();
    const written = (await server.registry.create(server.target('v2', 'people'), structuredClone(ada), ownWrites)).decode();
    expect(rehearsed['spec']).to.deep.equal(written['spec']);
    expect(converter.calls).to.be.greaterThan(2);
    converter.gate = Promise.reject(plainError(500, 'it is asleep'));
    converter.gate.catch(() => undefined);
    const failed = await server.registry
      .create(server.target('v2', 'people'), { ...ada, metadata: { name: 'bob' } }, dryRun)
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(StatusError).and.to.include({ code: 500 });
  });

  it('asks about each object once as long as it stays the same, and about those of a list together', async () => {
    for (let n = 0; n < 5; n++) await create('v1', `p${n}`, { name: `P ${n}` });
    const before = converter.calls;
    const list = { ...everything, namespace: 'default' };
    const page = await server.registry.list(server.target('v2', 'people').resource, list);
    expect(page.items.map((item) => (item.decode()['spec'] as JsonObject)['last'])).to.deep.equal(['0', '1', '2', '3', '4']);
    expect(converter.calls).to.equal(before + 1);
    await server.registry.list(server.target('v2', 'people').resource, list);
    await read('v2', 'p3');
    expect(converter.calls).to.equal(before + 1);
  });

  it('converts what is patched in another version there and back', async () => {
    await create('v1', 'ada', { name: 'Ada Lovelace' });
    await server.update(server.target('v2', 'people', 'ada'), {
      apply: (current) => ({ ...(current ?? { metadata: {} }), spec: { ...(current?.['spec'] as JsonObject), last: 'Byron' } }),
    });
    expect(await read('v1', 'ada')).to.deep.equal({ name: 'Ada Byron' });
    expect(await rawVersion('ada')).to.equal('example.com/v1');
  });

  it('brings objects to a new stored version when they are written, even if nothing in them changes', async () => {
    await create('v1', 'ada', { name: 'Ada Lovelace' });
    await server.changeDefinition('people.example.com', (object) => ({ ...object, spec: people('v2')['spec'] as JsonObject }));
    expect(await rawVersion('ada')).to.equal('example.com/v1');
    await server.update(server.target('v1', 'people', 'ada'), { apply: (current) => current ?? { metadata: {} } });
    expect(await rawVersion('ada')).to.equal('example.com/v2');
    expect(await read('v1', 'ada')).to.deep.equal({ name: 'Ada Lovelace' });
  });

  it('tells clients why a conversion failed, and nothing else fails', async () => {
    await create('v1', 'ada', { name: 'Ada Lovelace' });
    converter.gate = Promise.reject(plainError(500, 'conversion webhook for example.com/v1, Kind=Person failed: it is asleep'));
    converter.gate.catch(() => undefined);
    const error = await read('v2', 'ada').then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(StatusError).and.to.include({ code: 500 });
    expect((error as StatusError).message).to.contain('it is asleep');
    expect(await read('v1', 'ada')).to.deep.equal({ name: 'Ada Lovelace' });
  });

  describe('of events', () => {
    class Sink {
      readonly seen: string[] = [];
      readonly #waiting: (() => void)[] = [];
      event = ({ type, object }: WatchEvent): void => {
        this.#add(`${type} ${object.name} ${String((object.decode()['spec'] as JsonObject)['last'])}`);
      };
      synced = (): void => {
        this.#add('synced');
      };
      end = (reason: Failure): void => {
        this.#add(`end ${reason.outcome}`);
      };
      async until(count: number): Promise<void> {
        while (this.seen.length < count)
          await new Promise<void>((resolve) => {
            this.#waiting.push(resolve);
          });
      }

      #add(text: string): void {
        this.seen.push(text);
        for (const resolve of this.#waiting.splice(0)) resolve();
      }
    }

    const start = { namespace: 'default', labels: [], fields: [], start: { at: 'any' }, initialEvents: true } as const;

    it('keeps their order, however long it takes, and does not promise what it has not shown', async () => {
      await create('v1', 'a', { name: 'A 1' });
      await create('v1', 'b', { name: 'B 1' });
      let open: () => void = () => {};
      converter.gate = new Promise((resolve) => {
        open = resolve;
      });
      const sink = new Sink();
      const watch = server.registry.watch(server.target('v2', 'people').resource, start, sink);
      await server.update(server.target('v1', 'people', 'a'), {
        apply: (current) => ({ ...(current ?? { metadata: {} }), spec: { name: 'A 2' } }),
      });
      await create('v1', 'c', { name: 'C 1' });
      expect(sink.seen).to.deep.equal([]);
      expect(watch.version).to.equal(0);
      open();
      await sink.until(5);
      expect(sink.seen.filter((text) => text !== 'synced')).to.deep.equal(['ADDED a 1', 'ADDED b 1', 'MODIFIED a 2', 'ADDED c 1']);
      expect(sink.seen.indexOf('synced')).to.equal(2);
      expect(watch.version).to.be.greaterThan(0);
      watch.stop();
    });

    it('ends a watch whose events cannot be converted', async () => {
      const sink = new Sink();
      server.registry.watch(server.target('v2', 'people').resource, start, sink);
      await sink.until(1);
      converter.gate = Promise.reject(new Error('asleep'));
      converter.gate.catch(() => undefined);
      await create('v1', 'a', { name: 'A 1' });
      await sink.until(2);
      expect(sink.seen).to.deep.equal(['synced', 'end unavailable']);
    });
  });
});
