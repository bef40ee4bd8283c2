import { expect } from 'chai';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../../../../../api/object.js';
import type { Authorizer } from '../../../../../server/authorization/authorizer.js';
import { createBackends, type BackendOptions } from '../../../../../server/endpoints/backends/connection.js';
import type { EndpointOptions } from '../../../../../server/endpoints/endpoints.js';
import { createEndpointMetrics } from '../../../../../server/endpoints/metrics.js';
import { createMetrics, type Metrics } from '../../../../../server/http/metrics.js';
import { FakeAgent } from '../../../../fixtures/fakeAgent.js';
import { shownSeries } from '../../../../fixtures/shownSeries.js';
import { call, type Answer, type Call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const pods = '/api/v1/namespaces/default/pods';
const webSocketRequests = 'apiserver_websocket_streaming_requests_total';

/** Nodes and programs use the same stand-ins below, so this is one file. */
describe('requests that go on to nodes and programs', () => {
  let agent: FakeAgent;
  let server: TestServer;
  let metrics: Metrics;
  const send = (method: string, path: string, options: Call = {}): Promise<Answer> => call(server.url, method, path, options);
  const made = async (path: string, object: JsonObject): Promise<void> => {
    const { status: code, text } = await send('POST', path, { body: object });
    expect(code, text).to.equal(201);
  };
  const status = async (path: string, value: JsonObject): Promise<void> => {
    const { status: code, text } = await send('PATCH', `${path}/status`, { body: { status: value }, type: 'application/merge-patch+json' });
    expect(code, text).to.equal(200);
  };
  const pod = async (name: string, nodeName: string, containers: readonly string[], more: JsonObject = {}): Promise<void> =>
    made(pods, {
      metadata: { name },
      spec: {
        ...(nodeName === '' ? {} : { nodeName }),
        containers: containers.map((each) => ({ name: each, image: 'i', ports: [{ containerPort: 8080 }] })),
        ...more,
      },
    });
  const node = async (name: string, addresses: readonly JsonObject[], port: number): Promise<void> => {
    await made('/api/v1/nodes', { metadata: { name } });
    await status(`/api/v1/nodes/${name}`, { addresses: [...addresses], daemonEndpoints: { kubeletEndpoint: { Port: port } } });
  };

  async function start(options: Partial<BackendOptions> = {}, endpoints: Partial<EndpointOptions> = {}): Promise<void> {
    metrics = createMetrics();
    const credentials = { ca: agent.ca, cert: Buffer.from(agent.client.certificate), key: Buffer.from(agent.client.key) };
    const backends = createBackends({ credentials, preferredAddresses: ['Hostname', 'InternalIP'], connectTimeoutMs: 5000, ...options });
    server = await startTestServer(undefined, { endpoints: { backends, counts: createEndpointMetrics(metrics.registry), ...endpoints } });
    await node(
      'n',
      [
        { type: 'ExternalIP', address: '192.0.2.1' },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
      agent.port,
    );
    await pod('p', 'n', ['c']);
  }

  beforeEach(async () => {
    agent = await FakeAgent.start();
  });
  afterEach(async () => {
    await server.close();
    await agent.close();
  });

  it("brings the log of a container, asked for in the words of the agent and with this server's certificate", async () => {
    await start();
    agent.answer = (_request, response) => {
      response.end('line\n');
    };
    const path = `${pods}/p/log?follow=true&previous=false&timestamps=1&tailLines=5&limitBytes=100&sinceTime=2026-01-01T00:00:00Z&pretty=true`;
    const answer = await send('GET', path, { headers: { authorization: 'Bearer secret' } });
    expect([answer.status, answer.text, answer.headers['content-type']]).to.deep.equal([200, 'line\n', 'text/plain']);
    const [{ url, client, headers } = { url: '', client: '', headers: {} }] = agent.seen;
    expect(url).to.equal(
      '/containerLogs/default/p/c?follow=true&limitBytes=100&sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=5&timestamps=true',
    );
    expect(client).to.equal('apiserver');
    expect(headers.authorization).to.equal(undefined);
  });

  it('brings one stream of a log where that is to be had', async () => {
    const asked = async (query: string): Promise<unknown> => {
      const { status: code, text } = await send('GET', `${pods}/p/log?${query}`);
      return code === 200 ? agent.seen.at(-1)?.url : [code, text];
    };
    agent.answer = (_request, response) => {
      response.end('line\n');
    };
    await start();
    expect(await asked('stream=Stderr')).to.have.property('0', 422);
    expect(JSON.stringify(await asked('stream=Stderr'))).to.contain('stream: Forbidden: may not be specified');
    await server.close();
    await start({}, { splitsLogs: true });
    expect(await asked('stream=Stderr')).to.equal('/containerLogs/default/p/c?stream=Stderr');
    expect(await asked('stream=All&tailLines=1')).to.equal('/containerLogs/default/p/c?stream=All&tailLines=1');
    expect(JSON.stringify(await asked('stream=Both'))).to.contain('supported values:');
    expect(JSON.stringify(await asked('stream=Stdout&tailLines=1'))).to.contain('mutually exclusive');
  });

  it('passes a log on while it is being written, and lets go of the agent when the client does', async () => {
    await start();
    let [write, gone] = [(_line: string): void => {}, new Promise<void>(() => {})];
    agent.answer = (_request, response) => {
      gone = once(response, 'close').then(() => undefined);
      response.flushHeaders();
      write = (line) => {
        response.write(line);
      };
    };
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(`${server.url}${pods}/p/log?follow=true`, { agent: false }, resolve).on('error', reject);
    });
    for (const line of ['one\n', 'two\n']) {
      write(line);
      expect(String(((await once(response, 'data')) as unknown[])[0])).to.equal(line);
    }
    response.on('error', () => undefined).destroy();
    await gone;
  });

  it('chooses containers, and tells which there are', async () => {
    await start();
    await pod('two', 'n', ['a', 'b'], { initContainers: [{ name: 'first', image: 'i' }] });
    const refused = await send('GET', `${pods}/two/log`);
    expect([refused.status, refused.body['message']]).to.deep.equal([
      400,
      'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [first]',
    ]);
    expect((await send('GET', `${pods}/two/log?container=first`)).status).to.equal(200);
    expect((await send('GET', `${pods}/two/log?container=nope`)).status).to.equal(400);
    expect(agent.seen.map(({ url }) => url)).to.deep.equal(['/containerLogs/default/two/first']);
  });

  const refusals: readonly (readonly [code: number, text: string, expected: readonly [number, string, string]])[] = [
    [404, 'no such container', [404, 'NotFound', 'the server could not find the requested resource (get pods/log p)']],
    [400, 'container is waiting', [400, 'BadRequest', 'the server rejected our request for an unknown reason (get pods/log p)']],
    [500, 'it broke', [500, 'InternalError', 'Internal error occurred: it broke']],
    [502, 'x', [502, 'InternalError', 'an error on the server ("x") has prevented the request from succeeding (get pods/log p)']],
    [302, '', [502, 'InternalError', 'the backend attempted to redirect this request, which is not permitted']],
  ];
  for (const [code, text, expected] of refusals) {
    it(`tells what an agent means by ${code}`, async () => {
      await start();
      agent.answer = (_request, response) => {
        response.writeHead(code, { location: 'https://example.com/' }).end(text);
      };
      const { status: reported, body } = await send('GET', `${pods}/p/log`);
      expect([reported, body['reason'], body['message']]).to.deep.equal(expected);
      expect(agent.seen).to.have.length(1);
    });
  }

  it('says clearly that nobody is there, that the certificate is wrong, that the node has no address', async () => {
    await start();
    const free = net.createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as net.AddressInfo;
    free.close();
    await node('off', [{ type: 'InternalIP', address: '127.0.0.1' }], port);
    await node('nowhere', [], port);
    for (const name of ['off', 'nowhere', 'absent']) await pod(name, name, ['c']);
    const reported = async (name: string): Promise<readonly unknown[]> => {
      const { status: code, body } = await send('GET', `${pods}/${name}/log`);
      return [code, body['reason'], String(body['message'])];
    };
    expect(await reported('off')).to.deep.equal([
      503,
      'ServiceUnavailable',
      `error dialing backend: 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    ]);
    expect(await reported('nowhere')).to.deep.equal([503, 'ServiceUnavailable', 'node "nowhere" has no address of the preferred types']);
    expect(await reported('absent')).to.deep.equal([404, 'NotFound', 'nodes "absent" not found']);
  });

  it('refuses an agent of another authority, unless the client does not care', async () => {
    const other = await FakeAgent.start();
    await start({ credentials: { ca: other.ca, cert: Buffer.from(agent.client.certificate), key: Buffer.from(agent.client.key) } });
    await other.close();
    const { status: code, body } = await send('GET', `${pods}/p/log`);
    expect([code, String(body['message'])]).to.deep.equal([
      502,
      `error dialing backend: 127.0.0.1:${agent.port}: tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ]);
    expect((await send('GET', `${pods}/p/log?insecureSkipTLSVerifyBackend=true`)).status).to.equal(200);
    agent.answer = (request) => {
      request.socket.destroy();
    };
    expect((await send('GET', `${pods}/p/log?insecureSkipTLSVerifyBackend=true`)).status).to.equal(503);
    expect(await shownSeries(metrics.registry, 'kube_apiserver_pod_logs_backend_tls_failure_total')).to.deep.equal({ '': 1 });
    expect(await shownSeries(metrics.registry, 'kube_apiserver_pod_logs_insecure_backend_total')).to.deep.equal({
      'usage="enforce_tls"': 1,
      'usage="skip_tls_allowed"': 2,
    });
  });

  it('gives up on a connection that does not come about', async () => {
    const silent = net.createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as net.AddressInfo;
    await start({ connectTimeoutMs: 50, route: () => ({ host: '127.0.0.1', port }) });
    const { status: code, body } = await send('GET', `${pods}/p/log`);
    expect([code, body['message']]).to.deep.equal([503, `error dialing backend: no connection to 127.0.0.1:${agent.port} within 50 ms`]);
    silent.close();
  });

  /** Upgrades a connection; returns the head of the answer and the socket. */
  async function upgraded(path: string, protocol: string, method = 'POST'): Promise<{ readonly head: string; readonly socket: Duplex }> {
    const { hostname, port } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer secret\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\nx-stream-protocol-version: v4.channel.k8s.io\r\n\r\n`,
    );
    let text = '';
    while (!text.includes('\r\n\r\n')) text += String(((await once(socket, 'data')) as unknown[])[0]);
    return { head: text, socket };
  }

  const streams = [
    ['exec?command=sh&command=-c&stdin=true&stdout=true&tty=false', '/exec/default/p/c?command=sh&command=-c&input=1&output=1'],
    ['attach?stdout=1&stderr=1', '/attach/default/p/c?error=1&output=1'],
    ['portforward?ports=80&ports=81', '/portForward/default/p?port=80%2C81'],
  ] as const;
  for (const [asked, seen] of streams) {
    it(`hands a SPDY connection over: ${asked}`, async () => {
      await start();
      agent.upgrade = (_request, socket, head) => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
        );
        socket.write(head);
        socket.pipe(socket);
      };
      const { head, socket } = await upgraded(`${pods}/p/${asked}`, 'SPDY/3.1');
      expect(head)
        .to.match(/^HTTP\/1.1 101 Switching Protocols\r\n/)
        .and.to.contain('X-Stream-Protocol-Version: v4.channel.k8s.io');
      socket.write('bytes');
      expect(String(((await once(socket, 'data')) as unknown[])[0])).to.equal('bytes');
      const [{ url, headers } = { url: '', headers: {} as http.IncomingHttpHeaders }] = agent.seen;
      expect(url).to.equal(seen);
      expect(headers).to.include({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' });
      expect(headers.authorization).to.equal(undefined);
      expect(await shownSeries(metrics.registry, webSocketRequests)).to.deep.equal({});
      socket.destroy();
    });
  }

  it('hands a WebSocket over, and keeps the token that travels as a protocol', async () => {
    await start();
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
    agent.upgrade = (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (socketOf) => {
        socketOf.on('message', (data) => {
          socketOf.send(`echo ${String(data)}`);
        });
      });
    };
    const client = new WebSocket(`${server.url.replace('http', 'ws')}${pods}/p/exec?command=ls&stdout=1`, [
      'base64url.bearer.authorization.k8s.io.c2VjcmV0',
      'v4.channel.k8s.io',
    ]);
    await once(client, 'open');
    expect(client.protocol).to.equal('v4.channel.k8s.io');
    client.send('hello');
    expect(String(((await once(client, 'message')) as unknown[])[0])).to.equal('echo hello');
    expect(agent.seen[0]?.headers['sec-websocket-protocol']).to.equal('v4.channel.k8s.io');
    expect(await shownSeries(metrics.registry, webSocketRequests)).to.deep.equal({
      'subresource="exec",proxy_type="proxied_to_kubelet"': 1,
    });
    client.terminate();
    sockets.close();
  });

  describe('logs as the messages of a WebSocket', () => {
    interface Message {
      readonly text: string;
      readonly isBinary: boolean;
    }
    const clients: WebSocket[] = [];
    afterEach(() => {
      for (const client of clients.splice(0)) client.terminate();
    });
    const follow = (offered: readonly string[]): WebSocket => {
      const client = new WebSocket(`${server.url.replace('http', 'ws')}${pods}/p/log?container=c`, [...offered]);
      clients.push(client);
      return client;
    };
    const logThrough = async (offered: readonly string[]): Promise<{ protocol: string; code: number; messages: Message[] }> => {
      const client = follow(offered);
      const messages: Message[] = [];
      client.on('message', (data: Buffer, isBinary) => messages.push({ text: data.toString(), isBinary }));
      const [code] = (await once(client, 'close')) as [number];
      return { protocol: client.protocol, code, messages };
    };

    for (const [offered, protocol, isBinary, text] of [
      [['binary.k8s.io'], 'binary.k8s.io', true, 'container is alive\n'],
      [['unheard.of', 'base64.binary.k8s.io', 'binary.k8s.io'], 'base64.binary.k8s.io', false, 'Y29udGFpbmVyIGlzIGFsaXZlCg=='],
      [[], '', true, 'container is alive\n'],
    ] as const)
      it(`come in the form of ${protocol || 'no protocol'}, behind an empty one`, async () => {
        await start();
        agent.answer = (_request, response) => {
          response.end('container is alive\n');
        };
        expect(await logThrough(offered)).to.deep.equal({
          protocol,
          code: 1000,
          messages: [
            { text: '', isBinary },
            { text, isBinary },
          ],
        });
      });

    it('are refused in protocols that nobody knows, and where the agent refuses', async () => {
      await start();
      const refusalOf = async (offered: readonly string[]): Promise<string> =>
        String(((await once(follow(offered), 'error')) as [Error])[0]);
      expect(await refusalOf(['unheard.of'])).to.contain('403');
      agent.answer = (_request, response) => {
        response.writeHead(404).end('no such container');
      };
      expect(await refusalOf(['binary.k8s.io'])).to.contain('404');
    });

    it('come while they are written, and let go of the agent when the client leaves', async () => {
      await start();
      let gone = Promise.resolve<unknown>(undefined);
      agent.answer = (_request, response) => {
        gone = once(response, 'close');
        response.write('one\n');
      };
      const client = follow(['binary.k8s.io']);
      const seen: string[] = [];
      await new Promise<void>((resolve) => {
        client.on('message', (data: Buffer) => {
          if (seen.push(data.toString()) === 2) resolve();
        });
      });
      expect(seen).to.deep.equal(['', 'one\n']);
      client.close();
      await gone;
    });
  });

  it('serves nothing below the older path of proxies, for which another right is asked', async () => {
    await start();
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'HEAD']) {
      for (const path of ['namespaces/default/pods/p', 'nodes/n', 'namespaces/default/pods', 'namespaces/default/pods/p/log'])
        expect((await send(method, `/api/v1/proxy/${path}`)).status, `${method} ${path}`).to.equal(404);
    }
    expect((await send('GET', `${pods}/p`)).status).to.equal(200);
    expect(agent.seen).to.deep.equal([]);
  });

  it('asks for the right to create where a stream begins with a GET, unless told not to', async () => {
    const asked: unknown[] = [];
    const backends = createBackends({
      credentials: { ca: agent.ca, cert: null, key: null },
      preferredAddresses: ['InternalIP'],
      connectTimeoutMs: 5000,
    });
    const authorize: Authorizer = ({ user: _user, ...attributes }) => {
      asked.push(attributes);
      return { decision: 'noOpinion', reason: 'because' };
    };
    const reported = async (streamsNeedCreate: boolean, method: string): Promise<unknown> => {
      server = await startTestServer(undefined, { endpoints: { backends, authorize, streamsNeedCreate } });
      await pod('homeless', '', ['c']);
      const { body } = await send(method, `${pods}/homeless/exec?command=ls`);
      await server.close();
      return body['message'];
    };
    const homeless = 'pod homeless does not have a host assigned';
    expect(await reported(true, 'POST')).to.equal(homeless);
    expect(await reported(false, 'GET')).to.equal(homeless);
    expect(asked).to.deep.equal([]);
    expect(await reported(true, 'GET')).to.equal('pods "homeless" is forbidden: because');
    expect(asked).to.deep.equal([
      {
        isResource: true,
        verb: 'create',
        group: '',
        version: 'v1',
        namespace: 'default',
        resource: 'pods',
        subresource: 'exec',
        name: 'homeless',
      },
    ]);
  });

  it('connects to what a name was found to be when it was judged, whatever it is found to be afterwards', async () => {
    const found = ['2001:db8::9', '::1'];
    await start({ lookup: () => Promise.resolve([{ address: found.shift() ?? '', family: 6 }]), connectTimeoutMs: 50 });
    await node('named', [{ type: 'InternalIP', address: 'node.example.com' }], agent.port);
    const { status: code } = await send('GET', '/api/v1/nodes/named/proxy/x');
    expect([code, found, agent.seen]).to.deep.equal([503, ['::1'], []]);
    expect((await send('GET', '/api/v1/nodes/named/proxy/x')).body['message']).to.equal('address not allowed');
  });

  it('tells a client of a stream why there is none', async () => {
    await start();
    const plain = await send('POST', `${pods}/p/exec?command=ls`);
    expect([plain.status, plain.body['message']]).to.deep.equal([400, 'Upgrade request required']);
    await pod('homeless', '', ['c']);
    const homeless = await send('POST', `${pods}/homeless/exec?command=ls`);
    expect([homeless.status, homeless.body['message']]).to.deep.equal([400, 'pod homeless does not have a host assigned']);
    const { head, socket } = await upgraded(`${pods}/p/exec?command=ls`, 'SPDY/3.1');
    expect(head).to.match(/^HTTP\/1.1 400 Bad Request\r\n/);
    socket.destroy();
    agent.upgrade = (_request, backend) => {
      backend.end('HTTP/1.1 307 Temporary Redirect\r\nlocation: https://example.com/\r\ncontent-length: 0\r\n\r\n');
    };
    const redirected = await upgraded(`${pods}/p/attach?stdout=1`, 'SPDY/3.1');
    expect(redirected.head)
      .to.match(/^HTTP\/1.1 502 /)
      .and.to.contain('attempted to redirect');
    redirected.socket.destroy();
  });

  it("proxies to the agent of a node, with the body, and never with the user's credentials", async () => {
    await start({ route: () => ({ host: '127.0.0.1', port: agent.port }) });
    await status('/api/v1/nodes/n', { addresses: [{ type: 'InternalIP', address: '192.0.2.7' }] });
    agent.answer = (_request, response, { body }) => {
      response.writeHead(202, { 'x-own': 'yes', connection: 'close', 'access-control-allow-origin': '*' }).end(`got ${body}`);
    };
    const headers = {
      authorization: 'Bearer secret',
      'x-remote-user': 'root',
      X_Remote_Group: 'system:masters',
      expect: '100-continue',
      te: 'trailers',
    };
    const answer = await send('POST', '/api/v1/nodes/n/proxy/run/a%20b%3F/?x=1&x=2', { raw: 'text', type: 'text/plain', headers });
    expect([answer.status, answer.text, answer.headers['x-own'], answer.headers['access-control-allow-origin']]).to.deep.equal([
      202,
      'got text',
      'yes',
      undefined,
    ]);
    const [seen] = agent.seen;
    expect(seen).to.include({ url: '/run/a%20b%3F/?x=1&x=2', client: 'apiserver' });
    expect(seen?.headers).to.include({
      'content-type': 'text/plain',
      'content-length': '4',
      'x-forwarded-uri': '/api/v1/nodes/n/proxy/run/a%20b%3F/',
      host: `192.0.2.7:${agent.port}`,
    });
    for (const name of ['authorization', 'x-remote-user', 'x_remote_group', 'expect', 'te'])
      expect(seen?.headers, name).not.to.have.property(name);
  });

  describe('to programs', () => {
    /** Sends bytes on a new connection and returns everything received. */
    async function socketSays(bytes: string): Promise<string> {
      const { hostname, port } = new URL(server.url);
      const socket = net.connect(Number(port), hostname);
      socket.write(bytes);
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text;
    }
    let program: http.Server;
    let asked: string[];
    beforeEach(async () => {
      asked = [];
      program = http
        .createServer((request, response) => {
          asked.push(`${request.headers.host} ${request.method} ${request.url}`);
          if (request.url === '/moved') response.writeHead(302, { location: '/there?a=b' });
          response.end('program');
        })
        .listen(0, '127.0.0.1');
      await once(program, 'listening');
      const { port } = program.address() as net.AddressInfo;
      await start({ route: () => ({ host: '127.0.0.1', port }) });
      await status(`${pods}/p`, { phase: 'Running', podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }] });
    });
    afterEach(() => {
      program.close();
    });

    it('reaches a pod at the port that is named, or the first that it declares', async () => {
      expect((await send('GET', `${pods}/p/proxy/a/b/?q=1`)).text).to.equal('program');
      expect((await send('DELETE', `${pods}/http:p:99/proxy/a`)).status).to.equal(200);
      expect(asked).to.deep.equal(['10.9.8.7:8080 GET /a/b/?q=1', '10.9.8.7:99 DELETE /a']);
    });

    it("passes every method on that is the backend's to understand, and no other", async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status: code, text } = await send(method, `${pods}/p/proxy/a`);
        expect([code, text], method).to.deep.equal([200, method === 'HEAD' ? '' : 'program']);
      }
      expect(asked).to.deep.equal(
        ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => `10.9.8.7:8080 ${method} /a`),
      );
      for (const method of ['TRACE', 'PROPFIND']) expect((await send(method, `${pods}/p/proxy/a`)).status, method).to.equal(405);
      for (const method of ['HEAD', 'OPTIONS']) expect((await send(method, `${pods}/p/log`)).status, method).to.equal(405);
      expect(asked).to.have.length(7);
    });

    it('makes plain what a path leads to before it is sent on', async () => {
      const paths = ['a/../b', 'x%2Fy/../z', '%2e%2e/%2e%2e/up', '/double//slash/', './', 'q%3Fx%3D1', 'caf%C3%A9', 'per%2525cent'];
      for (const path of paths) await socketSays(`GET ${pods}/p/proxy/${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(asked.map((each) => each.split(' ')[2])).to.deep.equal([
        '/b',
        '/x/z',
        '/up',
        '/double/slash/',
        '/',
        '/q%3Fx=1',
        '/caf%C3%A9',
        '/per%2525cent',
      ]);
    });

    it('takes the path for what it is where a namespace and a pod have the words of paths for names', async () => {
      await made('/api/v1/namespaces', { metadata: { name: 'pods' } });
      await made('/api/v1/namespaces/pods/pods', {
        metadata: { name: 'proxy' },
        spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 8080 }] }] },
      });
      await status('/api/v1/namespaces/pods/pods/proxy', { phase: 'Running', podIP: '10.9.8.6', podIPs: [{ ip: '10.9.8.6' }] });
      expect((await send('GET', '/api/v1/namespaces/pods/pods/proxy/proxy/x')).status).to.equal(200);
      expect(asked).to.deep.equal(['10.9.8.6:8080 GET /x']);
    });

    it('sends a client that asks for no path to the root, and shows places on the backend as seen from outside', async () => {
      const bare = await send('GET', `${pods}/p/proxy?x=1`);
      expect([bare.status, bare.headers.location]).to.deep.equal([301, `${pods}/p/proxy/?x=1`]);
      const moved = await send('GET', `${pods}/p/proxy/moved`);
      expect([moved.status, moved.headers.location]).to.deep.equal([302, `${pods}/p/proxy/there?a=b`]);
      expect(asked).to.deep.equal(['10.9.8.7:8080 GET /moved']);
    });

    it("reaches a service at an address that is really its pod's", async () => {
      await made('/api/v1/namespaces/default/services', {
        metadata: { name: 's' },
        spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ name: 'web', port: 80 }] },
      });
      const endpoints = (targetRef: JsonObject | null): JsonObject => ({
        metadata: { name: 's' },
        subsets: [{ ports: [{ name: 'web', port: 8080 }], addresses: [{ ip: '10.9.8.7', ...(targetRef === null ? {} : { targetRef }) }] }],
      });
      const proxied = async (name: string): Promise<readonly unknown[]> => {
        const { status: code, text, body } = await send('GET', `/api/v1/namespaces/default/services/${name}/proxy/x`);
        return [code, body['message'] ?? text];
      };
      expect((await proxied('s:web'))[0]).to.equal(404);
      await made('/api/v1/namespaces/default/endpoints', endpoints(null));
      expect(await proxied('s:web')).to.deep.equal([503, 'no endpoints available for service "s"']);
      await send('PUT', '/api/v1/namespaces/default/endpoints/s', { body: endpoints({ kind: 'Pod', name: 'p', namespace: 'default' }) });
      expect(await proxied('s:web')).to.deep.equal([200, 'program']);
      expect(await proxied('s:80')).to.deep.equal([200, 'program']);
      expect(await proxied('s:81')).to.deep.equal([503, 'no service port 81 found for service "s"']);
      expect(await proxied('s:other')).to.deep.equal([503, 'no endpoints available for service "s"']);
      expect(asked).to.deep.equal(['10.9.8.7:8080 GET /x', '10.9.8.7:8080 GET /x']);
    });

    it('shows the links of pages, and places to go to, as they are reached from outside', async () => {
      const { host } = new URL(server.url);
      const page =
        '<html><a href="/x?a=1#b">1</a><a href=rel/y>2</a><img src=\'/z/\'><a href="http://10.9.8.7:8080/w">3</a><a href="https://example.com/v">4</a><script>if (a<b) "<a href=\\"/s\\">"</script></html>';
      program.removeAllListeners('request').on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
        if (request.url === '/moved') return response.writeHead(302, { location: `http://${host}/there/` }).end();
        if (request.url === '/relative') return response.writeHead(302, { location: 'login?next=1' }).end();
        return response
          .writeHead(200, {
            'content-type': request.url === '/text' ? 'text/plain' : 'text/html; charset=utf-8',
            'content-length': Buffer.byteLength(page),
          })
          .end(page);
      });
      const prefix = `${pods}/p/proxy`;
      const seen = await send('GET', `${prefix}/page`);
      expect(seen.text).to.equal(
        page.replace('"/x', `"${prefix}/x`).replace("'/z", `'${prefix}/z`).replace('http://10.9.8.7:8080/w', `${prefix}/w`),
      );
      expect((await send('GET', `${prefix}/text`)).text).to.equal(page);
      expect((await send('HEAD', `${prefix}/page`)).status).to.equal(200);
      expect((await send('GET', `${prefix}/moved`)).headers.location).to.equal(`${prefix}/there/`);
      expect((await send('GET', `${prefix}/relative`)).headers.location).to.equal('login?next=1');
    });

    for (const ip of [
      '127.0.0.1',
      '169.254.1.1',
      '::1',
      '224.0.0.1',
      '0:0:0:0:0:0:0:1',
      '::127.0.0.1',
      '64:ff9b::a9fe:a9fe',
      '2002:7f00:1::',
      'fe80::1',
      'ff02::1',
      '0.0.0.0',
      '255.255.255.255',
    ]) {
      it(`never reaches ${ip} for a pod that claims it`, async () => {
        await status(`${pods}/p`, { podIP: ip, podIPs: [{ ip }] });
        const { status: code, body } = await send('GET', `${pods}/p/proxy/x`);
        expect([code, body['message']]).to.deep.equal([400, 'address not allowed']);
        expect(asked).to.deep.equal([]);
      });
    }

    it('says that nobody is there', async () => {
      program.close();
      await once(program, 'close');
      const { status: code, body } = await send('GET', `${pods}/p/proxy/x`);
      expect([code, body['reason'], String(body['message']).slice(0, 48)]).to.deep.equal([
        503,
        'ServiceUnavailable',
        'error trying to reach service: 10.9.8.7:8080: co',
      ]);
    });
  });
});
