import { expect } from 'chai';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { readEgressSelections } from '../../../../server/egress/configuration.js';
import { createEgress } from '../../../../server/egress/egress.js';
import { createBackends } from '../../../../server/endpoints/backends/connection.js';
import { openRelay } from '../../../../server/egress/relay.js';
import { EtcdClient } from '../../../../server/storage/etcd/client.js';
import { range } from '../../../../server/storage/etcd/messages.js';
import { clientFor } from '../../../../server/webhook/client.js';
import { createAuthority } from '../../../fixtures/certificates.js';
import { hasEtcd, startEtcd } from '../../../fixtures/etcdServers.js';
import { connectProxy, tunnelProxy, type EgressProxy } from '../../../fixtures/egressProxies.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

const configure = (selections: readonly object[]): string => {
  const file = path.join(temporaryDirectory('egress'), 'egress.json');
  fs.writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration', egressSelections: selections }),
  );
  return file;
};
const through = (proxyProtocol: string, transport: object): string =>
  configure([{ name: 'controlplane', connection: { proxyProtocol, transport } }]);

describe('egress', () => {
  let identities: Identities;
  let identity: Identity;
  let service: https.Server;
  let port: number;
  before(async () => {
    identities = await createIdentities();
    identity = await identities.issue({ name: 'localhost', usage: 'serverAuth', dns: ['localhost'] });
    service = https.createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
      request.resume().on('end', () => response.end(`{"path":"${request.url}","big":"${'x'.repeat(100_000)}"}`));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    ({ port } = service.address() as AddressInfo);
  });
  after(() => {
    service.close();
    service.closeAllConnections();
  });

  const ways: readonly [protocol: string, secure: boolean, start: (tls: Identity | null) => Promise<EgressProxy>][] = [
    ['HTTPConnect', false, (tls) => connectProxy(tls)],
    ['HTTPConnect', true, (tls) => connectProxy(tls)],
    ['GRPC', false, (tls) => tunnelProxy(tls)],
    ['GRPC', true, (tls) => tunnelProxy(tls)],
  ];
  for (const [protocol, secure, start] of ways)
    it(`goes by ${protocol} over ${secure ? 'TLS' : 'a Unix socket'} to webhooks and backends, as they are asked for`, async () => {
      const proxy = await start(secure ? identity : null);
      const transport = secure
        ? { tcp: { url: `https://${proxy.address}`, tlsConfig: { caBundle: identities.caFile } } }
        : { uds: { udsName: proxy.address } };
      const egress = createEgress(readEgressSelections(through(protocol, transport)));
      const dial = egress('controlplane');
      expect(egress('cluster'), 'what is not named goes directly').to.equal(null);
      const client = clientFor({ server: `https://127.0.0.1:${port}/hook`, ca: identities.ca, tlsServerName: 'localhost' }, { dial });
      for (const round of [1, 2])
        expect(JSON.parse(await client.post('{}', { timeoutMs: 10_000 })), String(round)).to.include({ path: '/hook' });
      client.close();
      expect(proxy.asked, 'one connection for both').to.deep.equal([`127.0.0.1:${port}`]);
      const backends = createBackends({
        credentials: { ca: Buffer.from(identities.ca), cert: null, key: null },
        preferredAddresses: [],
        connectTimeoutMs: 10_000,
        dial,
      });
      const location = {
        scheme: 'https',
        host: 'localhost',
        port: String(port),
        path: '/logs',
        query: '',
        agent: true,
        addresses: null,
      } as const;
      const answer = await backends.send(location, { method: 'GET', headers: {}, body: null, signal: new AbortController().signal });
      let text = '';
      for await (const chunk of answer.response) text += String(chunk);
      expect(JSON.parse(text)).to.include({ path: '/logs' });
      expect(proxy.asked).to.have.length(2);
      proxy.stop();
    });

  for (const [protocol, secure, start] of ways.filter(([, secure]) => secure))
    it(`asks a proxy by ${protocol} to prove the name that the configuration tells`, async () => {
      const proxy = await start(secure ? identity : null);
      const url = `https://127.0.0.1:${proxy.address.split(':').at(-1)}`;
      const post = async (names: object): Promise<string> => {
        const egress = createEgress(
          readEgressSelections(through(protocol, { tcp: { url, tlsConfig: { caBundle: identities.caFile, ...names } } })),
        );
        const client = clientFor(
          { server: `https://127.0.0.1:${port}/hook`, ca: identities.ca, tlsServerName: 'localhost' },
          { dial: egress('controlplane') },
        );
        try {
          return await client.post('{}', { timeoutMs: 10_000 });
        } finally {
          client.close();
        }
      };
      expect(JSON.parse(await post({ tlsServerName: 'localhost' }))).to.include({ path: '/hook' });
      const failure = await post({ tlsServerName: 'other.example' }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(Error);
      proxy.stop();
    });

  for (const [protocol, start] of [
    ['HTTPConnect', () => connectProxy(null)],
    ['GRPC', () => tunnelProxy(null)],
  ] as const)
    it(`leads the client of an etcd through ${protocol} to a member that proves its own name`, async function () {
      if (!hasEtcd()) this.skip();
      const authority = await createAuthority(temporaryDirectory('egress-etcd'));
      const files = await authority.issuePeer('etcd', { dnsName: 'localhost' });
      const etcd = await startEtcd({ tls: { ca: files.caFile, cert: files.certFile, key: files.keyFile } });
      const admin = await authority.issueClient('apiserver');
      const [ca, cert, key] = [files.caFile, admin.certFile, admin.keyFile].map((file) => fs.readFileSync(file)) as [
        Buffer,
        Buffer,
        Buffer,
      ];
      const proxy = await start();
      const file = configure([{ name: 'etcd', connection: { proxyProtocol: protocol, transport: { uds: { udsName: proxy.address } } } }]);
      const dial = createEgress(readEgressSelections(file))('etcd')!;
      const sockets: string[] = [];
      const client = new EtcdClient({
        servers: etcd.urls,
        tls: { ca, cert, key },
        relay: async (host, at) => {
          const relay = await openRelay(dial, host, at);
          sockets.push(relay.path);
          return relay;
        },
      });
      try {
        const { header } = await client.call(range, { key: 'x' }, { timeoutMs: 20_000, repeatable: true });
        expect(header.revision).to.be.at.least(1);
        expect(new Set(proxy.asked)).to.deep.equal(new Set([new URL(etcd.urls[0]!).host]));
        // Other users of the machine have no access.
        expect(fs.statSync(path.dirname(sockets[0]!)).mode & 0o777).to.equal(0o700);
      } finally {
        client.close();
        await etcd.stop();
        proxy.stop();
      }
      expect(fs.existsSync(sockets[0]!)).to.equal(false);
    });

  it('says what a proxy answers that gives no way', async () => {
    for (const [protocol, start, names] of [
      ['HTTPConnect', () => connectProxy(null, 403), /refuses a way to 127\.0\.0\.1:\d+: it answered 403/],
      ['GRPC', () => tunnelProxy(null, 'no agent'), /gives no way to 127\.0\.0\.1:\d+: no agent/],
    ] as const) {
      const proxy = await start();
      const dial = createEgress(readEgressSelections(through(protocol, { uds: { udsName: proxy.address } })))('controlplane');
      const client = clientFor({ server: `https://127.0.0.1:${port}/` }, { dial });
      const error = await client.post('{}', { timeoutMs: 10_000 }).then(
        () => new Error('it was answered'),
        (cause: Error) => cause,
      );
      expect(error.message, protocol).to.match(names);
      proxy.stop();
    }
  });

  it('says at once that nobody listens where a proxy should lead', async () => {
    const nobody = https.createServer();
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const { port: closed } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    for (const [says, names] of [
      ['why', /gives no way to 127\.0\.0\.1:\d+: connect ECONNREFUSED/],
      ['closed', /gives no way to 127\.0\.0\.1:\d+: the proxy gave up/],
    ] as const) {
      const proxy = await tunnelProxy(null, null, says);
      const dial = createEgress(readEgressSelections(through('GRPC', { uds: { udsName: proxy.address } })))('controlplane')!;
      const error = await dial('127.0.0.1', closed).then(
        () => new Error('there is a way'),
        (cause: unknown) => cause as Error,
      );
      expect(error.message, says).to.match(names);
      proxy.stop();
    }
  });

  it('has proxies on abstract sockets', () => {
    const read = readEgressSelections(through('GRPC', { uds: { udsName: '@proxy' } }));
    expect(JSON.stringify([...read])).to.include(JSON.stringify({ path: '\0proxy' }));
  });

  it('refuses configurations that are not understood, with the place', () => {
    const wrong: readonly [object, RegExp][] = [
      [{ name: 'nodes' }, /egressSelections\[0\]\.name must be one of cluster, controlplane, etcd/],
      [
        { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect' } },
        /egressSelections\[0\]\.connection\.transport must have tcp or uds/,
      ],
      [{ name: 'cluster', connection: { proxyProtocol: 'Direct', transport: { uds: { udsName: '/s' } } } }, /must be absent for Direct/],
      [{ name: 'cluster', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: 's' } } } }, /absolute path of a socket/],
      [
        { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'https://p' } } } },
        /tlsConfig must be there/,
      ],
      [
        {
          name: 'cluster',
          connection: { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'https://p', tlsConfig: { caBundle: '/nowhere' } } } },
        },
        /tlsConfig\.caBundle cannot be read: ENOENT/,
      ],
    ];
    for (const [selection, names] of wrong) expect(() => readEgressSelections(configure([selection]))).to.throw(names);
    expect(() => readEgressSelections('/nowhere')).to.throw(/--egress-selector-config-file: \/nowhere cannot be read/);
  });
});
