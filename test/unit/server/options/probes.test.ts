import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { parseListOptions } from '../../../../server/endpoints/options/listOptions.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { addHealthChecks } from '../../../../server/assembly/healthChecks.js';
import { canSharePorts } from '../../../../program/port/bind.js';
import { createHealthRegistry } from '../../../../program/health.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { ApiServerOptions } from '../../../../server/options/flags.js';
import { loggerOptions } from '../../../../program/log/options.js';
import { startServer, type RunningServer } from '../../../../server/server.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger, type Answer, type Call } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

const read = (...argv: string[]): ApiServerOptions => {
  const result = readApiServerOptions(argv);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.options;
};

/** Options that make a server differ, seen from outside. */
describe('options, on a server that differs', function () {
  const folder = temporaryDirectory('probes');
  let identities: Identities;
  let admin: Identity;
  let pair: Identity;
  let server: RunningServer;
  const common = (data: string): string[] => [
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--authorization-mode=RBAC',
    `--raft-data-dir=${path.join(folder, data)}`,
    `--client-ca-file=${identities.caFile}`,
    `--tls-cert-file=${pair.certFile}`,
    `--tls-private-key-file=${pair.keyFile}`,
  ];
  const ask = (call: Call): Promise<Answer> => call1(Number(new URL(server.url).port), call);
  const post = (at: string, body: object): Promise<Answer> =>
    ask({ identity: admin, method: 'POST', path: at, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } as Call);

  before(async () => {
    identities = await createIdentities();
    pair = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const admission = path.join(folder, 'admission.yaml');
    fs.writeFileSync(
      admission,
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
    server = await startServer(
      read(
        ...common('data'),
        `--admission-control-config-file=${admission}`,
        '--anonymous-auth=false',
        '--api-audiences=here,there',
        '--service-account-issuer=https://issuer.example',
        `--service-account-signing-key-file=${pair.keyFile}`,
        `--service-account-key-file=${pair.keyFile}`,
        '--endpoint-reconciler-type=none',
        '--max-requests-inflight=20',
        '--max-mutating-requests-inflight=10',
        '--etcd-prefix=/elsewhere',
        '--storage-media-type=application/json',
        '--delete-collection-workers=2',
      ),
      recordingLogger([]),
    );
    await server.ready;
  });
  after(() => server?.stop());

  it('--anonymous-auth=false turns strangers away', async () => {
    expect((await ask({ path: '/version' })).status).to.equal(401);
    expect((await ask({ path: '/version', identity: admin })).status).to.equal(200);
  });

  it('--api-audiences are who tokens are for', async () => {
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'one' } });
    const { body } = await post('/api/v1/namespaces/default/serviceaccounts/one/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const { token } = body['status'] as { token: string };
    const { aud } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { aud: unknown };
    expect(aud).to.deep.equal(['here', 'there']);
    const reported = await ask({ path: '/api', headers: { authorization: `Bearer ${token}` } });
    expect(reported.status).to.equal(200);
  });

  it('tokens are those of the account that the request means', async () => {
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'meant' } });
    const request = async (uid: string): Promise<Awaited<ReturnType<typeof post>>> =>
      post('/api/v1/namespaces/default/serviceaccounts/meant/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { uid },
        spec: {},
      });
    const other = await request('another');
    expect([other.status, other.body['reason']]).to.deep.equal([409, 'Conflict']);
    expect(other.body['message']).to.match(/TokenRequest\.authentication\.k8s\.io "meant": the UID in the token request \(another\)/);
    const account = await ask({ path: '/api/v1/namespaces/default/serviceaccounts/meant', identity: admin });
    const { uid } = account.body['metadata'] as { uid: string };
    for (const said of [uid, '']) {
      const { status, body } = await request(said);
      expect([status, (body['metadata'] as { uid: string }).uid]).to.deep.equal([201, uid]);
    }
  });

  it('--admission-control-config-file configures plugins', async () => {
    const pod = { metadata: { name: 'p' }, spec: { serviceAccountName: 'one', containers: [{ name: 'c', image: 'x' }] } };
    const { headers, status } = await post('/api/v1/namespaces/default/pods', pod);
    expect(status).to.equal(201);
    expect(headers['warning']).to.contain('would violate PodSecurity');
  });

  it('--endpoint-reconciler-type=none leaves the addresses of the API alone', async () => {
    const { status, body } = await ask({ path: '/api/v1/namespaces/default/endpoints/kubernetes', identity: admin });
    expect(status === 404 || (body['subsets'] ?? null) === null).to.equal(true);
  });

  it('--max-requests-inflight and --max-mutating-requests-inflight are the seats that levels share', async () => {
    const { text } = await ask({ path: '/metrics', identity: admin });
    const seats = [...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{[^}]*\} (\d+)$/gm)].map(([, value]) => Number(value));
    expect(seats.reduce((sum, value) => sum + value, 0)).to.be.within(30, 30 + seats.length);
  });

  it('--delete-collection-workers deletes all, however few work at once', async () => {
    const at = '/api/v1/namespaces/default/configmaps';
    for (const name of ['a', 'b', 'c', 'd', 'e']) await post(at, { metadata: { name, labels: { go: 'yes' } } });
    await ask({ identity: admin, method: 'DELETE', path: `${at}?labelSelector=go%3Dyes` } as Call);
    expect((await ask({ identity: admin, path: `${at}?labelSelector=go%3Dyes` })).body['items']).to.deep.equal([]);
  });

  it('--etcd-prefix and --storage-media-type say how objects lie in the store', async () => {
    const at = '/api/v1/namespaces/default/configmaps';
    await post(at, { metadata: { name: 'seen' }, data: { key: 'a text to look for' } });
    await server.stop();
    const bytes = fs
      .readdirSync(path.join(folder, 'data'), { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, 'data', name))
      .filter((file) => fs.statSync(file).isFile())
      .map((file) => fs.readFileSync(file, 'latin1'))
      .join('');
    expect(bytes.includes('/elsewhere/core/configmaps/default/seen'), 'keys').to.equal(true);
    expect(bytes.includes('/registry/core/configmaps'), 'keys of the usual prefix').to.equal(false);
    expect(bytes.includes('"key":"a text to look for"'), 'values').to.equal(true);
  });

  it('--permit-port-sharing shares the port, or says which Node can', async () => {
    const options = read(...common('shared'), '--permit-port-sharing');
    const outcome = await startServer(options, recordingLogger([])).then(
      async (running) => {
        await running.stop();
        return 'shares';
      },
      (error: Error) => error.message,
    );
    if (canSharePorts()) expect(outcome).to.equal('shares');
    else expect(outcome).to.equal(`--permit-port-sharing needs Node 22.12 or later; this is Node ${process.versions.node}`);
  });
});

describe('options whose effect is looked at where it is', () => {
  it('--etcd-healthcheck-timeout, --etcd-readycheck-timeout and --livez-grace-period are what health checks go by', async () => {
    const asked: number[] = [];
    const health = createHealthRegistry();
    const options = read('--etcd-healthcheck-timeout=3s', '--etcd-readycheck-timeout=4s', '--livez-grace-period=1h');
    const progress = { synced: true, storageAwaited: true, bootstrapped: false, stopping: false };
    const replica = {
      barrier: (timeoutMs: number) => {
        asked.push(timeoutMs);
        return Promise.resolve({ outcome: 'reached' });
      },
    };
    addHealthChecks(health, {
      progress,
      replica: replica as never,
      keyServices: { current: () => [], mayChange: false },
      graceMs: options['livez-grace-period'],
      awaitsStorage: true,
      healthTimeoutMs: options['etcd-healthcheck-timeout'],
      readyTimeoutMs: options['etcd-readycheck-timeout'],
    });
    const passes = async (endpoint: 'livez' | 'readyz'): Promise<unknown> =>
      (await health.report(endpoint, { verbose: false, exclude: [] })).code === 200;
    expect(await passes('livez'), 'within the time of grace').to.equal(true);
    expect(await passes('readyz')).to.equal(false);
    expect([...new Set(asked)].sort()).to.deep.equal([3_000, 4_000]);
  });

  it('--etcd-servers-overrides: each store beside the main one has checks of its own', async () => {
    const health = createHealthRegistry();
    const answering = (outcome: string): never => ({ barrier: () => Promise.resolve({ outcome, reason: 'away' }) }) as never;
    const [up, down] = [answering('reached'), answering('unavailable')];
    addHealthChecks(health, {
      progress: { synced: true, storageAwaited: true, bootstrapped: true, stopping: false },
      replica: up,
      elsewhere: [up, down],
      keyServices: { current: () => [], mayChange: false },
      graceMs: 0,
      awaitsStorage: false,
      healthTimeoutMs: 1_000,
      readyTimeoutMs: 1_000,
    });
    const report = (endpoint: 'livez' | 'readyz', ...exclude: string[]): ReturnType<typeof health.report> =>
      health.report(endpoint, { verbose: true, exclude });
    expect((await report('livez')).code).to.equal(500);
    expect((await report('livez', 'etcd-override-1')).code).to.equal(200);
    expect((await report('readyz', 'etcd-override-1')).code).to.equal(500);
    expect((await report('readyz', 'etcd-override-1', 'etcd-override-readiness-1')).code).to.equal(200);
    const { code, text } = await report('readyz', 'etcd', 'etcd-readiness', 'no');
    expect(code).to.equal(200);
    expect(text)
      .to.include('[+]etcd excluded: ok\n')
      .and.to.include('[+]etcd-override-1 excluded with etcd: ok\n')
      .and.to.include('[+]etcd-override-readiness-1 excluded with etcd-readiness: ok\n')
      .and.to.include('no matches for "no"\n');
  });

  it('--watch-cache=false: a limit counts whatever version is asked for', () => {
    const resource = createCatalogue().resource('', 'v1', 'pods')!;
    const limitOf = (cached: boolean): number | null =>
      parseListOptions(new URLSearchParams('limit=6&resourceVersion=0'), resource, { cached, namespace: null }).limit;
    expect([limitOf(true), limitOf(false)]).to.deep.equal([null, 6]);
  });

  it('WatchCacheInitializationPostStartHook: loading the store is a check of its own', async () => {
    const loading = { synced: true, storageAwaited: false, bootstrapped: true, stopping: false };
    for (const awaitsStorage of [true, false]) {
      const health = createHealthRegistry();
      addHealthChecks(health, {
        progress: loading,
        replica: { barrier: () => Promise.resolve({ outcome: 'reached' }) } as never,
        keyServices: { current: () => [], mayChange: false },
        graceMs: 0,
        awaitsStorage,
        healthTimeoutMs: 1_000,
        readyTimeoutMs: 1_000,
      });
      const { code } = await health.report('readyz', { verbose: false, exclude: [] });
      expect(code).to.equal(awaitsStorage ? 500 : 200);
    }
  });

  it('--log-text-info-buffer-size holds lines back', () => {
    const others: string[] = [];
    const { output } = loggerOptions(
      read('--feature-gates=LoggingAlphaOptions=true', '--log-text-split-stream', '--log-text-info-buffer-size=1Ki'),
      { errors: { write: () => true }, others: { write: (text) => others.push(text) } },
    );
    output?.write('info', 'a line\n');
    expect(others).to.deep.equal([]);
    output?.write('info', 'x'.repeat(1_100));
    expect(others.join('')).to.contain('a line\n');
  });

  it('--etcd-certfile and --etcd-keyfile go together, and files that an etcd is to be met with are read', async () => {
    const alone = readApiServerOptions(['--etcd-certfile=x']);
    expect(alone.ok ? '' : alone.errors.join()).to.contain('--etcd-certfile and --etcd-keyfile');
    const options = read(
      '--etcd-servers=https://127.0.0.1:1',
      '--etcd-cafile=/nowhere/ca',
      '--etcd-certfile=/nowhere/crt',
      '--etcd-keyfile=/nowhere/key',
    );
    const failure = await startServer({ ...options, 'cert-dir': temporaryDirectory('etcd') }, recordingLogger([])).then(
      async (running) => {
        await running.stop();
        return 'started';
      },
      (error: Error) => error.message,
    );
    expect(failure).to.contain('/nowhere/');
  });
});
