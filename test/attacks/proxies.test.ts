import { expect } from 'chai';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { WireBackend } from '../fixtures/wireBackend.js';
import { startWithBackends, type TargetWithBackends } from './backends.js';
import type { User } from './target.js';
import { mergePatch, refused } from './tries.js';
import { RawHttp1 } from './wire/http1.js';
import { RawHttp2 } from './wire/http2Frames.js';

const group = 'wire.example.com';
const foos = `/apis/${group}/v1/namespaces/default/foos`;
const pods = '/api/v1/namespaces/default/pods';

/** A request that a reader tries to smuggle to an extension server. */
const hidden = `DELETE /apis/${group}/v1/namespaces/kube-system/foos/stolen HTTP/1.1\r\nhost: x\r\nx-remote-user: root\r\nx-remote-group: system:masters\r\n\r\n`;

describe('attacks/through proxies', function () {
  let backends: TargetWithBackends;
  let extension: WireBackend;
  let alice: User;

  before(async () => {
    backends = await startWithBackends();
    const { target } = backends;
    const pair = await target.certificate('wire', undefined, 'serverAuth');
    extension = await WireBackend.start({ cert: pair.certificate, key: pair.key });
    await target.admin.expect(201, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      body: {
        metadata: { name: `v1.${group}` },
        spec: {
          group,
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: 'ext', port: extension.port },
        },
      },
    });
    while ((await target.admin.request('GET', `/apis/${group}/v1/ready`)).status !== 200) await turn();
    alice = await target.user('alice', { namespace: 'default', rules: [{ verbs: ['get'], apiGroups: [group], resources: ['foos'] }] });
  });
  after(async () => {
    await extension?.close();
    await backends?.stop();
  });

  /** Requests on behalf of a user, not the server's own. */
  const seen = (): readonly (readonly [string, string, string])[] =>
    extension.requests
      .map(({ method, target, headers }): [string, string, string] => [
        method,
        target,
        headers.find(([name]) => name === 'x-remote-user')?.[1] ?? '',
      ])
      .filter(([, , user]) => !['system:kube-aggregator', 'system:aggregator'].includes(user));

  describe('a second request in the body of the first', () => {
    beforeEach(() => {
      extension.reset();
    });
    afterEach(() => {
      for (const { problem, unread } of extension.connections) expect([problem, unread]).to.deep.equal([null, '']);
    });
    const bodies = [hidden, `\r\n${hidden}`, `0\r\n\r\n${hidden}`, `${hidden.repeat(20)}`];

    it('reaches an extension server as a body: over HTTP/2', async () => {
      const wire = await RawHttp2.open(alice.wire);
      for (const body of bodies) {
        const stream = wire.request('GET', `${foos}/a`, { endStream: false });
        wire.data(stream, body, true);
        expect(await wire.answer(stream)).to.equal(200);
      }
      wire.destroy();
      expect(seen()).to.deep.equal(bodies.map(() => ['GET', `${foos}/a`, 'alice']));
      expect(extension.requests.filter(({ target }) => target === `${foos}/a`).map(({ body }) => body)).to.deep.equal(bodies);
    });

    it('reaches an extension server as a body: over HTTP/1.1, in chunks', async () => {
      const wire = await RawHttp1.open(alice.wire);
      for (const body of bodies)
        wire.send(
          `GET ${foos}/a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        );
      expect((await wire.answered(bodies.length)).map(({ status }) => status)).to.deep.equal(bodies.map(() => 200));
      wire.socket.destroy();
      expect(seen()).to.deep.equal(bodies.map(() => ['GET', `${foos}/a`, 'alice']));
    });

    it('reaches nobody behind a change of protocol', async () => {
      for (const protocol of ['h2c', 'HTTP/1.1', 'websocket']) {
        const wire = await RawHttp1.open(alice.wire);
        wire.send(
          `GET ${foos}/a HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`,
        );
        const [answer] = await wire.answered(1);
        wire.socket.destroy();
        expect(answer?.status).to.equal(protocol === 'websocket' ? 200 : 400);
      }
      expect(seen()).to.deep.equal([['GET', `${foos}/a`, 'alice']]);
    });
  });

  describe('addresses of this machine', () => {
    let secret: http.Server;
    let port: number;
    let asked: string[];

    before(async () => {
      secret = http
        .createServer((request, response) => {
          asked.push(request.url ?? '');
          response.end('secret');
        })
        .listen(0, '127.0.0.1');
      await once(secret, 'listening');
      ({ port } = secret.address() as AddressInfo);
    });
    beforeEach(() => {
      asked = [];
    });
    afterEach(() => {
      expect(asked).to.deep.equal([]);
    });
    after(() => {
      secret.close();
    });

    const spellings = [
      '127.0.0.1',
      '127.1',
      '127.8.8.8',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '2130706433',
      '017700000001',
      'localhost',
      'LOCALHOST',
      'localhost.',
      '0',
      '0.0.0.0',
      '::1',
      '0:0:0:0:0:0:0:1',
      '0::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '0:0:0:0:0:FFFF:7F00:1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '::ffff:0:127.0.0.1',
      '169.254.169.254',
      '::ffff:a9fe:a9fe',
      '0xa9fea9fe',
      '2852039166',
      'fe80::1%lo',
      '::1%lo',
      'nowhere.invalid',
      '',
    ];
    for (const address of spellings) {
      it(`are not reached through a node that says it is at ${JSON.stringify(address)}`, async () => {
        const {
          target: { admin },
        } = backends;
        const status = { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
        const name = `n-${spellings.indexOf(address)}`;
        await admin.expect(201, 'POST', '/api/v1/nodes', { body: { metadata: { name } } });
        if ((await admin.request('PATCH', `/api/v1/nodes/${name}/status`, { type: mergePatch, body: { status } })).status !== 200) return;
        for (const at of [name, `${name}:${port}`, `http:${name}:${port}`, `https:${name}:${port}`]) {
          expect((await admin.request('GET', `/api/v1/nodes/${at}/proxy/x`)).status, at).to.be.oneOf([400, 503]);
          expect((await admin.request('GET', `/api/v1/nodes/${at}/proxy`)).status, at).to.be.oneOf([400, 503]);
        }
      });
      it(`are not reached through a pod that says it is at ${JSON.stringify(address)}`, async () => {
        const {
          target: { admin },
        } = backends;
        const name = `p-${spellings.indexOf(address)}`;
        await admin.expect(201, 'POST', pods, {
          body: { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: port }] }] } },
        });
        const { status } = await admin.request('PATCH', `${pods}/${name}/status`, {
          type: mergePatch,
          body: { status: { podIP: address, podIPs: address === '' ? [] : [{ ip: address }] } },
        });
        if (/ffff:(7f|127|a9)/i.test(address)) expect(status).to.equal(422);
        for (const at of [name, `${name}:${port}`, `http:${name}:${port}`])
          expect((await admin.request('GET', `${pods}/${at}/proxy/x`)).status, at).to.equal(400);
      });
    }
  });

  describe('a shell for who may only read', () => {
    const streams = ['exec?command=sh&stdin=1&stdout=1', 'attach?stdin=1&stdout=1', 'portforward?ports=80'];
    let sockets: WebSocketServer;

    before(() => {
      sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
      backends.node.upgrade = (request, socket, head) => {
        sockets.handleUpgrade(request, socket, head, () => undefined);
      };
    });
    beforeEach(() => {
      backends.node.seen.length = 0;
    });
    after(() => {
      sockets.close();
    });

    /** The status of a WebSocket request. */
    async function opened({ certificate, key }: User, path: string): Promise<number> {
      const socket = new WebSocket(`${backends.target.url.replace('https', 'wss')}${pods}/p/${path}`, ['v5.channel.k8s.io'], {
        cert: certificate,
        key,
        rejectUnauthorized: false,
      });
      socket.on('error', () => undefined);
      const status = await new Promise<number>((resolve) => {
        socket
          .once('open', () => {
            resolve(101);
          })
          .once('unexpected-response', (_request, { statusCode }) => {
            resolve(statusCode ?? 0);
          });
      });
      socket.terminate();
      return status;
    }

    it('is not there: a WebSocket needs the right to create', async () => {
      const reader = await backends.target.user('reader', {
        namespace: 'default',
        rules: [{ verbs: ['get', 'list', 'watch'], resources: ['pods', 'pods/*', 'pods/exec', 'pods/attach', 'pods/portforward'] }],
      });
      for (const path of streams) expect(await opened(reader, path), path).to.equal(403);
      const plain = await reader.client.request('GET', `${pods}/p/exec?command=sh`);
      expect([plain.status, JSON.stringify(plain.body)]).to.satisfy(
        ([status, text]: [number, string]) => status === 403 && text.includes('pods \\"p\\" is forbidden'),
      );
      expect(backends.node.seen).to.deep.equal([]);
    });

    it('is there for who may create as well, for what he may create it for', async () => {
      const worker = await backends.target.user('worker', {
        namespace: 'default',
        rules: [
          { verbs: ['get', 'create'], resources: ['pods/exec'] },
          { verbs: ['get'], resources: ['pods/attach'] },
          { verbs: ['create'], resources: ['pods/portforward'] },
        ],
      });
      const statuses = [];
      for (const path of streams) statuses.push(await opened(worker, path));
      expect(statuses).to.deep.equal([101, 403, 403]);
    });
  });

  it('the older path of proxies serves nothing, whatever the method', async () => {
    const { target } = backends;
    await target.admin.expect(201, 'POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'kept' } } });
    const proxier = await target.user('proxier', { rules: [{ verbs: ['proxy'], resources: ['configmaps', 'nodes', 'pods'] }] });
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await proxier.client.request(
        method,
        '/api/v1/proxy/namespaces/default/configmaps/kept',
        method === 'GET' || method === 'DELETE'
          ? {}
          : { type: method === 'PUT' ? 'application/json' : mergePatch, body: { metadata: { name: 'kept' }, data: { a: 'b' } } },
      );
      expect(status, method).to.be.oneOf([...refused]);
    }
    const kept = await target.admin.expect(200, 'GET', '/api/v1/namespaces/default/configmaps/kept');
    expect(kept).not.to.have.property('data');
  });
});
