import { expect } from 'chai';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { startHookService } from '../../fixtures/hookService.js';
import { FakeAgent } from '../../fixtures/fakeAgent.js';
import { reservePort } from '../../fixtures/tlsBackends.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, call2 } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../fixtures/identities.js';
import { eventually, runToEnd } from './bundledProgram.js';
import { MostAtOnce } from './mostAtOnce.js';
import { probesOf, specifiedOptions } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('apiserver');
const pods = '/api/v1/namespaces/default/pods';
const podOf = (name: string, container: object = {}, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
});

/** Ports, options for browsers and nodes, and what is served and admitted. */
export function doors(): void {
  describe('an API server with other doors, nodes, services and plug-ins', function () {
    let server: ServerUnderProbe;
    let identities: Identities;
    let proxies: Identities;
    let port: number;
    let agent: FakeAgent;
    let named: Identity;
    let bob: Identity;
    const folder = temporaryDirectory('doors');
    const socket = path.join(folder, 'debug.sock');

    before(async () => {
      [identities, proxies, port, agent] = [
        await createIdentities(),
        await createIdentities('proxies'),
        await reservePort(),
        await FakeAgent.start(),
      ];
      [named, bob] = [await identities.issue({ name: 'sni', usage: 'serverAuth' }), await identities.issue({ name: 'bob' })];
      const write = (name: string, text: string | Buffer): string => {
        fs.writeFileSync(path.join(folder, name), text);
        return path.join(folder, name);
      };
      const admission = write(
        'admission.yaml',
        `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: { warn: restricted }
`,
      );
      server = await ServerUnderProbe.start(identities, [
        `--secure-port=${port}`,
        `--tls-sni-cert-key=${named.certFile},${named.keyFile}:*.sni.example`,
        '--tls-min-version=VersionTLS12',
        '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
        '--http2-max-streams-per-connection=7',
        '--goaway-chance=0.02',
        '--cors-allowed-origins=^https://page\\.example$',
        '--strict-transport-security-directives=max-age=5',
        '--advertise-address=10.9.9.9',
        '--external-hostname=ext.example',
        '--service-account-issuer=https://issuer.example',
        `--service-account-signing-key-file=${bob.keyFile}`,
        `--service-account-key-file=${bob.keyFile}`,
        '--kubernetes-service-node-port=31005',
        '--service-cluster-ip-range=10.7.0.0/24',
        '--service-node-port-range=31004-31006',
        '--allow-privileged',
        '--default-not-ready-toleration-seconds=7',
        '--default-unreachable-toleration-seconds=8',
        '--enable-admission-plugins=NamespaceAutoProvision',
        '--disable-admission-plugins=ServiceAccount',
        `--admission-control-config-file=${admission}`,
        '--runtime-config=batch/v1/cronjobs=false',
        '--event-ttl=1s',
        `--debug-socket-path=${socket}`,
        '--contention-profiling',
        '--profiling',
        '--disabled-metrics=apiserver_current_inflight_requests',
        '--allow-metric-labels=apiserver_request_total,verb=LIST',
        '--show-hidden-metrics-for-version=1.35',
        '--logging-format=json',
        '--v=3',
        '--delete-collection-workers=3',
        `--kubelet-certificate-authority=${write('agents.crt', agent.ca)}`,
        `--kubelet-client-certificate=${write('agents.client.crt', agent.client.certificate)}`,
        `--kubelet-client-key=${write('agents.client.key', agent.client.key)}`,
        '--kubelet-preferred-address-types=ExternalIP,InternalIP',
        '--kubelet-timeout=6s',
        '--max-connection-bytes-per-sec=40000',
        `--requestheader-client-ca-file=${proxies.caFile}`,
        '--requestheader-allowed-names=front',
        '--requestheader-username-headers=X-Name',
        '--requestheader-group-headers=X-Team',
        '--requestheader-extra-headers-prefix=X-More-',
        '--requestheader-uid-headers=X-Id',
        '--etcd-count-metric-poll-period=200ms',
        '--etcd-db-metric-poll-interval=200ms',
        '--feature-gates=UnknownVersionInteroperabilityProxy=true',
        '--peer-advertise-ip=10.8.8.8',
        '--peer-advertise-port=7443',
      ]);
    });
    after(async () => {
      await server?.stop();
      await agent?.close();
    });

    const connect = (options: tls.ConnectionOptions): Promise<tls.TLSSocket> =>
      new Promise((resolve, reject) => {
        const connection = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => resolve(connection));
        connection.once('error', reject);
      });

    const makeNode = async (name: string, at: number): Promise<void> => {
      await server.post('/api/v1/nodes', { metadata: { name } });
      const addresses = [
        { type: 'Hostname', address: 'nowhere.invalid' },
        { type: 'InternalIP', address: '127.0.0.1' },
      ];
      await server.send('PATCH', `/api/v1/nodes/${name}/status`, {
        status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: at } } },
      });
    };

    probe('bind-address', async () => {
      expect(server.port).to.equal(port);
      expect((await server.ask('/version')).status).to.equal(200);
      const elsewhere = await connect({ host: '127.0.0.2' }).then(
        () => 'connected',
        (error: NodeJS.ErrnoException) => error.code,
      );
      expect(elsewhere).to.equal('ECONNREFUSED');
    });
    probe('tls-cert-file', async () => {
      const subjects = [];
      for (const servername of ['', 'a.sni.example', 'other.example']) {
        const connection = await connect({ servername });
        subjects.push(connection.getPeerCertificate().subject.CN);
        connection.destroy();
      }
      expect(subjects).to.deep.equal(['server', 'sni', 'server']);
    });
    probe('tls-min-version', async () => {
      const connection = await connect({ maxVersion: 'TLSv1.2' });
      expect(connection.getCipher().standardName).to.equal('TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256');
      connection.destroy();
      for (const options of [
        { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
        { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      ] as const)
        expect(await connect(options).catch((error: Error) => error.message)).to.match(/alert|closed|disconnected|protocol/i);
      expect(Number((await server.metric('apiserver_tls_handshake_errors_total '))?.split(' ')[1])).to.be.at.least(2);
    });
    probe('http2-max-streams-per-connection', async () => {
      const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      const [settings] = (await once(session, 'remoteSettings')) as [http2.Settings];
      session.destroy();
      expect(settings.maxConcurrentStreams).to.equal(7);
    });
    probe('goaway-chance', async () => {
      for (let left = 0, asked = 0; left === 0; asked++) {
        expect(asked, 'requests without a GOAWAY').to.be.below(2_000);
        const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
        session.on('goaway', () => left++);
        for (let round = 0; round < 20 && !session.closed && !session.destroyed; round++, asked++) {
          const stream = session.request({ ':path': '/version' }).resume();
          stream.on('error', () => undefined);
          await once(stream, 'close');
        }
        session.destroy();
      }
    });
    probe('cors-allowed-origins', async () => {
      const from = async (origin: string): Promise<unknown> =>
        (await server.ask({ path: '/version', headers: { origin } })).headers['access-control-allow-origin'];
      expect([await from('https://page.example'), await from('https://page.example.org')]).to.deep.equal([
        'https://page.example',
        undefined,
      ]);
      expect((await server.ask('/version')).headers['strict-transport-security']).to.equal('max-age=5');
    });
    probe('advertise-address', async () => {
      const service = await eventually(
        () => server.ask('/api/v1/namespaces/default/services/kubernetes'),
        ({ status }) => status === 200,
      );
      expect(service.body['spec']).to.deep.include({ clusterIP: '10.7.0.1', type: 'NodePort' });
      expect((service.body['spec'] as { ports: { nodePort: number }[] }).ports[0]?.nodePort).to.equal(31005);
      const endpoints = await eventually(
        () => server.ask('/api/v1/namespaces/default/endpoints/kubernetes'),
        ({ status }) => status === 200,
      );
      expect(endpoints.body['subsets']).to.deep.equal([
        { addresses: [{ ip: '10.9.9.9' }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
      ]);
    });
    probe('service-node-port-range', async () => {
      const services = '/api/v1/namespaces/default/services';
      const spec = { type: 'NodePort', ports: [{ port: 1 }] };
      const refused = await server.post(services, { metadata: { name: 'a' }, spec: { ...spec, ports: [{ port: 1, nodePort: 31007 }] } });
      expect(refused.body['message']).to.contain('The range of valid ports is 31004-31006');
      const made = await server.post(services, { metadata: { name: 'a' }, spec });
      expect((made.body['spec'] as { ports: { nodePort: number }[] }).ports[0]?.nodePort).to.be.oneOf([31004, 31006]);
    });
    probe('external-hostname', async () => {
      expect((await server.ask('/.well-known/openid-configuration')).body['jwks_uri']).to.match(/^https:\/\/ext\.example(:\d+)?\/openid/);
    });
    probe('allow-privileged', async () => {
      const made = await server.post('/api/v1/namespaces/fresh/pods', podOf('p', { securityContext: { privileged: true } }));
      expect(made.status, made.text).to.equal(201);
      expect(made.headers['warning']).to.contain('would violate PodSecurity');
      const spec = made.body['spec'] as { tolerations: { tolerationSeconds: number }[]; serviceAccountName?: string };
      expect(spec.tolerations.map(({ tolerationSeconds }) => tolerationSeconds)).to.deep.equal([7, 8]);
      expect(spec).to.not.have.property('serviceAccountName');
    });
    probe('runtime-config', async () => {
      const names = ((await server.ask('/apis/batch/v1')).body['resources'] as { name: string }[]).map(({ name }) => name);
      expect(names).to.include('jobs').and.not.include('cronjobs');
    });
    probe('event-ttl', async () => {
      const events = '/api/v1/namespaces/default/events';
      const made = await server.post(events, { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } });
      expect(made.status, made.text).to.equal(201);
      await eventually(
        () => server.ask(`${events}/e`),
        ({ status }) => status === 404,
      );
    });
    probe('debug-socket-path', async () => {
      const onSocket = await new Promise<Buffer>((resolve, reject) => {
        http
          .get({ socketPath: socket, path: '/debug/pprof/block' }, (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
          })
          .on('error', reject);
      });
      expect(gunzipSync(onSocket).toString('latin1')).to.contain('a turn of the event loop took');
      expect((await server.ask('/debug/pprof/cmdline')).status).to.equal(200);
    });
    probe('disabled-metrics', async () => {
      await server.ask('/api/v1/pods');
      const { text } = await server.ask('/metrics');
      expect(text).to.not.contain('\napiserver_current_inflight_requests');
      const verbs = [...text.matchAll(/^apiserver_request_total\{[^}]*verb="(\w+)"/gm)].map(([, verb]) => verb);
      expect(new Set(verbs)).to.deep.equal(new Set(['LIST', 'unexpected']));
      expect((await server.ask('/flagz')).text).to.match(/^show-hidden-metrics-for-version=1\.35$/m);
    });
    probe('etcd-count-metric-poll-period', async () => {
      const at = '/api/v1/namespaces/default/configmaps';
      const count = async (): Promise<number> =>
        Number((await server.metric('apiserver_resource_objects{group="",resource="configmaps"}'))?.split(' ')[1] ?? -1);
      const before = await eventually(count, (value) => value >= 0);
      await server.post(at, { metadata: { name: 'counted' } });
      await eventually(count, (value) => value > before);
      expect(await server.metric('apiserver_storage_size_bytes{')).to.match(/ [1-9]\d*$/);
    });
    probe('logging-format', async () => {
      await server.ask('/version?look=for-this');
      const [line] = await server.program.says(/^.*look=for-this.*$/m);
      expect(JSON.parse(line)).to.include.keys('ts', 'msg');
    });
    probe('delete-collection-workers', async () => {
      const at = '/api/v1/namespaces/default/configmaps';
      const hook = await startHookService(identities);
      const counter = new MostAtOnce(
        hook,
        () => 'deletions',
        () => 3,
      );
      await server.post(
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
        counter.configuration(['configmaps'], ['DELETE']),
      );
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
        await server.post(at, { metadata: { name, labels: { go: 'yes' } } });
      await server.ask({ method: 'DELETE', path: `${at}?labelSelector=go%3Dyes` });
      expect((await server.ask(`${at}?labelSelector=go%3Dyes`)).body['items']).to.deep.equal([]);
      expect(counter.most('deletions')).to.equal(3);
      await server.ask({ method: 'DELETE', path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/counts' });
      hook.close();
    });
    probe('kubelet-certificate-authority', async () => {
      const silent = net.createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const silentPort = (silent.address() as { port: number }).port;
      for (const [name, at] of [
        ['good', agent.port],
        ['silent', silentPort],
      ] as const) {
        await makeNode(name, at);
        const made = await server.post(pods, podOf(`on-${name}`, {}, { nodeName: name }));
        expect(made.status, made.text).to.equal(201);
      }
      const log = await server.ask(`${pods}/on-good/log`);
      expect([log.status, log.text]).to.deep.equal([200, 'ok']);
      expect(agent.seen.at(-1)?.client).to.equal('apiserver');
      const began = performance.now();
      expect((await server.ask(`${pods}/on-silent/log`)).status).to.be.at.least(500);
      expect(performance.now() - began, 'not the usual five seconds').to.be.at.least(5_900);
      silent.close();
    });
    probe('max-connection-bytes-per-sec', async () => {
      const sent = Buffer.alloc(60_000, 'x');
      agent.upgrade = (_request, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\n');
        socket.once('data', () => socket.end(sent));
      };
      const request = https.request({
        ...{ host: '127.0.0.1', port, path: `${pods}/on-good/exec?command=date&stdout=true`, method: 'POST' },
        ...{ cert: server.admin.cert, key: server.admin.key, rejectUnauthorized: false },
        headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
      });
      request.end();
      const [, connection] = (await once(request, 'upgrade')) as [unknown, Duplex];
      const began = performance.now();
      connection.write('go');
      let received = 0;
      connection.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      await once(connection, 'end');
      connection.destroy();
      expect(received).to.equal(sent.length);
      expect(performance.now() - began, 'half a second for the half that is too much').to.be.at.least(450);
    });
    probe('requestheader-client-ca-file', async () => {
      const review = async (identity: Identity): Promise<unknown> => {
        const answer = await call1(port, {
          method: 'POST',
          path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
          identity,
          headers: { 'content-type': 'application/json', 'x-name': 'ann', 'x-team': 'devs', 'x-more-scope': 'view', 'x-id': '7' },
          body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
        });
        return (answer.body['status'] as { userInfo: unknown } | undefined)?.userInfo ?? answer.status;
      };
      expect(await review(await proxies.issue({ name: 'front' }))).to.deep.include({
        username: 'ann',
        uid: '7',
        groups: ['devs', 'system:authenticated'],
        extra: { scope: ['view'] },
      });
      expect(await review(await proxies.issue({ name: 'other' }))).to.not.deep.include({ username: 'ann' });
      expect(await review(bob)).to.deep.include({ username: 'bob' });
    });
    probe('peer-advertise-ip', async () => {
      const { text } = await eventually(
        () => server.ask('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'),
        ({ text: leases }) => leases.includes('apiserver-'),
      );
      expect(text).to.contain('10.8.8.8').and.contain('7443');
    });
    probe('version', async () => {
      expect((await call2(port, { path: '/version', identity: server.admin })).body['gitVersion']).to.match(/^v1\.36\./);
      expect(await runToEnd('apiserver', ['--version'])).to.deep.include({ status: 0 });
    });
    probe('help', async () => {
      const { text } = await runToEnd('apiserver', ['--help']);
      expect(specifiedOptions('apiserver').filter((name) => !new RegExp(`--${name}\\b`).test(text))).to.deep.equal([]);
    });
  });
}
