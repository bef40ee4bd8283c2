import { expect } from 'chai';
import { call, watchStream, type Stream } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const SECRETS = '/api/v1/namespaces/default/secrets';

interface Event { type: string; object: { kind: string; metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> }; code?: number; columnDefinitions?: unknown[] | null; rows?: { cells: unknown[] }[] } }

describe('endpoints/watch', () => {
  let server: TestServer;
  const open: Stream[] = [];
  const watch = async (query: string, headers?: Record<string, string>, path = SECRETS): Promise<Stream> => {
    const stream = await watchStream(server.url, `${path}?${query}`, headers);
    open.push(stream);
    return stream;
  };
  const next = async (stream: Stream): Promise<Event> => await stream.next() as unknown as Event;
  const create = async (name: string): Promise<string> => {
    const { body } = await call(server.url, 'POST', SECRETS, { body: { metadata: { name } } });
    return (body['metadata'] as { resourceVersion: string }).resourceVersion;
  };
  const label = (name: string, value: string): Promise<unknown> =>
    call(server.url, 'PATCH', `${SECRETS}/${name}`, { type: 'application/merge-patch+json', body: { metadata: { labels: { l: value } } } });

  beforeEach(async () => { server = await startTestServer(); });
  afterEach(async () => {
    for (const stream of open.splice(0)) stream.close();
    await server.close();
  });

  it('shows what is there, then what follows', async () => {
    await create('a');
    const stream = await watch('watch=1');
    expect(await next(stream)).to.deep.include({ type: 'ADDED' });
    await label('a', '1');
    expect((await next(stream)).type).to.equal('MODIFIED');
    await call(server.url, 'DELETE', `${SECRETS}/a`);
    expect(await next(stream)).to.have.nested.property('object.kind', 'Secret');
  });

  it('starts after a version and replays every change since', async () => {
    const version = await create('a');
    await label('a', '1');
    await create('b');
    const stream = await watch(`watch=1&resourceVersion=${version}`);
    expect([(await next(stream)).type, (await next(stream)).object.metadata.name]).to.deep.equal(['MODIFIED', 'b']);
  });

  it('ends initial events with an annotated bookmark where bookmarks are allowed', async () => {
    await create('a');
    const stream = await watch('watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true');
    expect((await next(stream)).type).to.equal('ADDED');
    const bookmark = await next(stream);
    expect(bookmark.type).to.equal('BOOKMARK');
    expect(bookmark.object.metadata.annotations).to.deep.equal({ 'k8s.io/initial-events-end': 'true' });
    const without = await watch('watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
    await next(without);
    await label('a', '1');
    expect((await next(without)).type).to.equal('MODIFIED');
  });

  it('closes cleanly when the time is over', async () => {
    const version = await create('a');
    const stream = await watch(`watch=1&timeoutSeconds=1&resourceVersion=${version}`);
    expect(await stream.rest()).to.deep.equal([]);
    expect(stream.response.complete).to.equal(true);
  });

  it('tells a watch from a compacted version that it is gone', async () => {
    await create('a');
    server.storage.compact(server.storage.version);
    const stream = await watch('watch=1&resourceVersion=1');
    expect(stream.response.statusCode).to.equal(200);
    const events = await stream.rest() as unknown as Event[];
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({ type: 'ERROR' }).and.have.nested.property('object.code', 410);
  });

  it('shows one object under the older path', async () => {
    await create('a');
    await create('b');
    const stream = await watch('', {}, '/api/v1/watch/namespaces/default/secrets/b');
    expect((await next(stream)).object.metadata.name).to.equal('b');
  });

  it('makes tables whose columns come with the first event only', async () => {
    await create('a');
    const stream = await watch('watch=1', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const first = await next(stream);
    expect(first.object.columnDefinitions).to.have.length(4);
    await label('a', '1');
    const second = await next(stream);
    expect(second.object.columnDefinitions).to.equal(null);
    expect(second.object.rows?.[0]?.cells[0]).to.equal('a');
  });

  it('refuses a version that is no number, and encodings that cannot stream', async () => {
    expect((await call(server.url, 'GET', `${SECRETS}?watch=1&resourceVersion=abc`)).status).to.equal(500);
    expect((await call(server.url, 'GET', `${SECRETS}?watch=1`, { headers: { accept: 'text/html' } })).status).to.equal(406);
  });

  it('ends when the client goes, and lets nothing pile up for one that does not read', async () => {
    const stalled = await watch('watch=1');
    stalled.response.pause();
    const reading = await watch('watch=1');
    for (let i = 0; i < 12; i++) {
      await call(server.url, 'POST', SECRETS, { body: { metadata: { name: `big${i}` }, data: { k: Buffer.alloc(700_000, 'x').toString('base64') } } });
      expect((await next(reading)).object.metadata.name).to.equal(`big${i}`);
    }
    // The stalled client was cut off; the other one has seen everything.
    stalled.response.on('error', () => {});
    stalled.response.resume();
    const closed = new Promise<boolean>(resolve => { stalled.response.once('close', () => { resolve(stalled.response.complete); }); });
    expect(await closed).to.equal(false);
  });
});
