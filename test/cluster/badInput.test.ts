import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import type { ClusterMember } from '../../deploy/cluster.js';
import { ApiClient, type ApiObject } from '../fixtures/apiClient.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';

const mebibyte = 1024 * 1024;
/** Of SQLite's files, as the replicas create them. */
const pageBytes = 4096;

describe('cluster/bad input', function () {
  let test: ClusterUnderTest;
  let member: ClusterMember;
  let maps: string;
  before(async () => {
    test = await ClusterUnderTest.start({ replicas: 3 });
    member = test.members[0] as ClusterMember;
    maps = await test.namespace('doors');
    await test.client.expect(201, 'POST', maps, { body: configMap('treasure', { value: 'gold' }) });
  });
  afterEach(async () => {
    for (const each of test.members) {
      expect(each.process.running, `${each.id} runs`).to.equal(true);
      expect((await test.at(each).expect(200, 'GET', `${maps}/treasure`)).data).to.deep.equal({ value: 'gold' });
    }
  });
  after(() => test?.stop());

  describe('HTTP', () => {
    interface Case {
      readonly what: string;
      readonly request: readonly [
        method: string,
        path: string,
        options?: { readonly raw?: string; readonly body?: unknown; readonly type?: string },
      ];
      readonly status: number | readonly number[];
      /** A pattern of the message. */
      readonly names?: RegExp;
      /** The path is not recognised, so the answer is a line of text. */
      readonly plain?: true;
    }
    const named = { metadata: { name: 'x' } };
    const cases = (): readonly Case[] => [
      {
        what: 'JSON that breaks off',
        request: ['POST', maps, { raw: '{"metadata": {"name": "x"' }],
        status: 400,
        names: /json|unexpected|end/i,
      },
      { what: 'text that is no JSON', request: ['POST', maps, { raw: 'hello' }], status: 400 },
      { what: 'bytes that are no UTF-8', request: ['POST', maps, { raw: '{"metadata":{"name":"\u0000"}}' }], status: [400, 422] },
      { what: 'an array for an object', request: ['POST', maps, { raw: '[]' }], status: 400 },
      { what: 'a number for a map', request: ['POST', maps, { body: { ...named, data: 7 } }], status: 400, names: /data/ },
      {
        what: 'a number for a label',
        request: ['POST', maps, { body: { metadata: { name: 'x', labels: { a: 1 } } } }],
        status: 400,
        names: /labels/,
      },
      {
        what: 'another kind',
        request: ['POST', maps, { body: { ...named, kind: 'Secret', apiVersion: 'v1' } }],
        status: 400,
        names: /Secret/,
      },
      {
        what: 'a name that is none',
        request: ['POST', maps, { body: { metadata: { name: 'No Good' } } }],
        status: 422,
        names: /metadata\.name/,
      },
      { what: 'no name at all', request: ['POST', maps, { body: { metadata: {} } }], status: 422, names: /name/ },
      { what: 'a name twice', request: ['POST', maps, { body: configMap('treasure') }], status: 409, names: /treasure/ },
      {
        what: 'deep nesting',
        request: ['POST', maps, { raw: `{"metadata":{"name":"x"},"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}` }],
        status: 400,
      },
      {
        what: 'a media type that nobody knows',
        request: ['POST', maps, { raw: 'x', type: 'text/plain' }],
        status: 415,
        names: /application\/json/,
      },
      {
        what: 'a body above 3 MiB',
        request: ['POST', maps, { body: configMap('x', { a: 'x'.repeat(4 * mebibyte) }) }],
        status: 413,
        names: /large|limit/i,
      },
      {
        what: 'an absent namespace',
        request: ['POST', '/api/v1/namespaces/nowhere/configmaps', { body: named }],
        status: 404,
        names: /nowhere/,
      },
      { what: 'an absent object', request: ['GET', '/api/v1/namespaces/doors/configmaps/absent'], status: 404, names: /absent/ },
      { what: 'an absent resource type', request: ['GET', '/api/v1/namespaces/doors/nonsenses'], status: 404 },
      { what: 'an absent group', request: ['GET', '/apis/example.com/v1/things'], status: 404, plain: true },
      { what: 'a path out of nowhere', request: ['GET', '/no/such/path'], status: 404, plain: true },
      { what: 'a path with a bad escape', request: ['GET', '/api/v1/namespaces/%zz/configmaps'], status: 400, names: /%zz/, plain: true },
      {
        what: 'a method that a collection does not know',
        request: ['PUT', '/api/v1/namespaces/doors/configmaps', { body: named }],
        status: 405,
      },
      { what: 'a method that nobody knows', request: ['PROPFIND', '/api/v1/namespaces/doors/configmaps'], status: 405 },
      {
        what: 'an update in an outdated version',
        request: [
          'PUT',
          '/api/v1/namespaces/doors/configmaps/treasure',
          { body: { metadata: { name: 'treasure', resourceVersion: '1' } } },
        ],
        status: 409,
        names: /modified/,
      },
      {
        what: 'a version that is none',
        request: ['GET', '/api/v1/namespaces/doors/configmaps?resourceVersion=soon'],
        status: 400,
        names: /soon/,
      },
      { what: 'a selector that is none', request: ['GET', '/api/v1/namespaces/doors/configmaps?labelSelector=a%3D%3D%3Db'], status: 400 },
      { what: 'a limit that is none', request: ['GET', '/api/v1/namespaces/doors/configmaps?limit=many'], status: 400, names: /many/ },
    ];

    it('answers with a Status that names the cause', async () => {
      for (const {
        what,
        request: [method, target, options],
        status,
        names,
        plain,
      } of cases()) {
        const answer = await test.at(member).request(method, target, options);
        const shown = `${what}: ${answer.status} ${JSON.stringify(answer.body)}`;
        expect(answer.status, shown).to.be.oneOf([status].flat());
        if (!plain) expect(answer.body, shown).to.deep.include({ kind: 'Status', status: 'Failure', code: answer.status });
        if (names) expect(plain ? answer.body : (answer.body as ApiObject).message, shown).to.match(names);
      }
    });

    it('lets nobody in without a certificate, except to the health checks', async () => {
      const stranger = new ApiClient(member.address, test.cluster, 'none');
      for (const target of ['/api', maps, '/raft/v1/status', '/metrics'])
        expect((await stranger.request('GET', target)).status, target).to.be.oneOf([401, 403]);
      for (const target of ['/healthz', '/livez', '/readyz']) expect((await stranger.request('GET', target)).status, target).to.equal(200);
      stranger.close();
    });

    it('survives bytes that are no TLS, and TLS that is no HTTP', async () => {
      const port = Number(new URL(member.address).port);
      await sendAndClose(net.connect(port, '127.0.0.1'), Buffer.alloc(100_000, 0xa5));
      await sendAndClose(net.connect(port, '127.0.0.1'), Buffer.from('GET / HTTP/1.1\r\n\r\n'));
      const ca = fs.readFileSync(test.cluster.pki.caFile);
      await sendAndClose(tls.connect({ port, host: '127.0.0.1', ca }), Buffer.from('\u0000\u0001 nonsense\r\n\r\n'));
      await sendAndClose(tls.connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] }), Buffer.alloc(1000, 0xff));
    });

    it('answers the same over HTTP/2', async () => {
      const { caFile, admin } = test.cluster.pki;
      const session = http2.connect(member.address, {
        ca: fs.readFileSync(caFile),
        cert: fs.readFileSync(admin.certFile),
        key: fs.readFileSync(admin.keyFile),
      });
      const stream = session.request({ ':method': 'POST', ':path': maps, 'content-type': 'application/json' });
      stream.end('{"metadata":');
      const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
      stream.resume();
      session.close();
      expect(headers[':status']).to.equal(400);
    });
  });

  describe('the port for other replicas', () => {
    const port = (): number => Number(member.peerAddress.split(':')[1]);

    it('survives garbage, and turns away who is not a replica', async () => {
      await sendAndClose(net.connect(port(), '127.0.0.1'), Buffer.alloc(100_000, 0x5a));
      const { caFile, admin } = test.cluster.pki;
      const ca = fs.readFileSync(caFile);
      const asStranger = tls.connect({ port: port(), host: '127.0.0.1', ca, checkServerIdentity: () => undefined });
      await sendAndClose(asStranger, Buffer.alloc(1000, 1));
      const asAdmin = tls.connect({
        port: port(),
        host: '127.0.0.1',
        ca,
        cert: fs.readFileSync(admin.certFile),
        key: fs.readFileSync(admin.keyFile),
        checkServerIdentity: () => undefined,
      });
      await sendAndClose(asAdmin, Buffer.alloc(1000, 1));
    });

    it('drops a replica that sends garbage over a good connection', async () => {
      const { caFile } = test.cluster.pki;
      const peer = test.cluster.pki.peer('r2');
      const asReplica = tls.connect({
        port: port(),
        host: '127.0.0.1',
        ca: fs.readFileSync(caFile),
        cert: fs.readFileSync(peer.certFile),
        key: fs.readFileSync(peer.keyFile),
        checkServerIdentity: () => undefined,
      });
      await sendAndClose(asReplica, Buffer.alloc(100_000, 0xee));
      await test.client.expect(201, 'POST', maps, { body: configMap('after-garbage') });
    });
  });
});

describe('cluster/damaged disk', function () {
  let test: ClusterUnderTest;
  afterEach(() => test?.stop());

  it('refuses a damaged database, names it, and touches nothing', async () => {
    test = await ClusterUnderTest.start();
    const maps = await test.namespace('disk');
    for (let i = 0; i < 20; i++) await test.client.expect(201, 'POST', maps, { body: configMap(`c${i}`, { value: 'x'.repeat(2000) }) });
    const [damaged, ...others] = test.members as [ClusterMember, ...ClusterMember[]];
    await damaged.process.stop(10_000);
    const files = databases(damaged.dataDirectory);
    expect(files).not.to.deep.equal([]);
    for (const file of files) overwriteMiddle(file);
    // The first page changes on open; all others must stay, for recovery.
    const pages = (file: string): string => fs.readFileSync(file).subarray(pageBytes).toString('base64');
    const before = files.map(pages);

    const message = await damaged.restart().then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    expect(message)
      .to.match(/did not start: it ended with status [1-9]/)
      .and.to.match(new RegExp(files.map((file) => path.basename(file)).join('|')));
    expect(files.map((file, i) => pages(file) === before[i])).to.deep.equal(files.map(() => true));
    for (const other of others) expect(Object.keys(await test.contents(other, maps))).to.have.length(20);
    await test.client.expect(201, 'POST', maps, { body: configMap('still-works') });
  });
});

function databases(directory: string): string[] {
  const all = fs.readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((file) => path.join(directory, file));
  return all.filter((file) => fs.statSync(file).isFile() && fs.readFileSync(file).subarray(0, 15).toString('latin1') === 'SQLite format 3');
}

/** Damages a database: the first page stays, every other page loses its start. */
function overwriteMiddle(file: string): void {
  const descriptor = fs.openSync(file, 'r+');
  const { size } = fs.fstatSync(descriptor);
  for (let at = pageBytes; at < size; at += pageBytes) fs.writeSync(descriptor, Buffer.alloc(512, 0xdb), 0, 512, at);
  fs.closeSync(descriptor);
}

/** Sends bytes and waits until the server closes, or closes after a while. */
async function sendAndClose(socket: net.Socket, bytes: Buffer): Promise<void> {
  socket.on('error', () => undefined);
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), 1000);
  await closed;
  clearTimeout(timer);
}
