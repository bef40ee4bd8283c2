import { once } from 'node:events';
import https from 'node:https';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { createAuditor } from '../../../../server/audit/auditor.js';
import type { AuditEvent } from '../../../../server/audit/event.js';
import { isByCertificate } from '../../../../program/authentication/certificate.js';
import type { RequestContext } from '../../../../server/endpoints/context.js';
import { acceptWebSocket, webSocketUpgrade } from '../../../../server/endpoints/webSockets.js';
import { plainRequest, RawHttp1 } from '../../../attacks/wire/http1.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

const path = '/api/v1/namespaces/n/pods';

describe('what is refused at the door', () => {
  let identities: Identities;
  let admin: Identity;
  let door: FrontDoor;
  const events: AuditEvent[] = [];
  before(async () => {
    identities = await createIdentities();
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const audit = createAuditor({
      extentOf: () => ({ level: 'Metadata', stages: new Set(['ResponseStarted', 'ResponseComplete']), omitManagedFields: false }),
      sinks: [
        {
          strict: false,
          process: (event) => {
            events.push(event);
            return Promise.resolve(true);
          },
          settle: () => Promise.resolve(true),
          close: () => Promise.resolve(),
        },
      ],
      metrics: { event: () => undefined, rejected: () => undefined },
    });
    door = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] }),
      resources: greet,
      chain: { audit, corsOrigins: [/^https:\/\/friend\.example$/] },
    });
  });
  after(async () => {
    await door.listener.close();
  });
  beforeEach(() => {
    events.length = 0;
  });

  async function greet(context: RequestContext): Promise<void> {
    const upgrade = webSocketUpgrade(context);
    if (upgrade === null) {
      context.response.writeHead(200);
      context.response.end('hello');
      return;
    }
    (await acceptWebSocket(context, upgrade)).close(1000);
  }

  const statusOf = async (bytes: string): Promise<number | undefined> => {
    const client = await RawHttp1.open({ port: door.port, cert: admin.cert, key: admin.key });
    client.send(bytes);
    const [answer] = await client.finish();
    client.destroy();
    return answer?.status;
  };

  for (const [what, bytes, code, requestURI] of [
    ['a wrong time limit', plainRequest('GET', `${path}?timeout=soon`), 400, `${path}?timeout=soon`],
    ['a broken percent-encoding', plainRequest('GET', '/api/%zz'), 400, '/api/%zz'],
    ['two Hosts', `GET ${path} HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n`, 400, path],
    ['an unknown expectation', plainRequest('GET', path, ['expect: foo']), 417, path],
  ] as const)
    it(`has an audit event, for ${what}`, async () => {
      expect(await statusOf(bytes)).to.equal(code);
      expect(events.map(({ stage, responseStatus, requestURI: uri }) => [stage, responseStatus?.['code'], uri])).to.deep.equal([
        ['ResponseStarted', code, requestURI],
      ]);
    });

  const open = (headers: Readonly<Record<string, string>>, certificate: Identity | null = admin): Promise<string> => {
    const url = `wss://127.0.0.1:${door.port}${path}?watch=1`;
    const shown = certificate === null ? {} : { cert: certificate.cert, key: certificate.key };
    const client = new WebSocket(url, { headers, ca: identities.ca, ...shown });
    return Promise.race([
      once(client, 'error').then(([error]) => String((error as Error).message)),
      once(client, 'close').then(([code]) => String(code)),
    ]);
  };

  it('has the code of a changed protocol where it is let in', async () => {
    expect(await open({})).to.equal('1000');
    expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.['code']])).to.deep.equal([
      ['ResponseStarted', 101],
      ['ResponseComplete', 101],
    ]);
  });

  it('is a page of another site that opens a WebSocket with the certificate of a browser', async () => {
    expect(await open({ origin: 'https://evil.example' })).to.contain('403');
    expect(await open({ origin: 'null' })).to.contain('403');
    expect(await open({ origin: `https://127.0.0.1:${door.port}` }), 'a page of this server').to.equal('1000');
    expect(await open({ origin: 'https://friend.example' }), 'a page that may read everything else').to.equal('1000');
    expect(await open({ origin: 'https://evil.example' }, null), 'no certificate: judged by what anybody may do').to.not.contain('origin');
    const plain = https.get({
      host: '127.0.0.1',
      port: door.port,
      path,
      ca: identities.ca,
      headers: { origin: 'https://evil.example' },
      ...pairOf(admin),
    });
    const [response] = (await once(plain, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode, 'an answer that the browser keeps from the page').to.equal(200);
  });

  it('knows who was found by a certificate', () => {
    const user = (id: string): { name: string; uid: string; groups: string[]; extra: Record<string, string[]> } => ({
      name: 'u',
      uid: '',
      groups: [],
      extra: { 'authentication.kubernetes.io/credential-id': [id] },
    });
    expect([isByCertificate(user('X509SHA256=ab')), isByCertificate(user('JTI=ab'))]).to.deep.equal([true, false]);
  });
});

const pairOf = ({ cert, key }: Identity): { readonly cert: string; readonly key: string } => ({ cert, key });
