import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { expect } from 'chai';
import { StatusError, notFound } from '../../../../api/status.js';
import type { RequestContext } from '../../../../server/endpoints/context.js';
import { answerStream } from '../../../../program/port/streams.js';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { bodyBytesMax } from '../../../../program/port/connections/bodyReading.js';
import { call1, call2, openFrontDoor } from '../../../fixtures/frontDoor.js';
import type { Answer, Call, FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';
import type { Identities, Identity } from '../../../fixtures/identities.js';

/** Behaviours of the resource handler by object name. */
type Behaviour = (context: RequestContext) => Promise<void>;
const behaviours: Record<string, Behaviour> = {
  body: async (context) => {
    reply(context, { bytes: (await context.body()).length });
  },
  twice: async (context) => {
    reply(context, { same: (await context.body()) === (await context.body()) });
  },
  absent: () => Promise.reject(notFound({ group: '', resource: 'things' }, 'absent')),
  defect: () => Promise.reject(new TypeError('secret detail')),
  warned: (context) => {
    context.warnings.push('say "no"\\', 'once', 'once');
    return Promise.reject(new StatusError(409, 'Conflict', 'no'));
  },
  slow: (context) =>
    new Promise((_, reject) => {
      context.signal.addEventListener('abort', () => {
        reject(context.signal.reason as Error);
      });
    }),
  half: (context) => {
    context.response.writeHead(200, { 'content-type': 'application/json' });
    answerStream(context.response).write('{"half":');
    return Promise.reject(new Error('lost'));
  },
  late: async (context) => {
    await new Promise((resolve) => {
      context.signal.addEventListener('abort', resolve);
    });
    context.response.end();
  },
};

const reply = (context: RequestContext, body: unknown): void => {
  writeJson(context as Exchange, 200, body);
};

async function resources(context: RequestContext): Promise<void> {
  const { info, user } = context;
  if (!info.isResource) throw new Error('not a resource');
  const behave = behaviours[info.name];
  if (behave !== undefined) await behave(context);
  else reply(context, { user: { ...user }, verb: info.verb, name: info.name, group: info.group, namespace: info.namespace });
}

describe('the way of a request', () => {
  let identities: Identities;
  let server: Identity;
  let admin: Identity;
  let alice: Identity;
  let door: FrontDoor;

  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters', 'others'] });
    alice = await identities.issue({ name: 'alice' });
    door = await openFrontDoor({ identities, server, resources });
  });
  after(() => door.listener.close());

  for (const [protocol, call] of [
    ['HTTP/1.1', call1],
    ['HTTP/2', call2],
  ] as const) {
    describe(`over ${protocol}`, () => {
      const ask = (request: Call): ReturnType<typeof call1> => call(door.port, request);
      const asAdmin = (path: string, more: Partial<Call> = {}): ReturnType<typeof call1> => ask({ path, identity: admin, ...more });

      it('reads user and groups from the client certificate', async () => {
        const { status, body, headers } = await asAdmin('/apis/g/v1/namespaces/ns/things/x');
        expect(status).to.equal(200);
        expect(body).to.deep.include({ verb: 'get', name: 'x', group: 'g', namespace: 'ns' });
        expect(body['user']).to.deep.include({ name: 'admin', groups: ['system:masters', 'others', 'system:authenticated'] });
        expect(headers['audit-id']).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
        expect(headers['cache-control']).to.equal('no-cache, private');
      });
      it('keeps a sensible audit id of the client and no other', async () => {
        expect((await asAdmin('/api/v1/things', { headers: { 'audit-id': 'abc-1' } })).headers['audit-id']).to.equal('abc-1');
        expect((await asAdmin('/api/v1/things', { headers: { 'audit-id': 'x'.repeat(65) } })).headers['audit-id']).to.have.length(36);
      });
      it('takes requests without certificate for anonymous ones, which may see health and version only', async () => {
        expect((await ask({ path: '/readyz' })).text).to.equal('ok');
        const { status, body } = await ask({ path: '/api/v1/namespaces/ns/pods' });
        expect(status).to.equal(403);
        expect(body).to.deep.equal({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          reason: 'Forbidden',
          code: 403,
          details: { kind: 'pods' },
          message: 'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "ns"',
        });
      });
      it('refuses paths and subresources in the words of the reference', async () => {
        const message = async (path: string, method = 'GET'): Promise<unknown> =>
          (await ask({ path, method, identity: alice })).body['message'];
        expect(await message('/metrics')).to.equal('forbidden: User "alice" cannot get path "/metrics"');
        expect(await message('/version', 'POST')).to.equal('forbidden: User "alice" cannot post path "/version"');
        expect(await message('/livez/ping')).to.equal('forbidden: User "alice" cannot get path "/livez/ping"');
        expect(await message('/apis/apps/v1/namespaces/n/deployments/d/scale')).to.equal(
          'deployments.apps "d" is forbidden: User "alice" cannot get resource "deployments/scale" in API group "apps" in the namespace "n"',
        );
        expect(await message('/api/v1/nodes')).to.equal(
          'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
        );
      });
      it('answers 401 to certificates that are no good, and to tokens', async () => {
        const stranger = await (await createIdentities('someone else')).issue({ name: 'admin', groups: ['system:masters'] });
        const expired = await identities.issue({ name: 'admin', groups: ['system:masters'], expired: true });
        for (const identity of [stranger, expired, server]) {
          const { status, body } = await ask({ path: '/api/v1/pods', identity });
          expect([status, body['message']]).to.deep.equal([401, 'Unauthorized']);
        }
        expect((await ask({ path: '/readyz', headers: { authorization: 'Bearer abc' } })).status).to.equal(401);
        expect((await ask({ path: '/readyz', identity: await identities.issue({ name: '' }) })).status).to.equal(200);
      });

      it('lets administrators act as others', async () => {
        const as = async (headers: Record<string, string | string[]>): Promise<Record<string, unknown>> =>
          (await asAdmin('/api/v1/things/x', { headers })).body;
        const groups = ['system:masters'];
        expect(
          (await as({ 'impersonate-user': 'bob', 'impersonate-group': groups, 'impersonate-uid': '7', 'impersonate-extra-a%2fb': 'c' }))[
            'user'
          ],
        ).to.deep.equal({ name: 'bob', uid: '7', groups: ['system:masters', 'system:authenticated'], extra: { 'a/b': ['c'] } });
        const named = Buffer.from('bä', 'utf8').toString('latin1');
        expect((await as({ 'impersonate-user': named, 'impersonate-group': groups }))['user']).to.have.property('name', 'bä');
        expect((await as({ 'impersonate-user': 'bob' }))['message']).to.match(/^things "x" is forbidden: User "bob" cannot get/);
        expect((await as({ 'impersonate-user': '' }))['user']).to.deep.include({ name: 'admin' });
        expect((await as({ 'impersonate-group': 'devs' }))['message']).to.equal(
          'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs"}, Extra:map[string][]string(nil)} without impersonating a user name',
        );
        expect((await as({ 'impersonate-extra-b': ['\xe4\xed\xa0\x80', named], 'impersonate-extra-a': 'x\xa0' }))['message']).to.equal(
          'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), ' +
            'Extra:map[string][]string{"a":[]string{"x\\xa0"}, "b":[]string{"\\xe4\\xed\\xa0\\x80", "bä"}}} without impersonating a user name',
        );
      });
      it('does not let others act as anybody', async () => {
        const { status, body } = await ask({ path: '/api', identity: alice, headers: { 'impersonate-user': 'admin' } });
        expect([status, body['message']]).to.deep.equal([
          403,
          'users "admin" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
        ]);
      });

      it('checks the timeout of a request before anything else', async () => {
        expect((await asAdmin('/api/v1/things/x?timeout=5s')).status).to.equal(200);
        expect((await asAdmin('/api/v1/things/x?timeout=')).status).to.equal(200);
        expect((await ask({ path: '/api/v1/things/x?timeout=abc' })).body).to.deep.equal({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          reason: 'BadRequest',
          code: 400,
          message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
        });
        expect((await asAdmin('/api/v1/things?watch=1&timeout=abc')).status).to.equal(200);
      });
      it('answers 504 when the time is over and stops the work', async () => {
        const { status, body, headers } = await asAdmin('/api/v1/things/slow?timeout=30ms');
        expect([status, body['reason']]).to.deep.equal([504, 'Timeout']);
        // Go clients use the status of a text answer, and print their own message for a 504.
        expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
        expect((await asAdmin('/api/v1/things/late?timeout=30ms')).status).to.equal(504);
      });
      it('turns what is thrown into a Status, and tells nothing of defects but where to look', async () => {
        expect((await asAdmin('/api/v1/things/absent')).body).to.deep.include({ code: 404, message: 'things "absent" not found' });
        const { status, body, headers, text } = await asAdmin('/api/v1/things/defect');
        expect(status).to.equal(500);
        expect(text).not.to.include('secret detail');
        expect(body['message']).to.include(String(headers['audit-id']));
        expect(door.logged.join('\n')).to.include('secret detail').and.include(String(headers['audit-id']));
      });
      it('sends warnings, each once, also with errors', async () => {
        const { status, headers } = await asAdmin('/api/v1/things/warned');
        expect(status).to.equal(409);
        expect(String(headers['warning'])).to.equal('299 - "say \\"no\\"\\\\", 299 - "once"');
      });
      it('cuts the connection when half an answer is out', async () => {
        let failed = false;
        await asAdmin('/api/v1/things/half').catch(() => {
          failed = true;
        });
        expect(failed).to.equal(true);
      });

      it('reads bodies up to the limit and answers 413 above it', async () => {
        const post = async (path: string, size: number): Promise<[number, unknown]> => {
          const { status, body } = await asAdmin(path, { method: 'PUT', body: Buffer.alloc(size, 97) });
          return [status, body['bytes'] ?? body['same'] ?? body['reason']];
        };
        expect(await post('/api/v1/things/body', 0)).to.deep.equal([200, 0]);
        expect(await post('/api/v1/things/body', bodyBytesMax)).to.deep.equal([200, bodyBytesMax]);
        expect(await post('/api/v1/things/body', bodyBytesMax + 1)).to.deep.equal([413, 'RequestEntityTooLarge']);
        expect(await post('/api/v1/things/twice', 10)).to.deep.equal([200, true]);
      });
      it('answers HEAD and odd methods without a body or with a Status', async () => {
        const head = await ask({ method: 'HEAD', path: '/readyz', identity: admin });
        expect([head.status, head.text]).to.deep.equal([200, '']);
        expect((await asAdmin('/metrics', { method: 'POST', body: '{}' })).status).to.equal(405);
        expect((await asAdmin('/readyz', { method: 'PUT', body: '{}' })).text).to.equal('ok');
        expect((await asAdmin('/api/v1/things/x', { method: 'PROPFIND' })).body['verb']).to.equal('other');
      });
      it('answers broken paths in plain text', async () => {
        expect((await asAdmin('/nope')).text).to.equal('404 page not found\n');
        expect((await asAdmin('//api/v1/things')).text).to.equal('404 page not found\n');
        expect((await asAdmin('/api/v1/%zz')).status).to.equal(400);
        expect(await asAdmin('/api/v1/watch')).to.deep.include({
          status: 500,
          text: 'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
        });
      });
      it('serves metrics that name verb, resource and code, and no words of refused requests', async () => {
        await asAdmin('/api/v1/things/absent');
        const { text, headers } = await asAdmin('/metrics');
        expect(headers['content-type']).to.match(/^text\/plain/);
        expect(text).to.match(
          /apiserver_request_total\{[^}]*verb="GET",group="g",version="v1",resource="things",subresource="",scope="resource",dry_run="",code="200"\} \d/,
        );
        expect(text)
          .to.match(/apiserver_request_duration_seconds_bucket/)
          .and.match(/process_cpu_seconds_total/)
          .and.match(/apiserver_current_inflight_requests\{request_kind="mutating"\} 0/);
        expect(text)
          .to.match(/authentication_attempts\{result="success"\} \d/)
          .and.match(/authentication_attempts\{result="error"\} \d/)
          .and.match(/authorization_attempts_total\{result="no-opinion"\} \d/)
          .and.match(/authenticated_user_requests\{username="admin"\} \d/)
          .and.match(/authorization_duration_seconds_count\{result="allowed"\} [1-9]/)
          .and.match(/authentication_duration_seconds_bucket\{le="0.001",result="success"\} \d/);
        expect(text).not.to.match(/resource="(things|pods)"[^\n]*code="40[34]"/);
      });
    });
  }

  it('answers 401 without credentials where anonymous requests are not welcome', async () => {
    const strict = await openFrontDoor({ identities, server, resources, anonymous: false });
    expect((await call1(strict.port, { path: '/readyz' })).status).to.equal(401);
    await strict.listener.close();
  });

  it('bounds requests in flight, but not for administrators and watches', async () => {
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const crowded = await openFrontDoor({
      identities,
      server,
      chain: { inflight: { readOnlyMax: 1, mutatingMax: 1 }, authorize: () => ({ decision: 'allow', reason: '' }) },
      resources: async (context) => {
        entered();
        await waiting;
        reply(context, {});
      },
    });
    const first = call1(crowded.port, { path: '/api/v1/things', identity: alice });
    await inside;
    const second = await call1(crowded.port, { path: '/api/v1/things', identity: alice });
    expect([second.status, second.body['reason'], second.headers['retry-after']]).to.deep.equal([429, 'TooManyRequests', '1']);
    const others = [
      call1(crowded.port, { path: '/api/v1/things', identity: admin }),
      call1(crowded.port, { path: '/api/v1/things?watch=1', identity: alice }),
      call1(crowded.port, { method: 'POST', path: '/api/v1/things', identity: alice }),
    ];
    release();
    expect((await Promise.all([first, ...others])).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect((await call1(crowded.port, { path: '/api/v1/things', identity: alice })).status).to.equal(200);
    await crowded.listener.close();
  });

  it('keeps room for those on whom the cluster depends when everybody else has filled theirs, and bounds administrators too', async () => {
    const [node, manager] = await Promise.all([
      identities.issue({ name: 'system:node:n', groups: ['system:nodes'] }),
      identities.issue({ name: 'system:kube-controller-manager' }),
    ]);
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    let [entered, wake] = [0, (): void => {}];
    const enters = async (count: number): Promise<void> => {
      while (entered < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    const crowded = await openFrontDoor({
      identities,
      server,
      chain: { inflight: { readOnlyMax: 8, mutatingMax: 8 }, authorize: () => ({ decision: 'allow', reason: '' }) },
      resources: async (context) => {
        entered += 1;
        wake();
        await waiting;
        reply(context, {});
      },
    });
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x';
    const of = (identity: Identity): Promise<Answer> => call1(crowded.port, { method: 'PUT', path, identity });
    const answers = Array.from({ length: 8 }, () => of(alice));
    await enters(8);
    expect((await of(alice)).status, 'an ordinary client').to.equal(429);
    answers.push(of(node), of(manager));
    await enters(10);
    expect((await of(manager)).status, 'the reserve is bounded').to.equal(429);
    answers.push(...Array.from({ length: 70 }, () => of(admin)));
    await enters(80);
    expect((await of(admin)).status, 'administrators are bounded').to.equal(429);
    release();
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).to.deep.equal(new Set([200]));
    await crowded.listener.close();
  });

  it('answers preflight requests of allowed origins and adds HSTS', async () => {
    const cors = await openFrontDoor({
      identities,
      server,
      resources,
      chain: { corsOrigins: [/^https:\/\/good\.example$/], strictTransportSecurity: 'max-age=1' },
    });
    const preflight = await call1(cors.port, { method: 'OPTIONS', path: '/api/v1/things', headers: { origin: 'https://good.example' } });
    expect([
      preflight.status,
      preflight.headers['access-control-allow-origin'],
      preflight.headers['strict-transport-security'],
    ]).to.deep.equal([204, 'https://good.example', 'max-age=1']);
    const other = await call1(cors.port, { method: 'OPTIONS', path: '/api/v1/things', headers: { origin: 'https://bad.example' } });
    expect([other.status, other.headers['access-control-allow-origin']]).to.deep.equal([403, undefined]);
    await cors.listener.close();
  });

  describe('given garbage', () => {
    const raw = async (bytes: string): Promise<string> => {
      const socket = tls.connect({
        host: '127.0.0.1',
        port: door.port,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
        cert: admin.cert,
        key: admin.key,
      });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', () => {});
      socket.write(bytes);
      await once(socket, 'close');
      return Buffer.concat(chunks).toString();
    };
    const head = (more: string): string => `PUT /api/v1/things/body HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n`;

    it('answers 400 to what is not HTTP', async () => {
      expect(await raw('hello\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /);
    });
    it('answers 431 to endless headers', async () => {
      expect(await raw(`GET / HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(70_000)}\r\n\r\n`)).to.match(/^HTTP\/1\.1 431 /);
    });
    it('answers 400 to bad chunks', async () => {
      expect(await raw(`${head('transfer-encoding: chunked\r\n')}zz\r\n`)).to.match(/^HTTP\/1\.1 400 /);
    });
    it('answers 400 to two lengths', async () => {
      expect(await raw(`${head('content-length: 1\r\ntransfer-encoding: chunked\r\n')}0\r\n\r\n`)).to.match(/^HTTP\/1\.1 400 /);
    });
    it('answers 413 to a chunked body without end', async () => {
      const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      expect(await raw(`${head('transfer-encoding: chunked\r\n')}${piece.repeat(49)}0\r\n\r\n`)).to.match(/^HTTP\/1\.1 413 /);
    });
    it('survives bodies that end early, plain text, and frames against the protocol', async () => {
      const short = tls.connect({
        host: '127.0.0.1',
        port: door.port,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
        cert: admin.cert,
        key: admin.key,
      });
      short.on('error', () => {});
      await once(short, 'secureConnect');
      short.end(head('content-length: 100\r\n') + 'abc');
      await once(short.resume(), 'close');
      const plain = net.connect(door.port, '127.0.0.1', () => {
        plain.end('GET / HTTP/1.1\r\n\r\n');
      });
      plain.on('error', () => {});
      await once(plain.resume(), 'close');
      const frames = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, ALPNProtocols: ['h2'] }, () => {
        frames.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u00ff\u00ff\u00ff garbage that is no frame');
      });
      frames.on('error', () => {});
      await once(frames.resume(), 'close');
      expect((await call1(door.port, { path: '/readyz' })).text).to.equal('ok');
      expect(door.chain.active.size).to.equal(0);
    });
  });
});
