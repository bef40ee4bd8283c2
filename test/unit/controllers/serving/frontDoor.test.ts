import { expect } from 'chai';
import fs from 'node:fs';
import http2 from 'node:http2';
import path from 'node:path';
import tls from 'node:tls';
import type { Api } from '../../../../controllers/client/api.js';
import { controllerManagerFlags } from '../../../../controllers/options/flags.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { Checks } from '../../../../controllers/serving/checks.js';
import { serveHealth } from '../../../../controllers/serving/health.js';
import { Metrics } from '../../../../controllers/serving/metrics.js';
import type { Serving } from '../../../../controllers/serving/server.js';
import { ConnectionError } from '../../../../controllers/client/errors.js';
import { publishedTrust } from '../../../../controllers/serving/trust.js';
import { featuresOf } from '../../../../program/features/options.js';
import { metricChoice } from '../../../../program/metrics/options.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, type Answer, type Call } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

describe('controllers/serving', () => {
  let identities: Identities;
  let other: Identities;
  let admin: Identity;
  let serving: Serving | null = null;
  let log: string[] = [];

  const start = async (...argv: string[]): Promise<void> => {
    const read = readControllerManagerOptions(['--bind-address=127.0.0.1', `--client-ca-file=${identities.caFile}`, ...argv]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    const options = { ...read.options, 'secure-port': 0 };
    const features = featuresOf(options);
    const metrics = new Metrics(metricChoice(options), features);
    metrics.queue('q').added?.();
    metrics.queue('other').added?.();
    const checks = new Checks();
    checks.add('x', () => null);
    log = [];
    asked = 0;
    serving = await serveHealth({
      // 0 means no port in the flag, but any free port in the listener.
      options: new Proxy(options, { get: (of, name): unknown => (name === 'secure-port' ? anyPort() : Reflect.get(of, name)) }),
      features,
      metrics,
      checks,
      clock: new FakeClock(),
      verbosity: { level: 0 },
      log: (level, message) => log.push(`${level} ${message}`),
    });
  };
  /** It is read twice: first whether there is a port, then which. */
  let asked = 0;
  const anyPort = (): number => (asked++ % 2 === 0 ? 1 : 0);
  const ask = (call: Call | string): Promise<Answer> =>
    call1(serving?.port ?? 0, typeof call === 'string' ? { path: call, identity: admin } : call);

  before(async () => {
    identities = await createIdentities();
    other = await createIdentities('another authority');
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
  });
  afterEach(async () => {
    await serving?.close();
    serving = null;
  });

  it('serves health to everybody, and the rest to whom the cluster allows it', async () => {
    await start();
    expect(await ask({ path: '/healthz' })).to.include({ status: 200, text: 'ok' });
    expect((await ask({ path: '/healthz/x' })).status).to.equal(403);
    expect(await ask('/healthz/x')).to.include({ status: 200, text: 'ok' });
    const refused = await ask({ path: '/metrics' });
    expect(refused.status).to.equal(403);
    expect(refused.body).to.include({
      kind: 'Status',
      reason: 'Forbidden',
      message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
    });
    expect(log).to.include('info serving: GET "/metrics" from 127.0.0.1 as "system:anonymous" refused with 403: not allowed');
    expect((await ask('/metrics')).text).to.contain('workqueue_adds_total{name="q"} 1');
    expect((await ask('/none')).status).to.equal(404);
    expect((await ask({ path: '/metrics', method: 'DELETE', identity: admin })).status).to.equal(405);
  });

  it('refuses credentials that are no good, also where anybody may look', async () => {
    await start();
    const stranger = await other.issue({ name: 'admin', groups: ['system:masters'] });
    expect((await ask({ path: '/healthz', identity: stranger })).status).to.equal(401);
    expect(log.join()).to.contain('refused with 401: client certificate');
  });

  it('believes front proxies about users', async () => {
    await start(`--requestheader-client-ca-file=${other.caFile}`, '--requestheader-allowed-names=proxy');
    const proxy = await other.issue({ name: 'proxy' });
    const headers = { 'x-remote-user': 'ann', 'x-remote-group': 'system:masters' };
    expect((await ask({ path: '/metrics', identity: proxy, headers })).status).to.equal(200);
    expect((await ask({ path: '/metrics', identity: proxy })).status).to.equal(401);
    const wrong = await other.issue({ name: 'nobody' });
    expect((await ask({ path: '/metrics', identity: wrong, headers })).status).to.equal(401);
  });

  it('speaks HTTP/2, unless told not to', async () => {
    await start();
    const session = http2.connect(`https://127.0.0.1:${serving?.port}`, { rejectUnauthorized: false });
    const status = await new Promise((resolve, reject) => {
      session.on('error', reject);
      session
        .request({ ':path': '/healthz' })
        .on('response', (headers) => resolve(headers[':status']))
        .resume();
    });
    session.destroy();
    expect(status).to.equal(200);
    await serving?.close();
    await start('--disable-http2-serving');
    const protocol = await new Promise((resolve, reject) => {
      const socket = tls.connect(
        { port: serving?.port ?? 0, host: '127.0.0.1', ALPNProtocols: ['h2', 'http/1.1'], rejectUnauthorized: false },
        () => {
          resolve(socket.alpnProtocol);
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });
    expect(protocol).to.equal('http/1.1');
  });

  it('limits streams of one connection as told', async () => {
    await start('--http2-max-streams-per-connection=7');
    const session = http2.connect(`https://127.0.0.1:${serving?.port}`, { rejectUnauthorized: false });
    const settings = await new Promise<http2.Settings>((resolve, reject) => {
      session.on('error', reject);
      session.on('remoteSettings', resolve);
    });
    session.destroy();
    expect(settings.maxConcurrentStreams).to.equal(7);
  });

  it('shows another certificate to who asks for another name', async () => {
    const usual = await identities.issue({ name: 'usual', usage: 'serverAuth' });
    const named = await identities.issue({ name: 'named', usage: 'serverAuth', dns: ['named.example'] });
    await start(
      `--tls-cert-file=${usual.certFile}`,
      `--tls-private-key-file=${usual.keyFile}`,
      `--tls-sni-cert-key=${named.certFile},${named.keyFile}`,
    );
    const shown = (servername: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const socket = tls.connect({ port: serving?.port ?? 0, host: '127.0.0.1', servername, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subject.CN);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    expect(await shown('named.example')).to.equal('named');
    expect(await shown('other.example')).to.equal('usual');
  });

  it('keeps the pair that it makes where it is told to', async () => {
    const directory = temporaryDirectory('pair');
    await start(`--cert-dir=${directory}`);
    expect(fs.readdirSync(directory).sort()).to.deep.equal(['kube-controller-manager.crt', 'kube-controller-manager.key']);
    expect(fs.statSync(path.join(directory, 'kube-controller-manager.key')).mode & 0o777).to.equal(0o600);
  });

  it('serves profiles, unless told not to', async () => {
    await start('--contention-profiling');
    expect((await ask('/debug/pprof/cmdline')).status).to.equal(200);
    expect((await ask('/debug/pprof/block')).headers['content-type']).to.equal('application/octet-stream');
    expect((await ask('/debug/pprof/profile?seconds=0.05')).headers['content-type']).to.equal('application/octet-stream');
    expect((await ask({ path: '/debug/pprof/cmdline' })).status).to.equal(403);
    expect((await ask({ path: '/debug/flags/v', method: 'PUT', body: '4', identity: admin })).text).to.equal(
      'successfully set klog.logging.verbosity to 4',
    );
    await serving?.close();
    await start('--profiling=false');
    expect((await ask('/debug/pprof/cmdline')).status).to.equal(404);
  });

  it('tells of itself, as gates say', async () => {
    await start(
      '--leader-elect-lease-duration=1m30s',
      '--emulated-version=1.35',
      '--feature-gates=ComponentFlagz=true,ComponentStatusz=true',
    );
    const lines = (await ask('/flagz')).text.split('\n');
    expect(lines).to.include('kube-controller-manager flagz').and.include('leader-elect-lease-duration=1m30s');
    const names = Object.keys(controllerManagerFlags).filter((name) => name !== 'help');
    expect(names.filter((name) => !lines.some((line) => line.startsWith(`${name}=`)))).to.deep.equal([]);
    expect((await ask('/statusz')).text).to.contain('Emulation version: 1.35');
    expect((await ask('/metrics/slis')).text).to.contain('kubernetes_healthcheck{name="x",type="healthz"} 1');
    expect(JSON.parse((await ask('/configz')).text)).to.have.key('kubecontrollermanager.config.k8s.io');
    expect((await ask('/metrics')).text).to.contain('kubernetes_feature_enabled{name="ComponentFlagz",stage="ALPHA"} 1');
    await serving?.close();
    await start('--feature-gates=ComponentFlagz=false,ComponentStatusz=false');
    expect((await ask('/flagz')).status).to.equal(404);
    expect((await ask('/statusz')).status).to.equal(404);
  });

  it('counts what it is told to', async () => {
    const manifest = path.join(temporaryDirectory('labels'), 'labels.yaml');
    fs.writeFileSync(manifest, '"workqueue_depth,name": "q"\n');
    await start(
      '--disabled-metrics=workqueue_retries_total',
      '--allow-metric-labels=workqueue_adds_total,name=q',
      `--allow-metric-labels-manifest=${manifest}`,
    );
    const { text } = await ask('/metrics');
    expect(text).to.contain('workqueue_adds_total{name="q"} 1').and.to.contain('workqueue_adds_total{name="unexpected"} 1');
    expect(text).to.not.contain('workqueue_retries_total');
    expect(text).to.contain('disabled_metrics_total 1');
    expect(text).to.match(/^cardinality_enforcement_unexpected_categorizations_total [1-9]/m);
  });

  it('begins while no API server can be asked which authorities count', async () => {
    const file = path.join(temporaryDirectory('away'), 'kubeconfig');
    const config = {
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    fs.writeFileSync(file, JSON.stringify(config));
    await start(`--authentication-kubeconfig=${file}`);
    expect((await ask({ path: '/healthz' })).status).to.equal(200);
    expect(log.join()).to.contain('it is asked for again');
  });

  it('does not begin where files cannot be used', async () => {
    const failure = await start('--tls-cert-file=/nowhere', '--tls-private-key-file=/nowhere').then(
      () => 'began',
      (error: Error) => error.message,
    );
    expect(failure).to.contain('cannot read the certificate /nowhere');
  });
});

describe('controllers/serving/trust', () => {
  const failing = { get: () => Promise.reject(new Error('no answer')) } as unknown as Api;

  it('asks the cluster for authorities that no option names, and ends where it must not go on without them', async () => {
    const data = { 'client-ca-file': 'x' };
    expect(await publishedTrust({ get: () => Promise.resolve({ data }) } as unknown as Api, false, () => undefined)).to.deep.equal(data);
    const reported: string[] = [];
    expect(await publishedTrust(failing, true, (message) => reported.push(message))).to.deep.equal({});
    expect(reported[0]).to.contain('extension-apiserver-authentication: no answer');
    const away = { get: () => Promise.reject(new ConnectionError('nobody listens', true)) } as unknown as Api;
    expect(await publishedTrust(away, false, () => undefined)).to.equal(null);
    const failure = await publishedTrust(failing, false, () => undefined).catch((error: Error) => error.message);
    expect(failure).to.contain('--authentication-skip-lookup');
  });
});
