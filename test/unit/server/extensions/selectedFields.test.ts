import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { everything } from '../../../../server/registry/everything.js';
import type { Failure, Watch, WatchEvent, WatchRequest } from '../../../../server/storage/contract.js';
import type { MemoryStorage } from '../../../../server/storage/memory.js';
import { definition, ExtensionServer, FakeConverter } from './harness.js';

/** `spec.colour` is a text in both versions, with different values. */
const colours: readonly (readonly [string, string])[] = [
  ['red', 'rot'],
  ['blue', 'blau'],
];
function translate(object: ApiObject, apiVersion: string): ApiObject {
  const spec = { ...(object['spec'] as JsonObject | undefined) };
  const found = colours.find((names) => names.includes(String(spec['colour'])));
  return { ...object, spec: { ...spec, colour: found?.[apiVersion.endsWith('/v1') ? 0 : 1] ?? 'none' } };
}
const version = (name: string, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { colour: { type: 'string' }, size: { type: 'integer' } } } },
    },
  },
  selectableFields: [{ jsonPath: '.spec.colour' }],
});
const cars = definition('cars', 'Car', {
  names: { plural: 'cars', kind: 'Car' },
  conversion: {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://convert.example.com/' } },
  },
  versions: [version('v1', true), version('v2', false)],
});
const colour = (value: string, equals = true): { field: string; equals: boolean; value: string }[] => [
  { field: 'spec.colour', equals, value },
];

class Sink {
  readonly seen: string[] = [];
  readonly #waiting: (() => void)[] = [];
  event = ({ type, object, version: at }: WatchEvent): void => {
    const { spec, metadata } = object.decode() as unknown as { spec: JsonObject; metadata: { resourceVersion: string } };
    expect([object.version, metadata.resourceVersion]).to.deep.equal([at, String(at)]);
    this.#add(`${type} ${object.name} ${String(spec['colour'])} ${String(spec['size'])}`);
  };
  synced = (): void => {
    this.#add('synced');
  };
  end = (reason: Failure): void => {
    this.#add(`end ${reason.outcome}`);
  };
  async until(count: number): Promise<string[]> {
    while (this.seen.length < count)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    return this.seen.splice(0);
  }

  #add(text: string): void {
    this.seen.push(text);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe('selectors on fields that a webhook converts', () => {
  let server: ExtensionServer;
  let converter: FakeConverter;
  beforeEach(async () => {
    converter = new FakeConverter(translate);
    server = await ExtensionServer.start({ webhooks: () => converter });
    await server.define(cars);
  });
  afterEach(() => {
    server.stop();
  });

  const create = (name: string, value: string, size = 0): Promise<unknown> =>
    server.registry.create(
      server.target('v1', 'cars'),
      { apiVersion: 'example.com/v1', kind: 'Car', metadata: { name }, spec: { colour: value, size } },
      ownWrites,
    );
  const paint = (name: string, spec: JsonObject): Promise<{ readonly version: number }> =>
    server.update(server.target('v1', 'cars', name), {
      apply: (current) => ({ ...(current ?? { metadata: {} }), spec: { ...(current?.['spec'] as JsonObject), ...spec } }),
    });
  const list = async (
    in_: string,
    value: string,
    more: { limit?: number; after?: { namespace: string; name: string } } = {},
  ): Promise<string> => {
    const query = { ...everything, namespace: 'default', fields: colour(value), ...more };
    const page = await server.registry.list(server.target(in_, 'cars').resource, query);
    return `${page.items.map(({ name }) => name).join(' ')}${page.more ? ' …' : ''}`;
  };
  const watch = (in_: string, sink: Sink, request: Partial<WatchRequest> = {}): Watch =>
    server.registry.watch(
      server.target(in_, 'cars').resource,
      { namespace: 'default', labels: [], fields: colour('rot'), start: { at: 'any' }, initialEvents: true, ...request },
      sink,
    );

  it('compare objects of a list in the version of the request', async () => {
    await create('a', 'red');
    await create('b', 'blue');
    await create('c', 'red');
    expect([await list('v1', 'red'), await list('v2', 'rot'), await list('v2', 'red'), await list('v1', 'rot')]).to.deep.equal([
      'a c',
      'a c',
      '',
      '',
    ]);
  });

  it('give pages that are full as long as there is more', async () => {
    for (let n = 0; n < 9; n++) await create(`car-${n}`, n % 3 === 0 ? 'red' : 'blue');
    const after = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name });
    expect(await list('v2', 'rot', { limit: 2 })).to.equal('car-0 car-3 …');
    expect(await list('v2', 'rot', { limit: 2, after: after('car-3') })).to.equal('car-6');
    expect(await list('v2', 'rot', { limit: 3 })).to.equal('car-0 car-3 car-6');
    expect(await list('v2', 'blau', { limit: 1, after: after('car-7') })).to.equal('car-8');
  });

  it('ask about the objects of a page together', async () => {
    for (let n = 0; n < 7; n++) await create(`car-${n}`, 'red');
    const before = converter.calls;
    await list('v2', 'rot', { limit: 3 });
    expect(converter.calls).to.equal(before + 1);
  });

  it('show a watcher what begins to fit, changes and ceases to fit', async () => {
    await create('a', 'red', 1);
    await create('b', 'blue', 1);
    const sink = new Sink();
    const watching = watch('v2', sink);
    expect(await sink.until(2)).to.deep.equal(['ADDED a rot 1', 'synced']);
    await paint('a', { size: 2 });
    await paint('b', { colour: 'red' });
    await paint('a', { colour: 'blue', size: 3 });
    await paint('a', { size: 4 });
    await create('c', 'blue');
    await create('d', 'red');
    expect(await sink.until(4)).to.deep.equal(['MODIFIED a rot 2', 'ADDED b rot 1', 'DELETED a rot 2', 'ADDED d rot 0']);
    watching.stop();
  });

  it('know what a watcher has that goes on from a version', async () => {
    await create('a', 'red', 1);
    await create('b', 'blue', 1);
    const { version: then } = await paint('b', { size: 2 });
    await paint('a', { size: 2 });
    await paint('b', { colour: 'red' });
    await paint('a', { colour: 'blue' });
    const sink = new Sink();
    const watching = watch('v2', sink, { start: { at: 'after', version: then }, initialEvents: false });
    expect(await sink.until(3)).to.deep.equal(['MODIFIED a rot 2', 'ADDED b rot 2', 'DELETED a rot 2']);
    await paint('b', { size: 5 });
    expect(await sink.until(1)).to.deep.equal(['MODIFIED b rot 5']);
    watching.stop();
  });

  it('end a watch that goes on from a version of which nothing is known any more', async () => {
    await create('a', 'red', 1);
    const { version: then } = await paint('a', { size: 2 });
    const { version: later } = await paint('a', { size: 3 });
    (server.storage as MemoryStorage).compact(later);
    const sink = new Sink();
    watch('v2', sink, { start: { at: 'after', version: then }, initialEvents: false });
    expect(await sink.until(1)).to.deep.equal(['end expired']);
  });
});
