import { expect } from 'chai';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { JsonObject } from '../../../../../api/object.js';
import { createBackends } from '../../../../../server/endpoints/backends/connection.js';
import { FakeAgent } from '../../../../fixtures/fakeAgent.js';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** Backends that attack the server or leave it in the middle of a request. */
const pods = '/api/v1/namespaces/default/pods';

describe('hostile backends', () => {
  let agent: FakeAgent;
  let server: TestServer;
  let elsewhere: http.Server;
  let askedElsewhere: string[];

  const send = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
    call(server.url, method, path, { ...(body === undefined ? {} : { body }), headers: { authorization: 'Bearer secret', cookie: 'a=b' } });
  const status = (path: string, value: JsonObject): Promise<Answer> =>
    call(server.url, 'PATCH', `${path}/status`, { body: { status: value }, type: 'application/merge-patch+json' });

  beforeEach(async () => {
    agent = await FakeAgent.start();
    askedElsewhere = [];
    elsewhere = http
      .createServer((request, response) => {
        askedElsewhere.push(String(request.url));
        response.end();
      })
      .listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const credentials = { ca: agent.ca, cert: Buffer.from(agent.client.certificate), key: Buffer.from(agent.client.key) };
    server = await startTestServer(undefined, {
      endpoints: {
        backends: createBackends({
          credentials,
          preferredAddresses: ['InternalIP'],
          connectTimeoutMs: 5000,
          route: () => ({ host: '127.0.0.1', port: agent.port }),
        }),
      },
    });
    await send('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
    await status('/api/v1/nodes/n', {
      addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    });
    await send('POST', pods, { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } });
  });
  afterEach(async () => {
    expect((await send('GET', `${pods}/p`)).status, 'it still serves').to.equal(200);
    elsewhere.close();
    await server.close();
    await agent.close();
  });

  const place = (): string => `http://127.0.0.1:${(elsewhere.address() as net.AddressInfo).port}/stolen`;

  for (const code of [301, 302, 303, 307, 308]) {
    it(`a redirect from a proxied backend is not followed by the server: ${code}`, async () => {
      agent.answer = (_request, response) => {
        response.writeHead(code, { location: place() }).end();
      };
      const proxied = await send('GET', '/api/v1/nodes/n/proxy/logs/');
      expect([proxied.status, proxied.headers.location]).to.deep.equal([code, place()]);
      const log = await send('GET', `${pods}/p/log`);
      expect(log.status).to.equal(502);
      expect(askedElsewhere).to.deep.equal([]);
      for (const { headers } of agent.seen)
        expect([headers.authorization, headers.cookie === undefined || headers.cookie === 'a=b']).to.deep.equal([undefined, true]);
    });
  }

  it('a redirect from a pod or a service goes to the client as it is: the server follows none, and credentials go nowhere', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const program = http
      .createServer((request, response) => {
        seen.push(request.headers);
        response.writeHead(307, { location: place() }).end();
      })
      .listen(0, '127.0.0.1');
    await once(program, 'listening');
    const { port } = program.address() as net.AddressInfo;
    const credentials = { ca: agent.ca, cert: Buffer.from(agent.client.certificate), key: Buffer.from(agent.client.key) };
    const routed = await startTestServer(undefined, {
      endpoints: {
        backends: createBackends({
          credentials,
          preferredAddresses: ['InternalIP'],
          connectTimeoutMs: 5000,
          route: () => ({ host: '127.0.0.1', port }),
        }),
      },
    });
    const ask = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
      call(routed.url, method, path, { ...(body === undefined ? {} : { body }), headers: { authorization: 'Bearer secret' } });
    await ask('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] } });
    await call(routed.url, 'PATCH', `${pods}/p/status`, {
      body: { status: { phase: 'Running', podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }] } },
      type: 'application/merge-patch+json',
    });
    await ask('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ name: 'web', port: 80 }] },
    });
    await ask('POST', '/api/v1/namespaces/default/endpoints', {
      metadata: { name: 's' },
      subsets: [
        {
          ports: [{ name: 'web', port: 80 }],
          addresses: [{ ip: '10.9.8.7', targetRef: { kind: 'Pod', name: 'p', namespace: 'default' } }],
        },
      ],
    });
    for (const path of [`${pods}/p/proxy/x`, '/api/v1/namespaces/default/services/s:web/proxy/x']) {
      const { status: code, headers, text } = await ask('GET', path);
      expect([code, headers.location], `${path}: ${text}`).to.deep.equal([307, place()]);
    }
    expect(seen.map(({ authorization }) => authorization)).to.deep.equal([undefined, undefined]);
    expect(askedElsewhere).to.deep.equal([]);
    program.close();
    await routed.close();
  });

  /** Requests an upgrade and returns the connection. */
  function upgrading(): net.Socket {
    const { hostname, port } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST ${pods}/p/exec?command=sh&stdout=1 HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\nx-stream-protocol-version: v4.channel.k8s.io\r\n\r\n`,
    );
    return socket;
  }
  async function everything(socket: net.Socket): Promise<string> {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    if (!socket.destroyed) await once(socket, 'close');
    return text;
  }

  /** Resolves when received data meet a condition. */
  const until = async (done: () => boolean, socket: net.Socket): Promise<void> => {
    while (!done()) await once(socket, 'data');
  };

  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';
  const halves: readonly (readonly [what: string, backend: (socket: Duplex) => void, answer: RegExp])[] = [
    [
      'closes without a word',
      (socket) => {
        socket.end();
      },
      /^HTTP\/1\.1 50\d /,
    ],
    [
      'is cut off',
      (socket) => {
        socket.destroy();
      },
      /^HTTP\/1\.1 50\d /,
    ],
    [
      'breaks off in its status line',
      (socket) => {
        socket.end('HTTP/1.1 10');
      },
      /^HTTP\/1\.1 50\d /,
    ],
    [
      'breaks off in its headers',
      (socket) => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upg');
      },
      /^HTTP\/1\.1 50\d /,
    ],
    [
      'answers what is no HTTP',
      (socket) => {
        socket.end('SSH-2.0-hello\r\n\r\n');
      },
      /^HTTP\/1\.1 50\d /,
    ],
    [
      'switches and is cut off',
      (socket) => {
        socket.write(switched, () => {
          setImmediate(() => {
            socket.destroy();
          });
        });
      },
      /^(HTTP\/1\.1 101 |$)/,
    ],
    [
      'says more than it announced',
      (socket) => {
        socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno and more of it');
      },
      /^HTTP\/1\.1 [45]0\d /,
    ],
  ];
  for (const [what, backend, answer] of halves) {
    it(`an upgrade that fails midway ends: the backend ${what}`, async () => {
      agent.upgrade = (_request, socket) => {
        backend(socket);
      };
      const socket = upgrading();
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      await Promise.race([once(socket, 'close'), until(() => text.includes('\r\n\r\n'), socket)]);
      expect(text).to.match(answer);
      socket.destroy();
    });
  }

  it('an upgrade that fails midway ends: the client goes before the backend has answered', async () => {
    const backend = new Promise<Duplex>((resolve) => {
      agent.upgrade = (_request, socket) => {
        resolve(socket);
      };
    });
    const socket = upgrading();
    const waiting = await backend;
    const closed = once(waiting, 'close');
    waiting.on('error', () => undefined).resume();
    socket.destroy();
    await closed;
  });

  it('an upgrade that fails midway ends: the client is cut off in the middle of a stream', async () => {
    const backend = new Promise<Duplex>((resolve) => {
      agent.upgrade = (_request, socket) => {
        socket.write(switched);
        resolve(socket);
      };
    });
    const socket = upgrading();
    const streaming = await backend;
    await once(socket, 'data');
    const closed = once(streaming, 'close');
    streaming.on('error', () => undefined).resume();
    socket.resetAndDestroy();
    await closed;
  });

  it('a proxied path goes on without steps upwards, and leads nowhere else on the way', async () => {
    const { hostname, port } = new URL(server.url);
    for (const path of [
      '/api/v1/nodes/n/proxy/logs/../../etc/passwd',
      '/api/v1/nodes/n/proxy/%2e%2e/%2e%2e/etc/passwd',
      '/api/v1/nodes/n/proxy//etc//passwd',
      'http://elsewhere.example.com/api/v1/nodes/n/proxy/api/v1/secrets',
    ]) {
      const socket = net.connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(await everything(socket), path).to.match(/^HTTP\/1\.1 (200|30\d|40\d) /);
    }
    expect(agent.seen.map(({ url }) => url)).to.deep.equal(['/etc/passwd', '/etc/passwd', '/etc/passwd', '/api/v1/secrets']);
    expect(askedElsewhere).to.deep.equal([]);
  });
});
