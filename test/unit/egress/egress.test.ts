import { expect } from 'chai';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { readEgressSelections } from '../../../server/egress/configuration.js';
import { createEgress } from '../../../server/egress/egress.js';
import { createBackends } from '../../../server/endpoints/backends/connection.js';
import { clientFor } from '../../../server/webhook/client.js';
import { connectProxy, tunnelProxy, type EgressProxy } from '../../fixtures/egressProxies.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { createIdentities, type Identities, type Identity } from '../http/identities.js';

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
    identity = await identities.issue({ name: 'localhost', usage: 'serverAuth' });
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
