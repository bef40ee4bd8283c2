import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { connectProxy, type EgressProxy } from '../../fixtures/egressProxies.js';
import { OutsideSigner } from '../../fixtures/outsideSigner.js';
import { startTokenIssuer, type TokenIssuer } from '../../fixtures/tokenIssuer.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { TraceCollector } from '../../fixtures/traceCollector.js';
import { createIdentities, type Identities, type Identity } from '../../fixtures/identities.js';
import { eventually } from './bundledProgram.js';
import { probesOf } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('apiserver');
/** Endpoints must not be loopback addresses. */
const ownAddress =
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1';
const configuration = (kind: string, rest: object, group = 'apiserver.config.k8s.io/v1'): string =>
  JSON.stringify({ apiVersion: group, kind, ...rest });

/** Configuration files, which are reloaded on change, and external services. */
export function files(): void {
  describe('an API server with files and services beside it', function () {
    let server: ServerUnderProbe;
    let identities: Identities;
    let issuer: TokenIssuer;
    let proxy: EgressProxy;
    let extension: Server;
    let ann: Identity;
    let again: string[];
    const extensionClients: unknown[] = [];
    const collector = new TraceCollector();
    const signer = new OutsideSigner();
    const folder = temporaryDirectory('files');
    const at = (name: string): string => path.join(folder, name);
    /** Atomic, so that no reader sees half of it. */
    const write = (name: string, text: string): string => {
      fs.writeFileSync(at(`${name}.new`), text);
      fs.renameSync(at(`${name}.new`), at(name));
      return at(name);
    };
    const issuers = (username: string): string =>
      configuration('AuthenticationConfiguration', {
        jwt: [
          {
            issuer: { url: issuer.url, audiences: ['me'], certificateAuthority: identities.ca, egressSelectorType: 'controlplane' },
            claimMappings: { username: { expression: username } },
          },
        ],
        anonymous: { enabled: true, conditions: [{ path: '/version' }] },
      });
    const chain = (allowsAll: boolean): string =>
      configuration('AuthorizationConfiguration', {
        authorizers: [{ type: 'RBAC', name: 'rbac' }, ...(allowsAll ? [{ type: 'AlwaysAllow', name: 'alwaysallow' }] : [])],
      });
    const keys = (...names: string[]): string =>
      configuration('EncryptionConfiguration', {
        resources: [
          {
            resources: ['secrets'],
            providers: [{ secretbox: { keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name).toString('base64') })) } }],
          },
        ],
      });

    before(async () => {
      identities = await createIdentities();
      issuer = await startTokenIssuer(await identities.issue({ name: 'issuer', usage: 'serverAuth', ip: ['127.0.0.1'] }));
      [proxy, ann] = [await connectProxy(null), await identities.issue({ name: 'ann' })];
      const program = await identities.issue({ name: 'api', usage: 'serverAuth', dns: ['api.default.svc'] });
      extension = createServer({ cert: program.cert, key: program.key, ca: identities.ca, requestCert: true, rejectUnauthorized: false });
      extension.on('request', (request, response) => {
        extensionClients.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
        if (request.url?.endsWith('/moved') === true) return response.writeHead(302, { location: '/elsewhere' }).end();
        const resources = [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] }];
        response.setHeader('content-type', 'application/json');
        return response.end(
          JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'remote.example.com/v1', resources }),
        );
      });
      extension.listen(0, ownAddress);
      await Promise.all([once(extension, 'listening'), signer.start()]);
      const front = await identities.issue({ name: 'front' });
      again = [
        `--authentication-config=${write('authentication.json', issuers("'first:' + claims.sub"))}`,
        `--authorization-config=${write('authorization.json', chain(false))}`,
        `--egress-selector-config-file=${write(
          'egress.json',
          configuration(
            'EgressSelectorConfiguration',
            {
              egressSelections: [
                { name: 'controlplane', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: proxy.address } } } },
              ],
            },
            'apiserver.k8s.io/v1beta1',
          ),
        )}`,
        `--tracing-config-file=${write(
          'tracing.json',
          configuration('TracingConfiguration', { endpoint: await collector.start(), samplingRatePerMillion: 1_000_000 }),
        )}`,
        '--service-account-issuer=https://cluster.test',
        `--service-account-signing-endpoint=${signer.socket}`,
        '--enable-aggregator-routing',
        `--proxy-client-cert-file=${front.certFile}`,
        `--proxy-client-key-file=${front.keyFile}`,
      ];
      server = await ServerUnderProbe.start(
        identities,
        [
          ...again,
          '--aggregator-reject-forwarding-redirect=false',
          `--encryption-provider-config=${write('encryption.json', keys('a'))}`,
          '--encryption-provider-config-automatic-reload',
        ],
        { without: ['authorization-mode'] },
      );
    });
    after(async () => {
      await server?.stop();
      issuer?.close();
      proxy?.stop();
      collector.stop();
      signer.stop();
      extension?.close();
      extension?.closeAllConnections();
    });

    const who = async (token: string): Promise<unknown> => {
      const answer = await server.post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { identity: null, headers: { authorization: `Bearer ${token}` } },
      );
      return (answer.body['status'] as { userInfo: { username: string } } | undefined)?.userInfo.username ?? answer.status;
    };
    const stored = (): string =>
      fs
        .readdirSync(server.file('data'), { recursive: true, encoding: 'utf8' })
        .map((name) => path.join(server.file('data'), name))
        .filter((file) => fs.statSync(file).isFile())
        .map((file) => fs.readFileSync(file, 'latin1'))
        .join('');

    probe('authentication-config', async () => {
      const token = await issuer.sign();
      expect(
        await eventually(
          () => who(token),
          (user) => user !== 401,
        ),
      ).to.equal('first:ann');
      expect(proxy.asked).to.include(new URL(issuer.url).host);
      const stranger = async (asked: string): Promise<number> => (await server.ask({ path: asked, identity: null })).status;
      expect([await stranger('/version'), await stranger('/api')]).to.deep.equal([200, 401]);
      write('authentication.json', issuers("'second:' + claims.sub"));
      await eventually(
        () => who(token),
        (user) => user === 'second:ann',
      );
    });
    probe('authorization-config', async () => {
      const read = async (): Promise<number> => (await server.ask({ path: '/api/v1/pods', identity: ann })).status;
      expect(await read()).to.equal(403);
      write('authorization.json', chain(true));
      await eventually(read, (status) => status === 200);
    });
    probe('encryption-provider-config', async () => {
      const secrets = '/api/v1/namespaces/default/secrets';
      const made = await server.post(secrets, { metadata: { name: 'one' }, stringData: { a: 'under-the-old-oak' } });
      expect(made.status, made.text).to.equal(201);
      expect(stored()).to.include('k8s:enc:secretbox:v1:a:').and.not.include('under-the-old-oak');
      write('encryption.json', keys('b', 'a'));
      let count = 0;
      await eventually(
        async () => {
          await server.post(secrets, { metadata: { name: `next-${++count}` } });
          return stored();
        },
        (bytes) => bytes.includes('k8s:enc:secretbox:v1:b:'),
      );
      expect((await server.ask(`${secrets}/one`)).status).to.equal(200);
    });
    probe('tracing-config-file', async () => {
      const traceId = 'ab'.repeat(16);
      await server.ask({ path: '/api/v1/configmaps', headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` } });
      expect((await collector.find((span) => span.traceId === traceId && span.kind === 2)).parentSpanId).to.equal('cd'.repeat(8));
    });
    probe('service-account-signing-endpoint', async () => {
      await server.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
      const answer = await server.post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
      expect(answer.status, answer.text).to.equal(201);
      expect(signer.calls['Sign']).to.equal(1);
    });
    probe('enable-aggregator-routing', async () => {
      const namespace = '/api/v1/namespaces/default';
      const { port } = extension.address() as AddressInfo;
      const service = await server.post(`${namespace}/services`, {
        metadata: { name: 'api' },
        spec: { ports: [{ port: 443, targetPort: port }] },
      });
      expect(service.status, service.text).to.equal(201);
      const slice = await server.post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
        metadata: { name: 'api-1', labels: { 'kubernetes.io/service-name': 'api' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [ownAddress], conditions: { ready: true } }],
        ports: [{ name: '', port, protocol: 'TCP' }],
      });
      expect(slice.status, slice.text).to.equal(201);
      const made = await server.post('/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: 'v1.remote.example.com' },
        spec: {
          group: 'remote.example.com',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
          caBundle: Buffer.from(identities.ca).toString('base64'),
          service: { namespace: 'default', name: 'api', port: 443 },
        },
      });
      expect(made.status, made.text).to.equal(201);
      const moved = await eventually(
        () => server.ask('/apis/remote.example.com/v1/moved'),
        ({ status }) => status === 302,
      );
      expect(moved.headers['location']).to.equal('/elsewhere');
      expect(extensionClients).to.include('front');
    });
    probe('livez-grace-period', async () => {
      await server.stop();
      server = await ServerUnderProbe.start(identities, [...again, '--livez-grace-period=1h', '--storage-initialization-timeout=200ms'], {
        directory: server.directory,
        becomesReady: false,
        without: ['authorization-mode'],
      });
      const status = async (asked: string): Promise<number> =>
        server.ask(asked).then(
          (answer) => answer.status,
          () => 0,
        );
      await eventually(
        () => status('/healthz/poststarthook/storage-readiness'),
        (code) => code === 200,
      );
      expect([await status('/livez'), await status('/healthz'), await status('/readyz')]).to.deep.equal([200, 500, 500]);
    });
  });
}
