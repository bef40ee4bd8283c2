import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Connection } from '../../../../controllers/client/connection.js';
import { createServiceConnections } from '../../../../server/aggregation/connections.js';
import { fetchDocument } from '../../../../server/authentication/jwt/document.js';
import { checkServerIdentity } from '../../../../program/tls/serverIdentity.js';
import { Servers } from '../../../../server/console/servers.js';
import { dialByGrpc } from '../../../../server/egress/grpcTunnel.js';
import { dialByConnect } from '../../../../server/egress/httpConnect.js';
import { createBackends } from '../../../../server/endpoints/backends/connection.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { leaseOf } from '../../../../server/presence/serverLease.js';
import { transientObject } from '../../../../server/registry/transient.js';
import type { ListResult } from '../../../../server/storage/contract.js';
import { EtcdClient } from '../../../../server/storage/etcd/client.js';
import { clientFor, type ClientOptions } from '../../../../server/webhook/client.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { createIdentities, type Identities } from '../../../fixtures/identities.js';

/** The address of a backend and its trusted authority. */
interface Place {
  readonly port: number;
  readonly ca: string;
}
/** Connects once; rejects, or returns a text that includes the error. */
type Ask = (place: Place) => Promise<unknown>;

const webhook =
  (options: ClientOptions): Ask =>
  async ({ port, ca }) => {
    const client = clientFor({ server: `https://localhost:${port}/`, ca }, options);
    try {
      return await client.post('{}', { timeoutMs: 10_000 });
    } finally {
      client.close();
    }
  };

const apiServer =
  (options: { readonly mayPass?: () => boolean }): Ask =>
  async ({ port, ca }) => {
    const connection = new Connection({ server: `https://localhost:${port}`, ca }, options);
    try {
      return (await connection.request({ method: 'GET', path: '/', headers: {} })).status;
    } finally {
      connection.close();
    }
  };

const clients: Readonly<Record<string, Ask>> = {
  'a webhook': webhook({}),
  'a webhook behind a proxy': webhook({ dial: (_host, port) => Promise.resolve(connect(port, '127.0.0.1')) }),
  'an API server, for controllers': apiServer({}),
  'an API server, for controllers that a lease stops': apiServer({ mayPass: () => true }),
  'a node agent': ({ port, ca }) =>
    createBackends({
      credentials: { ca: Buffer.from(ca), cert: null, key: null },
      preferredAddresses: [],
      connectTimeoutMs: 10_000,
    }).send(
      { scheme: 'https', host: 'localhost', port: String(port), path: '/', query: '', agent: true, addresses: null },
      { method: 'GET', headers: {}, body: null, signal: new AbortController().signal },
    ),
  'an issuer of tokens': ({ port, ca }) => fetchDocument(`https://localhost:${port}/`, { certificateAuthority: ca, dial: null }),
  'an egress proxy by CONNECT': async ({ port, ca }) =>
    (await dialByConnect({ host: 'localhost', port, tls: { ca: Buffer.from(ca) } }, 'node', 1)).destroy(),
  'an egress proxy by gRPC': ({ port, ca }) => dialByGrpc({ host: 'localhost', port, tls: { ca: Buffer.from(ca) } }, 'node', 1),
  'a member of an etcd': async ({ port, ca }) => {
    const client = new EtcdClient({ servers: [`https://localhost:${port}`], tls: { ca: Buffer.from(ca), cert: null, key: null } });
    try {
      return String((await client.members(10_000))[0]?.[1]);
    } finally {
      client.close();
    }
  },
  'another server, for the console': async ({ port, ca }) => {
    const [file, name] = [path.join(temporaryDirectory('identity'), 'ca.crt'), 'apiserver-other'];
    fs.writeFileSync(file, ca);
    const address = { ip: '127.0.0.1', port };
    const lease = { ...transientObject(leaseOf({ hostname: 'h', memberId: 'b', processUid: 'u', address }, 0), 1), name };
    const list = (): Promise<ListResult> => Promise.resolve({ outcome: 'found', version: 1, items: [lease], more: false, remaining: null });
    const { certFile, keyFile } = await (await createIdentities()).issue({ name: 'front' });
    const others = new Servers({ storage: { list }, own: 'apiserver-own', identity: { certFile, keyFile }, caFiles: [file] });
    // Only the existence of an answer counts.
    const exchange = { user: someone, query: new URLSearchParams(), info: { path: '/' }, signal: new AbortController().signal, over: true };
    return others.passOn(exchange as unknown as Exchange, name).finally(() => others.stop());
  },
  'an extension server': ({ port, ca }) => {
    const connections = createServiceConnections({ addresses: () => Promise.resolve({ host: '127.0.0.1', port }), identity: {} });
    const target = { namespace: 'n', name: 's', port: 443 };
    const service = { name: 'v1.g', group: 'g', version: 'v1', groupPriority: 1, versionPriority: 1, target, ca };
    const asked = { method: 'GET', path: '/', headers: {}, body: null, signal: new AbortController().signal };
    return connections.send({ ...service, trusting: false, availability: null }, asked).finally(() => connections.close());
  },
};

const someone = { name: 'someone', uid: '', groups: [], extra: new Map() };
/** Names of servers that are not reached by address. */
const names: Readonly<Record<string, string>> = {
  'an extension server': 's.n.svc',
  'another server, for the console': 'kubernetes.default.svc',
};

describe('whom TLS clients believe', () => {
  let identities: Identities;
  const servers: Http2SecureServer[] = [];
  before(async () => {
    identities = await createIdentities();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(name: string, dns: readonly string[], selfSigned = false): Promise<Place & { readonly cert: string }> {
    const { cert, key } = await identities.issue({ name, usage: 'serverAuth', dns, selfSigned });
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      response.writeHead(200, request.httpVersionMajor === 1 ? { connection: 'close' } : {}).end('{}');
    });
    servers.push(server);
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket: TLSSocket) => socket.on('error', () => undefined));
    server.on('connect', (_request, socket: { end(text: string): void }) => {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, ca: identities.ca, cert };
  }

  for (const [whom, ask] of Object.entries(clients)) {
    const name = names[whom] ?? 'localhost';
    const outcome = (place: Place): Promise<string> => ask(place).then(String, (error: unknown) => (error as Error).message);

    it(`${whom} by its alternative name, whatever its common name`, async () => {
      expect(await outcome(await serve('other', [name]))).not.to.match(/certificate|Common Name|altnames/i);
    });

    for (const selfSigned of [false, true])
      it(`${whom} by its own certificate in the bundle, signed by ${selfSigned ? 'itself' : 'an authority that is not there'}`, async () => {
        const place = await serve('other', [name], selfSigned);
        expect(await outcome({ ...place, ca: place.cert })).not.to.match(/certificate|altnames/i);
        const misnamed = await serve('other', ['other.example'], selfSigned);
        expect(await outcome({ ...misnamed, ca: misnamed.cert })).to.contain('altnames');
        expect(await outcome({ ...place, ca: misnamed.cert })).to.match(/certificate/);
      });

    it(`${whom} not by its common name`, async () => {
      expect(await outcome(await serve(name, []))).to.contain(`legacy Common Name field, use SANs instead: it does not name ${name} in`);
      expect(await outcome(await serve('other', []))).to.match(/certificate|altnames/);
    });
  }

  it('an alternative name that is another keeps the common name from counting', async () => {
    const place = await serve('localhost', ['other.example']);
    const socket = connectTls({ host: '127.0.0.1', servername: 'localhost', checkServerIdentity, ...place });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).to.contain('altnames');
  });

  it('nobody asks whether a certificate is good where it is not to be checked', async () => {
    const { port } = await serve('localhost', []);
    const client = clientFor({ server: `https://localhost:${port}/`, skipTlsVerify: true });
    expect(await client.post('{}', { timeoutMs: 10_000 })).to.equal('{}');
    client.close();
  });
});
