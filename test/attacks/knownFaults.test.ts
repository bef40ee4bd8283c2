import { expect } from 'chai';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extensionGroup, startWithBackends, type TargetWithBackends } from './backends.js';
import { startHookService, written, type HookService } from '../fixtures/hookService.js';
import { createIdentities } from '../fixtures/identities.js';
import { eventually } from '../../deploy/testing/waiting.js';
import { Bystander } from './bystander.js';
import type { Answer } from '../fixtures/apiClient.js';
import type { User } from './target.js';
import { mergePatch, tryAll, type Try } from './tries.js';
import { plainRequest, RawHttp1 } from './wire/http1.js';

const things = `/apis/${extensionGroup}/v1/things`;
const redirects = [301, 302, 303, 307, 308] as const;

/** Known faults of kube-apiserver, and attempts of backends to misuse the server. */
describe('attacks/knownFaults', function () {
  let all: TargetWithBackends;
  let user: User;
  /** The forbidden destination. */
  let elsewhere: Server;
  let led = 0;
  const address = (): string => `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

  before(async () => {
    elsewhere = createHttpServer((_request, response) => {
      led += 1;
      response.end('secret-of-elsewhere');
    });
    elsewhere.on('upgrade', (_request, socket) => {
      led += 1;
      socket.destroy();
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    all = await startWithBackends();
    user = await all.target.user('user', {
      rules: [
        { verbs: ['*'], apiGroups: [extensionGroup], resources: ['*'] },
        {
          verbs: ['get', 'create'],
          resources: ['pods', 'pods/log', 'pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'services/proxy', 'nodes/proxy'],
        },
      ],
    });
  });
  after(async () => {
    await all?.stop();
    elsewhere?.close();
  });
  beforeEach(() => {
    led = 0;
    all.node.seen.length = 0;
    all.extension.seen.length = 0;
  });

  describe('an upgrade that a backend refuses leaves no way to it (CVE-2018-1002105)', () => {
    const second = 'GET /runningpods/ HTTP/1.1\r\nhost: n\r\n\r\n';
    const paths: Readonly<Record<string, string>> = {
      exec: '/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true',
      attach: '/api/v1/namespaces/default/pods/p/attach?stdout=true',
      portforward: '/api/v1/namespaces/default/pods/p/portforward',
      'an extension server': things,
      'the proxy of a node': '/api/v1/nodes/n/proxy/run/default/p/c',
    };
    for (const [what, path] of Object.entries(paths)) {
      for (const protocol of ['websocket', 'SPDY/3.1']) {
        it(`${what}, over ${protocol}`, async () => {
          all.node.upgrade = (_request, socket) => {
            socket.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
          };
          all.extension.upgrade = all.node.upgrade;
          const wire = await RawHttp1.open(user.wire);
          wire.send(
            plainRequest('POST', path, [
              'connection: upgrade',
              `upgrade: ${protocol}`,
              'content-length: 0',
              'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
              'sec-websocket-version: 13',
            ]),
          );
          await wire.answered(1);
          expect(wire.answers[0]?.status).not.to.equal(101);
          wire.send(second);
          await wire.finish();
          for (const { url } of [...all.node.seen, ...all.extension.seen]) expect(url).not.to.contain('runningpods');
          for (const { body } of wire.answers) expect(body).not.to.contain('runningpods');
        });
      }
    }
  });

  describe('a backend that sends elsewhere is not followed (CVE-2020-8559, CVE-2022-3172)', () => {
    for (const status of redirects) {
      it(`${status} of an extension server`, async () => {
        all.extension.answer = (_request, response) => {
          response.writeHead(status, { location: `http://${address()}/` }).end();
        };
        const answer = await user.client.request('GET', things);
        expect(redirects as readonly number[]).not.to.include(answer.status);
        expect([led, JSON.stringify(answer.body).includes('secret-of-elsewhere')]).to.deep.equal([0, false]);
      });
      it(`${status} of a node`, async () => {
        all.node.answer = (_request, response) => {
          response.writeHead(status, { location: `http://${address()}/` }).end();
        };
        const answer = await user.client.request('GET', '/api/v1/namespaces/default/pods/p/log');
        expect([led, JSON.stringify(answer.body).includes('secret-of-elsewhere')]).to.deep.equal([0, false]);
      });
      it(`${status} of a node to an upgrade`, async () => {
        all.node.upgrade = (_request, socket) => {
          socket.end(`HTTP/1.1 ${status} Found\r\nlocation: http://${address()}/\r\ncontent-length: 0\r\n\r\n`);
        };
        const wire = await RawHttp1.open(user.wire);
        wire.send(
          plainRequest('POST', '/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true', [
            'connection: upgrade',
            'upgrade: SPDY/3.1',
            'content-length: 0',
          ]),
        );
        await wire.answered(1);
        wire.destroy();
        expect(led).to.equal(0);
        expect(wire.answers[0]?.headers.get('location')).to.equal(undefined);
      });
    }
  });

  describe('an extension server that means ill', () => {
    const answers: Readonly<Record<string, (socketWrite: (text: string) => void) => void>> = {
      'says that it changes protocol, unasked': (write) => {
        write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      },
      'says the length twice': (write) => {
        write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 200\r\n\r\nok');
      },
      'answers what nobody asked': (write) => {
        write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison');
      },
      'breaks off': (write) => {
        write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nok');
      },
      'puts a line end into a header': (write) => {
        write('HTTP/1.1 200 OK\r\nx: a\rset-cookie: b\r\ncontent-length: 2\r\n\r\nok');
      },
      'speaks no HTTP': (write) => {
        write('\u0000\u0001\u0002\r\n\r\n');
      },
      'has headers of 1 MiB': (write) => {
        write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(2 ** 20)}\r\n\r\n`);
      },
    };
    for (const [what, answer] of Object.entries(answers)) {
      it(what, async () => {
        all.extension.answer = (request) => {
          answer((text) => {
            request.socket.write(text, 'latin1');
          });
          request.socket.end();
        };
        const wire = await RawHttp1.open(user.wire);
        wire.send(plainRequest('GET', things));
        await wire.answered(1);
        all.extension.answer = (_request, response) => {
          response.end('well');
        };
        wire.destroy();
        expect(wire.answers[0]?.status).not.to.equal(101);
        for (let round = 0; round < 5; round += 1) {
          const next = await user.client.request('GET', things);
          expect([200, 502, 503]).to.include(next.status);
          expect(JSON.stringify(next.body)).not.to.contain('poison');
        }
        await all.target.expectAlive();
      });
    }
    it('does not see the credentials of those who ask', async () => {
      const account = await all.target.account('default', 'asker', [
        { verbs: ['get', 'list'], apiGroups: [extensionGroup], resources: ['*'] },
      ]);
      const forged = { cookie: 'session=1', 'x-remote-user': 'admin', 'X-Remote-Group': 'system:masters', 'x-remote-extra-a': 'b' };
      // A server that sent bad answers counts as unavailable until the next check.
      await eventually(() =>
        account.client.expect(200, 'GET', `/apis/${extensionGroup}/v1/namespaces/default/things`, { headers: forged }),
      );
      const headers: IncomingHttpHeaders = all.extension.seen.findLast(({ url }) => url.includes('/things'))?.headers ?? {};
      expect(headers.authorization).to.equal(undefined);
      expect(headers['x-remote-user']).to.equal(account.user);
      expect(String(headers['x-remote-group'])).not.to.contain('masters');
      expect(headers['x-remote-extra-a']).to.equal(undefined);
    });
  });

  describe('addresses that lead to where nobody should be (CVE-2021-25737, CVE-2020-8554)', () => {
    const slice = (ip: string, addressType = 'IPv4'): Try => ({
      what: `an endpoint slice at ${ip}`,
      method: 'POST',
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      body: { metadata: { generateName: 's-' }, addressType, endpoints: [{ addresses: [ip] }], ports: [] },
      status: 422,
    });
    const endpoints = (ip: string): Try => ({
      what: `endpoints at ${ip}`,
      method: 'POST',
      path: '/api/v1/namespaces/default/endpoints',
      body: { metadata: { generateName: 'e-' }, subsets: [{ addresses: [{ ip }] }] },
      status: 422,
    });
    tryAll(
      () => all.target.admin,
      [
        ...[
          '127.0.0.1',
          '127.9.9.9',
          '169.254.169.254',
          '224.0.0.1',
          '0.0.0.0',
          '010.0.0.1',
          '0x7f.0.0.1',
          '2130706433',
          'localhost',
        ].flatMap((ip) => [slice(ip), endpoints(ip)]),
        ...['::1', 'fe80::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', 'ff02::1'].flatMap((ip) => [slice(ip, 'IPv6'), endpoints(ip)]),
      ],
    );
  });

  describe('webhooks', () => {
    let hook: HookService;
    before(async () => {
      hook = await startHookService(await createIdentities());
      await all.target.namespace('hooked');
      await all.target.admin.expect(201, 'POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        body: {
          metadata: { name: 'hook' },
          webhooks: [
            {
              name: 'hook.example.com',
              admissionReviewVersions: ['v1'],
              sideEffects: 'None',
              failurePolicy: 'Fail',
              timeoutSeconds: 5,
              clientConfig: { url: hook.url, caBundle: hook.caBundle },
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'hooked' } },
              rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
            },
          ],
        },
      });
      while ((await make()).status !== 201 || hook.reviews.length === 0) await new Promise(setImmediate);
    });
    after(() => {
      hook?.close();
    });
    const make = (): Promise<Answer> =>
      all.target.admin.request('POST', '/api/v1/namespaces/hooked/configmaps', { body: { metadata: { generateName: 'x-' } } });

    for (const status of redirects) {
      it(`are not followed elsewhere: ${status} (CVE-2020-8561)`, async () => {
        hook.reply = written((response) => {
          response.writeHead(status, { location: `http://${address()}/` }).end();
        });
        const answer = await make();
        expect(answer.status).to.be.within(500, 503);
        expect([led, JSON.stringify(answer.body).includes('secret-of-elsewhere')]).to.deep.equal([0, false]);
        expect(all.target.log()).not.to.contain('secret-of-elsewhere');
      });
    }
    const replies: Readonly<Record<string, HookService['reply']>> = {
      'a uid of another review': { uid: 'other', allowed: true },
      'an answer without end': written((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more).on('error', () => undefined);
        more();
      }),
      nonsense: written((response) => {
        response.end('{"kind":"AdmissionReview"');
      }),
      depth: written((response) => {
        response.end('{"a":'.repeat(200_000));
      }),
      'another kind': written((response) => {
        response.end('{"kind":"Pod","apiVersion":"v1"}');
      }),
    };
    for (const [what, reply] of Object.entries(replies)) {
      it(`that answer with ${what} have allowed nothing`, async () => {
        hook.reply = reply;
        expect((await make()).status).to.be.within(400, 503);
        await all.target.expectAlive();
      });
    }
    it('see no tokens, and are asked for objects in other spellings of their path as well', async () => {
      hook.reply = { allowed: false };
      hook.reviews.length = 0;
      for (const path of [
        '/api/v1/namespaces/hooked/configmaps',
        '/api/v1/namespaces/hooked/configmap%73',
        '/api/v1/namespaces/%68ooked/configmaps',
      ]) {
        expect((await all.target.admin.request('POST', path, { body: { metadata: { generateName: 'x-' } } })).status, path).not.to.equal(
          201,
        );
      }
      expect(JSON.stringify(hook.reviews)).not.to.match(/bearer/i);
    });
  });

  describe('labels of measurements that strangers choose (CVE-2020-8552)', () => {
    it('do not grow with what is asked', async () => {
      const size = async (): Promise<number> => String((await all.target.admin.request('GET', '/metrics')).body).split('\n').length;
      const ask = async (round: number): Promise<void> => {
        const wire = await RawHttp1.open({ port: all.target.port });
        wire.send(
          Array.from({ length: 200 }, (_, each) =>
            plainRequest(
              each % 2 === 0 ? 'GET' : 'PATCH',
              `/apis/g${round}-${each}.example.com/v${each}/namespaces/n${each}/r${round}-${each}/x`,
              [`user-agent: a${round}-${each}`],
            ),
          ).join(''),
        );
        await wire.answered(200);
        wire.destroy();
      };
      await ask(0);
      const before = await size();
      for (let round = 1; round <= 5; round += 1) await ask(round);
      expect((await size()) - before).to.be.below(50);
    });
  });

  describe('logs and errors', () => {
    it('tell no secret of an object that was refused (CVE-2019-11250, CVE-2020-8563)', async () => {
      const data = 'bXktcGFzc3dvcmQ=';
      await all.target.admin.request('POST', '/api/v1/namespaces/default/secrets', {
        body: { metadata: { name: 'bad name' }, data: { p: data } },
      });
      await all.target.admin.request('PATCH', '/api/v1/namespaces/default/secrets/none', { type: mergePatch, body: { data: { p: data } } });
      await all.target.as({ token: 'my-password-as-token' }).request('GET', '/api/v1/secrets');
      for (const text of [data, 'my-password']) expect(all.target.log()).not.to.contain(text);
    });
  });

  it('others are served beside all this', async () => {
    const bystander = await Bystander.start(all.target);
    await bystander.served(3);
    await bystander.stop();
  });
});
