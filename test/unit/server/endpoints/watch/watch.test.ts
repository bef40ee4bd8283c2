import { expect } from 'chai';
import { on, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { createCatalogue } from '../../../../../server/kinds/index.js';
import { call, watchStream, type Stream } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const secrets = '/api/v1/namespaces/default/secrets';

interface Event {
  type: string;
  object: {
    kind: string;
    metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> };
    code?: number;
    columnDefinitions?: unknown[] | null;
    rows?: { cells: unknown[] }[];
  };
}

describe('endpoints/watch', () => {
  let server: TestServer;
  const open: Stream[] = [];
  const watch = async (query: string, headers?: Record<string, string>, path = secrets): Promise<Stream> => {
    const stream = await watchStream(server.url, `${path}?${query}`, headers);
    open.push(stream);
    return stream;
  };
  const next = async (stream: Stream): Promise<Event> => (await stream.next()) as unknown as Event;
  const create = async (name: string): Promise<string> => {
    const { body } = await call(server.url, 'POST', secrets, { body: { metadata: { name } } });
    return (body['metadata'] as { resourceVersion: string }).resourceVersion;
  };
  const label = (name: string, value: string): Promise<unknown> =>
    call(server.url, 'PATCH', `${secrets}/${name}`, { type: 'application/merge-patch+json', body: { metadata: { labels: { l: value } } } });

  beforeEach(async () => {
    server = await startTestServer();
  });
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
    await call(server.url, 'DELETE', `${secrets}/a`);
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

  it('without a time of its own lasts as long as the server says, also when it asks for zero seconds', async () => {
    const brief = await startTestServer(undefined, { endpoints: { minRequestTimeoutSeconds: 0.2 } });
    for (const query of ['watch=1', 'watch=1&timeoutSeconds=0']) {
      const stream = await watchStream(brief.url, `/api/v1/namespaces?${query}`);
      expect((await stream.next())['type']).to.equal('ADDED');
      await stream.rest();
      expect(stream.response.complete).to.equal(true);
    }
    await brief.close();
    const lasting = await watch('watch=1&timeoutSeconds=0');
    await create('a');
    expect((await next(lasting)).type).to.equal('ADDED');
  });

  it('lasts as long as it asks for, also when that is longer than timers reach', async () => {
    for (const seconds of [2_147_484, 3_000_000, 99_999_999_999]) {
      const stream = await watch(`watch=1&timeoutSeconds=${seconds}&allowWatchBookmarks=true&resourceVersion=${server.storage.version}`);
      await create(`after-${seconds}`);
      expect((await next(stream)).object.metadata.name).to.equal(`after-${seconds}`);
    }
  });

  it('stands at a bookmark shortly before its end', async () => {
    const version = await create('a');
    const stream = await watch(`watch=1&timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=${version}`);
    await create('b');
    expect((await next(stream)).type).to.equal('ADDED');
    const [bookmark, ...rest] = (await stream.rest()) as unknown as Event[];
    expect(rest).to.deep.equal([]);
    expect(bookmark).to.deep.include({ type: 'BOOKMARK' }).and.have.nested.property('object.kind', 'Secret');
    expect(Number(bookmark?.object.metadata.resourceVersion)).to.equal(server.storage.version);
  });

  it('tells a watch from a compacted version that it is gone', async () => {
    await create('a');
    server.storage.compact(server.storage.version);
    const stream = await watch('watch=1&resourceVersion=1');
    expect(stream.response.statusCode).to.equal(200);
    const events = (await stream.rest()) as unknown as Event[];
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({ type: 'ERROR' }).and.have.nested.property('object.code', 410);
  });

  it('shows one object under the older path', async () => {
    await create('a');
    await create('b');
    const stream = await watch('', {}, '/api/v1/watch/namespaces/default/secrets/b');
    expect((await next(stream)).object.metadata.name).to.equal('b');
  });

  it('under the older path selects by other fields only beside the name of the path', async () => {
    await create('b');
    const path = '/api/v1/watch/namespaces/default/secrets/b';
    for (const selector of ['metadata.name=a', 'metadata.name!=b', 'metadata.namespace=default']) {
      const { status, body } = await call(server.url, 'GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
      expect([status, body['message']], selector).to.deep.equal([400, "fieldSelector metadata.name doesn't match requested name"]);
    }
    const stream = await watch(`fieldSelector=${encodeURIComponent('metadata.namespace=default,metadata.name=b')}`, {}, path);
    expect((await next(stream)).object.metadata.name).to.equal('b');
  });

  it('under the older path has the options of a list: no initial events to ask for, and none that are told to be over', async () => {
    const path = '/api/v1/watch/namespaces/default/secrets';
    const version = await create('a');
    const asks = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0';
    const refused = await call(server.url, 'GET', `${path}?${asks}`);
    expect([refused.status, refused.body['message']]).to.satisfy(
      ([status, message]: [number, string]) => status === 422 && message.includes('sendInitialEvents is forbidden for list'),
    );
    for (const [index, query] of [
      '',
      'resourceVersion=0',
      'resourceVersion=00',
      'resourceVersion=0&resourceVersionMatch=NotOlderThan',
    ].entries()) {
      const stream = await watch(`allowWatchBookmarks=true&${query}`, {}, path);
      expect((await next(stream)).type, query).to.equal('ADDED');
      await label('a', `n${index}`);
      expect((await next(stream)).type, query).to.equal('MODIFIED');
    }
    const exact = await watch(`resourceVersion=${version}&resourceVersionMatch=Exact`, {}, path);
    expect((await next(exact)).type).to.equal('MODIFIED');
    const both = await watch(`watch=1&allowWatchBookmarks=true&${asks}`, {}, path);
    expect([(await next(both)).type, (await next(both)).type]).to.deep.equal(['ADDED', 'BOOKMARK']);
  });

  it('of a type that cannot be watched is refused', async () => {
    const { status, body } = await call(server.url, 'GET', '/api/v1/componentstatuses?watch=1');
    expect([status, body['message']]).to.deep.equal([405, 'watch is not supported on resources of kind "componentstatuses"']);
  });

  it('shows bookmarks of every type as a table of one row, in which their annotation is found', async () => {
    const paths = createCatalogue().groups.flatMap((group) =>
      group.versions.flatMap(({ version, resources }) =>
        resources
          .filter(({ verbs }) => verbs.has('watch'))
          .map(({ resource }) => `${group.name === '' ? '/api' : `/apis/${group.name}`}/${version}/${resource}`),
      ),
    );
    expect(paths.length).to.be.greaterThan(50);
    for (const path of paths) {
      const stream = await watch(
        'watch=1&allowWatchBookmarks=true&labelSelector=none%3Dsuch',
        { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        path,
      );
      const {
        type,
        object: { rows, columnDefinitions, metadata },
      } = await next(stream);
      stream.close();
      expect(type, path).to.equal('BOOKMARK');
      expect(rows, path).to.have.length(1);
      expect(rows?.[0]?.cells, path).to.have.length(columnDefinitions?.length ?? 0);
      expect(rows?.[0], path)
        .to.have.nested.property('object.metadata')
        .that.deep.equals({ resourceVersion: metadata.resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } });
      expect(metadata).to.have.keys('resourceVersion');
    }
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
    expect((await call(server.url, 'GET', `${secrets}?watch=1&resourceVersion=abc`)).status).to.equal(500);
    expect((await call(server.url, 'GET', `${secrets}?watch=1`, { headers: { accept: 'text/html' } })).status).to.equal(406);
  });

  it('shows a client that did not read for a while everything once it reads again, and keeps nobody else waiting', async () => {
    const stalled = await watch('watch=1');
    stalled.response.pause();
    const reading = await watch('watch=1');
    for (let i = 0; i < 12; i++) {
      await call(server.url, 'POST', secrets, {
        body: { metadata: { name: `big${i}` }, data: { k: Buffer.alloc(700_000, 'x').toString('base64') } },
      });
      expect((await next(reading)).object.metadata.name).to.equal(`big${i}`);
    }
    stalled.response.resume();
    for (let i = 0; i < 12; i++) expect((await next(stalled)).object.metadata.name).to.equal(`big${i}`);
  });

  describe('as a WebSocket', () => {
    const sockets: WebSocket[] = [];
    const connect = (path: string, headers: Record<string, string> = {}): WebSocket => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, ['base64url.bearer.authorization.k8s.io.eA', 'v4'], {
        headers,
      });
      sockets.push(socket);
      return socket;
    };
    const messages = async (socket: WebSocket, count: number): Promise<{ data: Buffer; isBinary: boolean }[]> => {
      const found: { data: Buffer; isBinary: boolean }[] = [];
      for await (const [data, isBinary] of on(socket, 'message')) {
        found.push({ data: data as Buffer, isBinary: isBinary as boolean });
        if (found.length === count) break;
      }
      return found;
    };
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.terminate();
    });

    it('sends a message for each event, of any size', async () => {
      const socket = connect(`${secrets}?watch=1`);
      const seen = messages(socket, 4);
      await once(socket, 'open');
      expect(socket.protocol).to.equal('v4');
      for (const [name, bytes] of [
        ['a', 0],
        ['b', 300],
        ['c', 70_000],
        ['d', 0],
      ] as const) {
        await call(server.url, 'POST', secrets, { body: { metadata: { name }, data: { k: Buffer.alloc(bytes).toString('base64') } } });
      }
      const events = (await seen).map(({ data, isBinary }) => ({ isBinary, ...(JSON.parse(data.toString()) as Event) }));
      expect(events.map(({ isBinary, type, object }) => [isBinary, type, object.metadata.name])).to.deep.equal(
        ['a', 'b', 'c', 'd'].map((name) => [false, 'ADDED', name]),
      );
    });

    it('sends Protobuf in binary messages without a length of their own', async () => {
      await create('a');
      const [event] = await messages(connect(`${secrets}?watch=1`, { accept: 'application/vnd.kubernetes.protobuf' }), 1);
      expect(event?.isBinary).to.equal(true);
      expect(event?.data.subarray(0, 7).toString('latin1')).to.equal('\n\x05ADDED');
    });

    it('closes when the time is over', async () => {
      const [code] = (await once(connect(`${secrets}?watch=1&timeoutSeconds=1`), 'close')) as [number];
      expect(code).to.equal(1000);
    });

    it('stops when the client goes', async () => {
      const socket = connect(`${secrets}?watch=1`);
      await once(socket, 'open');
      socket.close();
      await once(socket, 'close');
      await create('after');
    });

    it('refuses like any request, and answers requests that are no watches', async () => {
      const status = async (path: string): Promise<number | undefined> => {
        const socket = connect(path);
        socket.on('error', () => {});
        const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
        response.destroy();
        return response.statusCode;
      };
      expect(await status(`${secrets}?watch=1&resourceVersion=abc`)).to.equal(500);
      expect(await status('/api/v1/namespaces/default/nothings?watch=1')).to.equal(404);
      expect(await status(secrets)).to.equal(200);
    });
  });
});
