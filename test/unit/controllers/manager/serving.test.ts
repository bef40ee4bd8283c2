import { X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate } from '../../../../deploy/certificates.js';
import { controllerManagerFlags } from '../../../../controllers/options/flags.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { proxiedUser, type ProxyTrust } from '../../../../controllers/serving/frontProxy.js';
import { configz, flagz, statusz } from '../../../../controllers/serving/pages.js';
import { Slis } from '../../../../controllers/serving/slis.js';
import { expect } from 'chai';
import https from 'node:https';
import type { Api } from '../../../../controllers/client/api.js';
import { delegatedAccess } from '../../../../controllers/serving/access.js';
import { Checks } from '../../../../controllers/serving/checks.js';
import { Metrics } from '../../../../controllers/serving/metrics.js';
import { servingPair } from '../../../../controllers/serving/selfSigned.js';
import { serve, type Serving } from '../../../../controllers/serving/server.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

describe('controllers/serving/checks', () => {
  const query = (text = ''): URLSearchParams => new URLSearchParams(text);

  it('are ok together, each alone, and in words when asked', () => {
    const checks = new Checks();
    let fault: string | null = null;
    checks.add('leaderElection', () => fault);
    const remove = checks.add('job-controller', () => null);
    expect(checks.all('healthz', query())).to.include({ status: 200, body: 'ok' });
    expect(checks.all('healthz', query('verbose')).body).to.equal('[+]leaderElection ok\n[+]job-controller ok\nhealthz check passed\n');
    expect(checks.one('job-controller')).to.include({ status: 200, body: 'ok' });
    fault = 'failed election to renew leadership on lease kube-system/x';
    expect(checks.all('healthz', query())).to.include({
      status: 500,
      body: '[-]leaderElection failed: reason withheld\n[+]job-controller ok\nhealthz check failed\n',
    });
    expect(checks.all('healthz', query('exclude=leaderElection'))).to.include({ status: 200, body: 'ok' });
    expect(checks.one('leaderElection')).to.include({ status: 500, body: `internal server error: ${fault}\n` });
    remove();
    expect(checks.one('job-controller').status).to.equal(404);
  });
});

describe('controllers/serving/access', () => {
  /** A server that knows one token, allows one path, and counts questions. */
  const world = () => {
    const asked: string[] = [];
    const api = {
      create: (
        type: { resource: string },
        { spec }: { spec: { token?: string; user?: string; nonResourceAttributes?: { path: string } } },
      ) => {
        asked.push(type.resource);
        if (type.resource === 'tokenreviews')
          return Promise.resolve({
            status: spec.token === 'good' ? { authenticated: true, user: { username: 'ann', groups: ['g'] } } : { authenticated: false },
          });
        return Promise.resolve({ status: { allowed: spec.user === 'ann' && spec.nonResourceAttributes?.path === '/metrics' } });
      },
    } as unknown as Api;
    const clock = new FakeClock();
    const may = delegatedAccess({ authentication: api, authorization: api, clock, tokenMs: 10_000, allowedMs: 10_000, refusedMs: 1_000 });
    return {
      asked,
      clock,
      may,
      bare: delegatedAccess({ authentication: null, authorization: null, clock, tokenMs: 0, allowedMs: 0, refusedMs: 0 }),
    };
  };
  const caller = (token: string | null, user: string | null = null, groups: string[] = []) => ({ user, groups, token });

  it('asks the API server who a token belongs to, and what that user may read', async () => {
    const { may } = world();
    expect(await may(caller('good'), '/metrics')).to.equal(true);
    expect(await may(caller('good'), '/other')).to.equal(false);
    expect(await may(caller('bad'), '/metrics')).to.equal('unknown');
    expect(await may(caller(null), '/metrics')).to.equal(false);
    expect(await may(caller(null, 'ann'), '/metrics')).to.equal(true);
    expect(await may(caller(null, 'root', ['system:masters']), '/other')).to.equal(true);
  });

  it('remembers answers for as long as it is told', async () => {
    const { asked, clock, may } = world();
    await may(caller('good'), '/metrics');
    await may(caller('good'), '/metrics');
    expect(asked).to.deep.equal(['tokenreviews', 'subjectaccessreviews']);
    await may(caller('good'), '/other');
    await clock.advance(1_001);
    await may(caller('good'), '/other');
    expect(asked).to.have.length(4);
    await clock.advance(9_000);
    await may(caller('good'), '/metrics');
    expect(asked.slice(4)).to.deep.equal(['tokenreviews', 'subjectaccessreviews']);
  });

  it('forbids what is not open where nobody can be asked', async () => {
    expect(await world().bare(caller('good'), '/metrics')).to.equal(false);
  });
});

describe('controllers/serving/server', () => {
  let serving: Serving | null = null;
  afterEach(() => serving?.close());
  const get = (path: string): Promise<{ status: number | undefined; body: string }> =>
    new Promise((resolve, reject) => {
      https
        .get({ host: '127.0.0.1', port: serving?.port, path, rejectUnauthorized: false, agent: false }, (response) => {
          let body = '';
          response
            .setEncoding('utf8')
            .on('data', (chunk: string) => {
              body += chunk;
            })
            .on('end', () => resolve({ status: response.statusCode, body }));
        })
        .on('error', reject);
    });

  it('serves health to everybody and the rest to whom the server allows it, with a pair that it keeps', async () => {
    const directory = temporaryDirectory('serving');
    const pair = await servingPair({ cert: null, key: null }, directory);
    expect(await servingPair({ cert: null, key: null }, directory)).to.deep.equal(pair);
    const metrics = new Metrics(['workqueue_retries_total']);
    metrics.queue('q').added?.();
    const checks = new Checks();
    checks.add('x', () => null);
    let allowed: boolean | 'unknown' = false;
    serving = await serve({
      host: '127.0.0.1',
      port: 0,
      pair,
      openPaths: ['/healthz', '/open/*'],
      mayRead: () => Promise.resolve(allowed),
      ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256',
      routes: {
        '/healthz': (query, path) => checks.all(path.slice(1), query),
        '/healthz/': (_, path) => checks.one(path.split('/')[2] ?? ''),
        '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
      },
    });
    expect(await get('/healthz?verbose')).to.deep.equal({ status: 200, body: '[+]x ok\nhealthz check passed\n' });
    expect((await get('/healthz/x')).status).to.equal(403);
    expect((await get('/metrics')).status).to.equal(403);
    expect((await get('/open/none')).status).to.equal(404);
    allowed = 'unknown';
    expect((await get('/metrics')).status).to.equal(401);
    allowed = true;
    expect(await get('/healthz/x')).to.deep.equal({ status: 200, body: 'ok' });
    const { body } = await get('/metrics');
    expect(body).to.contain('workqueue_adds_total{name="q"} 1').and.not.to.contain('workqueue_retries_total');
  });
});

describe('controllers/serving/pages', () => {
  const read = readControllerManagerOptions(['--leader-elect-lease-duration=1m30s', '--controllers=*,-job', '--concurrent-job-syncs=7']);
  const options = read.ok ? read.options : expect.fail(read.errors.join());

  it('show every option with its value', () => {
    const lines = flagz(options).body.split('\n');
    expect(lines).to.include('leader-elect-lease-duration=1m30s').and.include('controllers=[*,-job]');
    for (const name of Object.keys(controllerManagerFlags))
      expect(
        lines.some((line) => line.startsWith(`${name}=`)),
        name,
      ).to.equal(true);
  });

  it('show the configuration in the form of the reference', () => {
    const { 'kubecontrollermanager.config.k8s.io': config } = JSON.parse(configz(options).body) as Record<
      string,
      Record<string, Record<string, unknown>>
    >;
    expect(config?.['Generic']).to.deep.include({ Controllers: ['*', '-job'], Port: 10_257 });
    expect(config?.['Generic']?.['LeaderElection']).to.deep.include({ LeaseDuration: '1m30s', ResourceName: 'kube-controller-manager' });
    expect(config?.['JobController']).to.deep.equal({ ConcurrentJobSyncs: 7 });
    expect(Object.keys(config ?? {})).to.have.length(29);
  });

  it('tell since when it runs', () => {
    const { body } = statusz(0, 3_725_000, ['/b', '/a']);
    expect(body).to.contain('Up: 1 hr 02 min 05 sec').and.to.contain('Paths: /a /b');
  });
});

describe('controllers/serving/slis', () => {
  it('count how often each check was well', async () => {
    const checks = new Checks();
    let fault: string | null = null;
    checks.add('x', () => fault);
    const slis = new Slis(checks);
    await slis.text();
    fault = 'broken';
    const text = await slis.text();
    expect(text).to.contain('kubernetes_healthcheck{name="x",type="healthz"} 0');
    expect(text).to.contain('kubernetes_healthchecks_total{name="x",type="healthz",status="success"} 1');
    expect(text).to.contain('kubernetes_healthchecks_total{name="x",type="healthz",status="error"} 1');
  });
});

describe('controllers/serving/frontProxy', () => {
  it('believes proxies of its authority alone, and only those it knows', async () => {
    const [authority, other] = await Promise.all([createAuthority('proxies'), createAuthority('proxies')]);
    const request = { commonName: 'proxy', usages: ['clientAuth'] as const };
    const [good, bad] = await Promise.all([authority, other].map((each) => issueCertificate(each, request)));
    const trust = {
      authorities: authority.certificate,
      names: ['proxy'],
      userHeaders: ['X-Remote-User'],
      groupHeaders: ['X-Remote-Group'],
    };
    const headers = { 'x-remote-user': 'ann', 'x-remote-group': 'a, b' };
    const of = (pem: string | undefined, more: Partial<ProxyTrust> = {}, with_: Record<string, string> = headers): unknown =>
      proxiedUser({ ...trust, ...more }, new X509Certificate(pem ?? ''), with_);
    expect(of(good?.certificate)).to.deep.equal({ user: 'ann', groups: ['a', 'b'] });
    expect(of(bad?.certificate)).to.equal(null);
    expect(of(good?.certificate, { names: ['other'] })).to.equal(null);
    expect(of(good?.certificate, { names: [] })).to.deep.include({ user: 'ann' });
    expect(of(good?.certificate, {}, {})).to.equal(null);
  });
});
