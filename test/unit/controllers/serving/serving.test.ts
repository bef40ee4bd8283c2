import { expect } from 'chai';
import type { Api } from '../../../../controllers/client/api.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { delegatedAccess, delegatedTokens } from '../../../../controllers/serving/access.js';
import { Checks } from '../../../../controllers/serving/checks.js';
import { configz } from '../../../../controllers/serving/pages.js';
import { Slis } from '../../../../controllers/serving/slis.js';
import type { Request } from '../../../../program/port/message.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';

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
  /** A server that accepts one token and one path, and counts requests. */
  const world = () => {
    const asked: string[] = [];
    const specs: unknown[] = [];
    const api = {
      create: (
        type: { resource: string },
        { spec }: { spec: { token?: string; user?: string; nonResourceAttributes?: { path: string; verb: string } } },
      ) => {
        asked.push(type.resource);
        specs.push(spec);
        if (type.resource === 'tokenreviews')
          return Promise.resolve({
            status:
              spec.token === 'good'
                ? { authenticated: true, user: { username: 'ann', uid: '7', groups: ['g'], extra: { from: ['here'] } } }
                : { authenticated: false },
          });
        const { path = '', verb = '' } = spec.nonResourceAttributes ?? {};
        return Promise.resolve({ status: { allowed: spec.user === 'ann' && path === '/metrics' && verb === 'get' } });
      },
    } as unknown as Api;
    const clock = new FakeClock();
    const known = delegatedTokens(api, clock, 10_000);
    return {
      asked,
      specs,
      clock,
      who: (token: string | null) => known({ headers: token === null ? {} : { authorization: `Bearer ${token}` } } as Request),
      may: delegatedAccess({ api, clock, allowedMs: 10_000, refusedMs: 1_000 }),
    };
  };
  const ann = { name: 'ann', uid: '7', groups: ['g', 'system:authenticated'], extra: { from: ['here'] } };

  it('asks the API server who a token belongs to, and what that user may do', async () => {
    const { who, may, specs } = world();
    expect(await who('good')).to.deep.equal({ outcome: 'user', user: ann });
    expect(await who('bad')).to.include({ outcome: 'invalid' });
    expect(await who(null)).to.deep.equal({ outcome: 'absent' });
    expect(await may(ann, 'get', '/metrics')).to.equal(true);
    expect(specs.at(-1)).to.deep.equal({
      user: 'ann',
      uid: '7',
      groups: ann.groups,
      extra: { from: ['here'] },
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
    expect(await may(ann, 'put', '/metrics')).to.equal(false);
    expect(await may(ann, 'get', '/other')).to.equal(false);
    expect(await may({ ...ann, name: 'root', groups: ['system:masters'] }, 'get', '/other')).to.equal(true);
  });

  it('remembers answers for as long as it is configured to', async () => {
    const { asked, clock, who, may } = world();
    await who('good');
    await who('good');
    await may(ann, 'get', '/metrics');
    await may(ann, 'get', '/metrics');
    expect(asked).to.deep.equal(['tokenreviews', 'subjectaccessreviews']);
    await may(ann, 'get', '/other');
    await clock.advance(1_001);
    await may(ann, 'get', '/other');
    expect(asked).to.have.length(4);
    await clock.advance(9_000);
    await who('good');
    await may(ann, 'get', '/metrics');
    expect(asked.slice(4)).to.deep.equal(['tokenreviews', 'subjectaccessreviews']);
  });

  it('forbids what is not open where nobody can be asked', async () => {
    const may = delegatedAccess({ api: null, clock: new FakeClock(), allowedMs: 0, refusedMs: 0 });
    expect(await may(ann, 'get', '/metrics')).to.equal(false);
  });
});

describe('controllers/serving/pages', () => {
  const read = readControllerManagerOptions(['--leader-elect-lease-duration=1m30s', '--controllers=*,-job', '--concurrent-job-syncs=7']);
  const options = read.ok ? read.options : expect.fail(read.errors.join());

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

  it('show what files and further ranges say, and that of a cloud where there is one', () => {
    const dual = readControllerManagerOptions(['--service-cluster-ip-range=10.0.0.0/16,fd00::/112']);
    const migration = { leaseName: 'moving', resourceLock: 'endpoints', components: new Map([['route', '*']]) } as const;
    const reported = JSON.parse(configz(dual.ok ? dual.options : options, { migration, hasCloud: true }).body) as Record<
      string,
      Record<string, Record<string, unknown>>
    >;
    const { 'kubecontrollermanager.config.k8s.io': config, 'cloudcontrollermanager.config.k8s.io': cloud } = reported;
    expect(config?.['Generic']?.['LeaderMigration']).to.deep.equal({
      LeaderName: 'moving',
      ResourceLock: 'endpoints',
      ControllerLeaders: [{ Name: 'route', Component: '*' }],
    });
    expect(config?.['NodeIPAMController']).to.deep.include({ ServiceCIDR: '10.0.0.0/16', SecondaryServiceCIDR: 'fd00::/112' });
    expect(cloud).to.have.all.keys(
      'Generic',
      'KubeCloudShared',
      'NodeController',
      'ServiceController',
      'NodeStatusUpdateFrequency',
      'Webhook',
    );
  });
});

describe('controllers/serving/slis', () => {
  it('count how often each check was well', async () => {
    const checks = new Checks();
    let fault: string | null = null;
    checks.add('x', () => fault);
    const slis = new Slis(checks);
    await slis.metrics();
    fault = 'broken';
    const text = await slis.metrics();
    expect(text).to.contain('kubernetes_healthcheck{name="x",type="healthz"} 0');
    expect(text).to.contain('kubernetes_healthchecks_total{name="x",type="healthz",status="success"} 1');
    expect(text).to.contain('kubernetes_healthchecks_total{name="x",type="healthz",status="error"} 1');
  });
});
