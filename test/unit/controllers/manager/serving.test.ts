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
    expect(await may(caller('bad'), '/metrics')).to.equal(false);
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
    let allowed = false;
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
    allowed = true;
    expect(await get('/healthz/x')).to.deep.equal({ status: 200, body: 'ok' });
    const { body } = await get('/metrics');
    expect(body).to.contain('workqueue_adds_total{name="q"} 1').and.not.to.contain('workqueue_retries_total');
  });
});
