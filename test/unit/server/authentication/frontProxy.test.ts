import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { expect } from 'chai';
import { firstOf, type Authenticator } from '../../../../program/authentication/authenticator.js';
import { certificateAuthenticator } from '../../../../program/authentication/certificate.js';
import { frontProxyAuthenticator } from '../../../../program/authentication/frontProxy.js';
import { stripCredentials } from '../../../../server/authentication/stripping.js';
import { fixed } from '../../../../program/files/liveFile.js';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { call1, call2, openFrontDoor, type Call, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

/** Two authorities with one name, which only their keys distinguish. */
describe('a front proxy', () => {
  let clients: Identities;
  let proxies: Identities;
  let door: FrontDoor;
  /** A door for proxies alone. */
  let lone: FrontDoor;
  let open: (authenticators: readonly Authenticator[]) => Promise<FrontDoor>;
  let proxy: Identity;
  let other: Identity;
  let ann: Identity;
  const observed: number[] = [];

  before(async () => {
    [clients, proxies] = [await createIdentities('cluster'), await createIdentities('cluster')];
    const server = await clients.issue({ name: 'server', usage: 'serverAuth' });
    proxy = await proxies.issue({ name: 'proxy' });
    other = await proxies.issue({ name: 'other', groups: ['system:masters'] });
    ann = await clients.issue({ name: 'proxy', groups: ['team'] });
    const headers = {
      user: ['X-Remote-User', 'X-Other-User'],
      uid: ['X-Remote-Uid'],
      group: ['X-Remote-Group'],
      extraPrefixes: ['X-Remote-Extra-'],
    };
    const anchorsOf = ({ ca }: Identities): ReturnType<typeof fixed<X509Certificate[]>> => fixed([new X509Certificate(ca)]);
    const ways = [
      frontProxyAuthenticator({ anchors: anchorsOf(proxies), allowedNames: ['proxy'], headers }),
      certificateAuthenticator(anchorsOf(clients), { uids: true, observe: (secondsLeft) => observed.push(secondsLeft) }),
    ];
    open = (authenticators) =>
      openFrontDoor({
        identities: clients,
        server,
        listener: {
          credentials: fixed({
            certificate: { cert: Buffer.from(server.cert), key: Buffer.from(server.key) },
            clientCa: Buffer.from(clients.ca + proxies.ca),
            sni: null,
          }),
        },
        chain: {
          authenticate: stripCredentials(
            firstOf(authenticators, () => true),
            headers,
          ),
          authorize: () => ({ decision: 'allow', reason: '' }),
        },
        resources: (context) => {
          const { user, request } = context as Exchange;
          const left = [...Object.keys(request.headers), ...request.rawHeaders.filter((_, index) => index % 2 === 0)].filter((name) =>
            /^(x-remote|x-other|authorization|impersonate)/i.test(name),
          );
          writeJson(context as Exchange, 200, { user, left });
          return Promise.resolve();
        },
      });
    door = await open(ways);
    lone = await open(ways.slice(0, 1));
  });
  after(() => Promise.all([door, lone].map(({ listener }) => listener.close())));

  const ask = async (call: Partial<Call>): Promise<Record<string, unknown>> =>
    (await call1(door.port, { path: '/api/v1/things/x', ...call })).body;
  const said = {
    'x-remote-user': 'bob',
    'x-remote-group': ['devs', 'ops,all'],
    'x-remote-uid': '7',
    'X-Remote-Extra-Scopes%2Fa': ['1', '2'],
  };
  const bob = { name: 'bob', uid: '7', groups: ['devs', 'ops,all', 'system:authenticated'], extra: { 'scopes/a': ['1', '2'] } };

  it('is believed, over both protocols, and what it said is gone afterwards', async () => {
    expect(await ask({ identity: proxy, headers: said })).to.deep.include({ user: bob, left: [] });
    const { body } = await call2(door.port, {
      path: '/api/v1/things/x',
      identity: proxy,
      headers: { ...said, 'X-Remote-Extra-Scopes%2Fa': '1' },
    });
    expect(body).to.deep.include({ user: { ...bob, extra: { 'scopes/a': ['1'] } }, left: [] });
  });
  it('counts the first of several users, and the first header that says something', async () => {
    expect(await ask({ identity: proxy, headers: { 'x-remote-user': ['eve', 'bob'] } })).to.have.nested.property('user.name', 'eve');
    expect(await ask({ identity: proxy, headers: { 'x-remote-user': '', 'x-other-user': 'bob' } })).to.have.nested.property(
      'user.name',
      'bob',
    );
  });
  it('is refused without a word about a user: its certificate is none of a client', async () => {
    expect(await ask({ identity: proxy })).to.deep.include({ code: 401 });
  });
  it('is refused when its name is not among those allowed', async () => {
    expect(await ask({ identity: other, headers: said })).to.deep.include({ code: 401 });
  });
  it('is nobody without its certificate, or with one of the other authority that has the same name', async () => {
    expect(await ask({ headers: said })).to.deep.include({
      user: { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} },
      left: [],
    });
    expect(await ask({ identity: ann, headers: said }))
      .to.have.nested.property('user.groups')
      .deep.equal(['team', 'system:authenticated']);
    const mixed = { ...ann, cert: ann.cert + proxies.ca };
    expect(await ask({ identity: mixed, headers: said })).to.have.nested.property('user.name', 'proxy');
    const smuggled = { X_Remote_User: 'admin', 'x-remote-user ': 'admin' };
    expect(
      (await call1(door.port, { path: '/api/v1/things/x', identity: ann, headers: { X_Remote_User: smuggled.X_Remote_User } })).body,
    ).to.have.nested.property('user.name', 'proxy');
  });
  // Verifier.AuthenticateRequest of request/x509/x509.go refuses what nobody else accepts.
  it('is no anonymous client with another certificate, where there are no others', async () => {
    const alone = async (identity?: Identity): Promise<number> =>
      (await call1(lone.port, { path: '/api/v1/things/x', headers: said, ...(identity === undefined ? {} : { identity }) })).status;
    expect([await alone(), await alone(proxy), await alone(other), await alone(ann)]).to.deep.equal([200, 200, 401, 401]);
  });
  it('is refused with an expired certificate', async () => {
    const expired = await proxies.issue({ name: 'proxy', expired: true });
    observed.length = 0;
    expect(await ask({ identity: expired, headers: said })).to.deep.include({ code: 401 });
    // A refused certificate is measured, too (request/x509/x509.go).
    expect(observed.map(Math.sign)).to.deep.equal([-1]);
  });

  it('and every other client may send certificates that lead to its authority, also when it takes up a session again', async () => {
    const below = await clients.subordinate('department');
    const dora = await below.issue({ name: 'dora' });
    expect(await ask({ identity: dora })).to.deep.include({ code: 401 });
    const whole = { ...dora, cert: dora.cert + below.ca };
    expect(await ask({ identity: whole, headers: said })).to.have.nested.property('user.name', 'dora');
    let session: Buffer | undefined;
    const connect = async (): Promise<tls.TLSSocket> => {
      const socket = tls.connect({
        host: '127.0.0.1',
        port: door.port,
        rejectUnauthorized: false,
        cert: whole.cert,
        key: whole.key,
        ...(session === undefined ? {} : { session }),
      });
      socket.on('session', (ticket) => {
        session = ticket;
      });
      await once(socket, 'secureConnect');
      return socket;
    };
    const first = await connect();
    if (session === undefined) await once(first, 'session');
    first.destroy();
    const second = await connect();
    const reused = second.isSessionReused();
    second.write('GET /api/v1/things/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of second as AsyncIterable<Buffer>) chunks.push(chunk);
    expect([reused, /"name": ?"dora"/.test(Buffer.concat(chunks).toString())]).to.deep.equal([true, true]);
  });
  it('must not lead to its authority by way of a certificate that is none of an authority', async () => {
    const eve = await clients.issue({ name: 'eve' });
    const forged = await createIdentities('eve');
    const victim = await forged.issue({ name: 'admin', groups: ['system:masters'] });
    expect(await ask({ identity: { ...victim, cert: victim.cert + eve.cert } })).to.deep.include({ code: 401 });
    expect(await ask({ identity: { ...victim, cert: victim.cert + forged.ca } })).to.deep.include({ code: 401 });
  });
});
