import { expect } from 'chai';
import fs from 'node:fs';
import http2 from 'node:http2';
import path from 'node:path';
import tls from 'node:tls';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { canSharePorts } from '../../../program/port/bind.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { createIdentities, type Identities, type Identity } from '../../fixtures/identities.js';
import { BundledProgram, eventually, runToEnd } from './bundledProgram.js';
import { endedByProgram, lingering } from './lingering.js';
import { kubeconfigOf, ManagerUnderProbe } from './managerUnderProbe.js';
import { probesOf, specifiedOptions } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('controller-manager');

const bearer = (token: string): { readonly identity: null; readonly headers: Record<string, string> } => ({
  identity: null,
  headers: { authorization: `Bearer ${token}` },
});
const connect = (port: number, options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> =>
  new Promise((resolve, reject) => {
    const connection = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => resolve(connection));
    connection.once('error', reject);
  });

/** Ports of managers, their authorization, and their logs. */
export function managerDoors(): void {
  describe('controller managers with doors of their own', function () {
    let server: ServerUnderProbe;
    let identities: Identities;
    let proxies: Identities;
    let named: Identity;
    /** Every option has a setting. */
    let many: ManagerUnderProbe;
    /** Everything optional is off. */
    let less: ManagerUnderProbe;
    /** Cannot look up authentication settings, and uses `--master`. */
    let lost: ManagerUnderProbe;
    const folder = temporaryDirectory('manager-doors');
    const write = (name: string, text: string): string => {
      fs.writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const unknown = (): string => kubeconfigOf(server, folder, { name: 'unknown', token: 'nobody-has-it' });

    before(async function () {
      [identities, proxies] = [await createIdentities(), await createIdentities('proxies')];
      const serving = await identities.issue({ name: 'manager', usage: 'serverAuth', ip: ['127.0.0.1'] });
      named = await identities.issue({ name: 'sni', usage: 'serverAuth' });
      server = await ServerUnderProbe.start(identities, [
        `--token-auth-file=${write('tokens.csv', 'root-token,root,1,"system:masters"\nwatcher-token,watcher,2,"watchers"\n')}`,
      ]);
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      await server.post(`${rbac}/clusterroles`, {
        metadata: { name: 'metrics' },
        rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
      });
      await server.post(`${rbac}/clusterrolebindings`, {
        metadata: { name: 'metrics' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'watchers' }],
      });
      [many, less, lost] = await Promise.all([
        ManagerUnderProbe.start(server, [
          '--controllers=serviceaccount-controller,root-ca-certificate-publisher-controller',
          '--controller-start-interval=1h',
          `--root-ca-file=${identities.caFile}`,
          `--tls-cert-file=${serving.certFile}`,
          `--tls-private-key-file=${serving.keyFile}`,
          `--tls-sni-cert-key=${named.certFile},${named.keyFile}:*.sni.example`,
          '--tls-min-version=VersionTLS12',
          '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
          '--http2-max-streams-per-connection=7',
          `--client-ca-file=${identities.caFile}`,
          `--requestheader-client-ca-file=${proxies.caFile}`,
          '--requestheader-allowed-names=front',
          '--requestheader-username-headers=X-Name',
          '--requestheader-group-headers=X-Team',
          '--requestheader-extra-headers-prefix=X-More-',
          '--requestheader-uid-headers=X-Id',
          '--authorization-always-allow-paths=/configz',
          '--authentication-token-webhook-cache-ttl=1ms',
          '--authorization-webhook-cache-authorized-ttl=1ms',
          '--authorization-webhook-cache-unauthorized-ttl=1ms',
          '--logging-format=json',
          '--v=6',
          '--allow-metric-labels=rest_client_requests_total,method=GET',
          '--disabled-metrics=workqueue_adds_total',
          '--show-hidden-metrics-for-version=1.35',
          '--profiling',
          '--contention-profiling',
          '--emulated-version=1.34',
          '--feature-gates=ComponentFlagz=true',
        ]),
        ManagerUnderProbe.start(
          server,
          [
            '--controllers=namespace-controller',
            `--cert-dir=${path.join(folder, 'certs')}`,
            '--disable-http2-serving',
            '--tls-min-version=VersionTLS13',
            '--profiling=false',
            `--allow-metric-labels-manifest=${write('labels.yaml', '"rest_client_requests_total,method": "POST"\n')}`,
            '--feature-gates=LoggingAlphaOptions=true,ComponentFlagz=false',
            '--log-text-split-stream',
            '--log-text-info-buffer-size=1Mi',
            '--log-flush-frequency=100ms',
            '--vmodule=client=6',
            '--authentication-skip-lookup',
          ],
          { without: ['authorization-kubeconfig'] },
        ),
        ManagerUnderProbe.start(server, [
          '--controllers=replicaset-controller',
          `--kubeconfig=${kubeconfigOf(server, folder, { name: 'elsewhere', address: 'https://127.0.0.1:1' })}`,
          `--master=https://127.0.0.1:${server.port}`,
          `--authentication-kubeconfig=${unknown()}`,
          '--authentication-tolerate-lookup-failure',
          '--permit-address-sharing',
        ]),
      ]);
    });
    after(async () => {
      await Promise.all([many, less, lost].map((each) => each?.stop()));
      await server?.stop();
    });

    probe('bind-address', async () => {
      expect((await many.ask('/healthz')).status).to.equal(200);
      const elsewhere = await connect(many.port, { host: '127.0.0.2' }).then(
        () => 'connected',
        (error: NodeJS.ErrnoException) => error.code,
      );
      expect(elsewhere).to.equal('ECONNREFUSED');
    });
    probe('tls-cert-file', async () => {
      const subjects = [];
      for (const servername of ['', 'a.sni.example', 'other.example']) {
        const connection = await connect(many.port, { servername });
        subjects.push(connection.getPeerCertificate().subject.CN);
        connection.destroy();
      }
      expect(subjects).to.deep.equal(['manager', 'sni', 'manager']);
    });
    probe('tls-min-version', async () => {
      const connection = await connect(many.port, { maxVersion: 'TLSv1.2' });
      expect(connection.getCipher().standardName).to.equal('TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256');
      connection.destroy();
      for (const [{ port }, options] of [
        [many, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }],
        [many, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
        [less, { maxVersion: 'TLSv1.2' }],
      ] as const)
        expect(await connect(port, options).catch((error: Error) => error.message)).to.match(/alert|closed|disconnected|protocol/i);
    });
    probe('cert-dir', () => {
      expect(fs.readdirSync(path.join(folder, 'certs')).sort()).to.deep.equal([
        'kube-controller-manager.crt',
        'kube-controller-manager.key',
      ]);
      return Promise.resolve();
    });
    probe('http2-max-streams-per-connection', async () => {
      const session = http2.connect(`https://127.0.0.1:${many.port}`, { rejectUnauthorized: false });
      const [settings] = (await once(session, 'remoteSettings')) as [http2.Settings];
      session.destroy();
      expect(settings.maxConcurrentStreams).to.equal(7);
    });
    probe('disable-http2-serving', async () => {
      const spoken = [];
      for (const { port } of [many, less]) {
        const connection = await connect(port, { ALPNProtocols: ['h2', 'http/1.1'] });
        spoken.push(connection.alpnProtocol);
        connection.destroy();
      }
      expect(spoken).to.deep.equal(['h2', 'http/1.1']);
    });
    probe('client-ca-file', async () => {
      const headers = { 'x-name': 'ann', 'x-team': 'system:masters', 'x-more-scope': 'view', 'x-id': '7' };
      const asked = async (identity: Identity, more: Record<string, string> = headers): Promise<number> =>
        (await many.ask({ path: '/metrics', identity, headers: more })).status;
      const front = await proxies.issue({ name: 'front' });
      expect([
        await asked(server.admin, {}),
        await asked(front),
        await asked(front, { ...headers, 'x-team': 'devs' }),
        await asked(front, { 'x-remote-user': 'ann', 'x-remote-group': 'system:masters' }),
        await asked(await proxies.issue({ name: 'other' })),
        await asked(await identities.issue({ name: 'bob' })),
      ]).to.deep.equal([200, 200, 403, 401, 401, 403]);
      await server.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name: 'by-name' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
      });
      await eventually(
        () => asked(front, { ...headers, 'x-team': 'devs' }),
        (status) => status === 200,
      );
    });
    probe('authorization-always-allow-paths', async () => {
      const stranger = async (manager: ManagerUnderProbe, asked: string): Promise<number> =>
        (await manager.ask({ path: asked, identity: null })).status;
      expect([await stranger(many, '/configz'), await stranger(many, '/metrics')]).to.deep.equal([200, 403]);
      expect([await stranger(less, '/configz'), await stranger(less, '/healthz')]).to.deep.equal([403, 200]);
    });
    probe('authentication-kubeconfig', async () => {
      const reviews = async (resource: string): Promise<number> => {
        const { text } = await server.ask('/metrics');
        return text
          .split('\n')
          .filter((line) => line.startsWith('apiserver_request_total{') && line.includes(`resource="${resource}"`))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
      };
      const counts = async (): Promise<readonly number[]> => [await reviews('tokenreviews'), await reviews('subjectaccessreviews')];
      const asked = async (manager: ManagerUnderProbe, at: string): Promise<number> =>
        (await manager.ask({ path: at, ...bearer('watcher-token') })).status;
      const before = await counts();
      const answers = [];
      for (const at of ['/metrics', '/metrics', '/flagz', '/flagz']) answers.push(await asked(many, at));
      expect(answers).to.deep.equal([200, 200, 403, 403]);
      expect(
        (await counts()).map((count, index) => count - before[index]!),
        'questions',
      ).to.deep.equal([4, 4]);
      expect(await asked(less, '/metrics'), 'without anybody to ask what they may do').to.equal(403);
      expect((await many.ask({ path: '/metrics', ...bearer('nobody-has-it') })).status).to.equal(401);
    });
    probe('authentication-skip-lookup', async () => {
      expect((await less.ask('/metrics')).status, 'by certificate').to.be.oneOf([401, 403]);
      expect((await less.ask({ path: '/metrics', ...bearer('root-token') })).status, 'by token').to.equal(200);
    });
    probe('authentication-tolerate-lookup-failure', async () => {
      await lost.program.says(/extension-apiserver-authentication/);
      expect((await lost.ask('/healthz')).status).to.equal(200);
      const strict = await runToEnd('controller-manager', [
        `--kubeconfig=${kubeconfigOf(server, folder)}`,
        `--authentication-kubeconfig=${unknown()}`,
        `--secure-port=${less.port}`,
      ]);
      expect(strict).to.deep.include({ status: 1 }).and.to.have.property('text').that.contains('--authentication-tolerate-lookup-failure');
    });
    probe('master', async () => {
      const labels = { app: 'found' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false } };
      const made = await server.post('/apis/apps/v1/namespaces/default/replicasets', {
        metadata: { name: 'found' },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      });
      expect(made.status, made.text).to.equal(201);
      await eventually(
        () => server.ask('/api/v1/namespaces/default/pods?labelSelector=app%3Dfound'),
        ({ body }) => (body['items'] as unknown[]).length === 1,
      );
    });
    probe('controller-start-interval', async () => {
      await server.post('/api/v1/namespaces', { metadata: { name: 'served' } });
      await eventually(
        () => server.ask('/api/v1/namespaces/served/serviceaccounts/default'),
        ({ status }) => status === 200,
      );
      expect(await many.running()).to.deep.equal(['serviceaccount-controller']);
      expect((await server.ask('/api/v1/namespaces/served/configmaps/kube-root-ca.crt')).status).to.equal(404);
    });
    probe('logging-format', async () => {
      const [line] = await many.program.says(/^.*"verb":"GET".*$/m);
      expect(JSON.parse(line)).to.include.keys('ts', 'msg', 'path');
    });
    probe('log-text-split-stream', async () => {
      await less.program.says(/request.*verb=/);
      expect(less.program.stdout.join('')).to.match(/request.*verb=/);
      expect(less.program.stderr.join('')).to.not.match(/ info /);
      expect(less.program.text, 'nothing of other parts').to.not.match(/synced/);
    });
    probe('disabled-metrics', async () => {
      const methods = async (manager: ManagerUnderProbe): Promise<readonly string[]> => {
        const { text } = await manager.ask({ path: '/metrics', ...bearer('root-token') });
        return [...new Set([...text.matchAll(/^rest_client_requests_total\{[^}]*method="(\w+)"/gm)].map(([, method]) => method!))];
      };
      expect(
        await eventually(
          () => methods(many),
          ({ length }) => length === 2,
        ),
      ).to.have.members(['GET', 'unexpected']);
      expect(await methods(less))
        .to.deep.include('unexpected')
        .and.not.include('GET');
      expect(await many.metric('workqueue_adds_total')).to.equal(null);
      expect(await less.metric('workqueue_adds_total', bearer('root-token'))).to.not.equal(null);
      expect((await many.ask('/flagz')).text).to.match(/^show-hidden-metrics-for-version=1\.35$/m);
    });
    probe('profiling', async () => {
      expect((await many.ask('/debug/pprof/cmdline')).status).to.equal(200);
      const blocked = await new Promise<Buffer>((resolve, reject) => {
        const session = http2.connect(`https://127.0.0.1:${many.port}`, {
          ...{ rejectUnauthorized: false, cert: server.admin.cert, key: server.admin.key },
        });
        const chunks: Buffer[] = [];
        session.on('error', reject);
        session
          .request({ ':path': '/debug/pprof/block' })
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            session.destroy();
            resolve(Buffer.concat(chunks));
          });
      });
      expect(gunzipSync(blocked).toString('latin1')).to.contain('a turn of the event loop took');
      expect((await less.ask({ path: '/debug/pprof/cmdline', ...bearer('root-token') })).status).to.equal(404);
    });
    probe('emulated-version', async () => {
      const pages = async (manager: ManagerUnderProbe): Promise<readonly number[]> =>
        Promise.all(['/flagz', '/statusz'].map(async (at) => (await manager.ask({ path: at, ...bearer('root-token') })).status));
      expect(await pages(many), 'neither was on by default then').to.deep.equal([200, 404]);
      expect(await pages(less), 'one is off').to.deep.equal([404, 200]);
    });
    probe('permit-address-sharing', async () => {
      const { port } = lost;
      await endedByProgram(port);
      await lost.stop();
      if (process.platform === 'linux') expect(lingering(port), 'connections that are not forgotten yet').to.be.above(0);
      lost = await ManagerUnderProbe.start(server, [
        `--secure-port=${port}`,
        '--permit-address-sharing',
        '--controllers=namespace-controller',
      ]);
      expect((await lost.ask('/metrics')).status, 'the administrator, as the cluster tells').to.equal(200);
    });
    probe('permit-port-sharing', async () => {
      const args = [`--kubeconfig=${kubeconfigOf(server, folder)}`, '--permit-port-sharing', `--secure-port=${less.port}`];
      if (canSharePorts()) {
        const second = BundledProgram.start('controller-manager', args);
        await second.says(/leads|attempting|waiting/).catch((error: unknown) => expect(String(error)).to.contain('EADDRINUSE'));
        await second.stop();
      } else
        expect(await runToEnd('controller-manager', args))
          .to.deep.include({ status: 1 })
          .and.to.have.property('text')
          .that.contains('--permit-port-sharing');
    });
    probe('cloud-provider', async () => {
      const refused = async (...args: string[]): Promise<string> => {
        const { status, text } = await runToEnd('controller-manager', args);
        expect(status, text).to.equal(1);
        return text;
      };
      expect(await refused('--cloud-provider=aws', '--external-cloud-volume-plugin=aws', '--cloud-config=/x'))
        .to.match(/"aws" for "--cloud-provider" flag: want .*external/)
        .and.match(/"aws" for "--external-cloud-volume-plugin" flag: want/);
      expect(await refused('--cloud-config=/x')).to.contain('--cloud-config needs --cloud-provider=external');
      const external = await ManagerUnderProbe.start(server, [
        ...['--cloud-provider=external', '--cloud-config=/x', '--external-cloud-volume-plugin=', '--controllers=namespace-controller'],
      ]);
      expect(
        await eventually(
          () => external.running(),
          ({ length }) => length > 0,
        ),
      ).to.deep.equal(['namespace-controller']);
      await external.stop();
    });
    probe('version', async () => {
      const { status, text } = await runToEnd('controller-manager', ['--version']);
      expect([status, text]).to.satisfy(([code, said]: [number, string]) => code === 0 && /^Kubernetes v1\.36\./.test(said));
    });
    probe('help', async () => {
      const { text } = await runToEnd('controller-manager', ['--help']);
      expect(specifiedOptions('controller-manager').filter((name) => !new RegExp(`--${name}\\b`).test(text))).to.deep.equal([]);
    });
  });
}
