import { expect } from 'chai';
import { Registry } from 'prom-client';
import { tokenWebhook, type TokenWebhookOptions } from '../../../../server/authentication/tokens/webhook.js';
import type { TokenAuthenticator } from '../../../../server/authentication/tokens/token.js';
import { createTokenCacheMetrics } from '../../../../server/authentication/accessMetrics.js';
import { webhookClient, type WebhookClient } from '../../../../server/webhook/client.js';
import { reviewRetrying } from '../../../../server/webhook/retry.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { startReviewService, type ReviewService } from '../../../fixtures/reviewService.js';
import { createIdentities } from '../../../fixtures/identities.js';

describe('tokens checked by a service', () => {
  let service: ReviewService;
  let client: WebhookClient;
  let now = 0;
  before(async () => {
    service = await startReviewService(await createIdentities());
    client = webhookClient(service.kubeconfig, '--test');
  });
  after(() => {
    client.close();
    service.close();
  });
  beforeEach(() => {
    service.questions.length = 0;
    now = 0;
  });
  const checker = (changes: Partial<TokenWebhookOptions> = {}): TokenAuthenticator =>
    tokenWebhook({ client, version: 'v1', cacheTtlMs: 100, audiences: ['api'], retrying: reviewRetrying(1), now: () => now, ...changes });
  const ann = { username: 'ann', uid: '7', groups: ['devs'], extra: { 'example.org/a': ['b'] } };

  it('stand for whom the service says', async () => {
    service.replies = [{ authenticated: true, user: ann, audiences: ['api', 'x'] }];
    expect(await checker()('t0ken', ['api'])).to.deep.equal({
      outcome: 'user',
      user: { name: 'ann', uid: '7', groups: ['devs'], extra: { 'example.org/a': ['b'] } },
      audiences: ['api'],
    });
    expect(service.questions[0]).to.deep.include({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token: 't0ken', audiences: ['api'] },
    });
    await checker({ version: 'v1beta1' })('t0ken', ['api']);
    expect(service.questions[1]).to.have.property('apiVersion', 'authentication.k8s.io/v1beta1');
  });
  it('are for this API where the service says nothing of audiences, and for nobody else', async () => {
    service.replies = [{ authenticated: true, user: ann }];
    expect(await checker()('t', ['api'])).to.have.property('outcome', 'user');
    expect(await checker()('t', ['elsewhere'])).to.have.property('outcome', 'absent');
    service.replies = [{ authenticated: true, user: ann, audiences: ['elsewhere'] }];
    expect(await checker()('t', ['api'])).to.have.property('outcome', 'absent');
  });
  it('are left to others when it does not know them, and refused when it says what is wrong', async () => {
    service.replies = [{ authenticated: false }];
    expect(await checker()('t', ['api'])).to.deep.equal({ outcome: 'absent' });
    service.replies = [{ authenticated: false, error: 'revoked' }];
    expect(await checker()('t', ['api'])).to.deep.equal({ outcome: 'invalid', reason: 'revoked' });
    // Audiences come first (token/webhook/webhook.go).
    expect(await checker()('t', ['elsewhere'])).to.deep.equal({ outcome: 'absent' });
  });
  it('are remembered for a time, good or unknown, and asked about once at a time; failures are not remembered', async () => {
    const check = checker();
    service.replies = [{ authenticated: false }];
    await Promise.all([check('t', ['api']), check('t', ['api'])]);
    await check('t', ['api']);
    await check('other', ['api']);
    expect(service.questions.length).to.equal(2);
    now = 100;
    service.replies = [403, { authenticated: true, user: ann }];
    expect(await check('t', ['api'])).to.have.property('outcome', 'invalid');
    expect(await check('t', ['api'])).to.have.property('outcome', 'user');
    now = 199;
    await check('t', ['api']);
    expect(service.questions.length).to.equal(4);
    const without = checker({ cacheTtlMs: 0 });
    await without('t', ['api']);
    await without('t', ['api']);
    expect(service.questions.length).to.equal(6);
  });
  it('are counted by whether an answer was remembered, and what became of the questions', async () => {
    const registry = new Registry();
    const check = checker({ counts: createTokenCacheMetrics(registry) });
    const active = (): Promise<unknown> => shownSeries(registry, 'authentication_token_cache_active_fetch_count');
    service.replies = [{ authenticated: false }];
    const both = Promise.all([check('t', ['api']), check('t', ['api'])]);
    expect(await active()).to.deep.equal({ 'status="in_flight"': 1, 'status="blocked"': 1 });
    await both;
    await check('t', ['api']);
    service.replies = [403];
    await check('other', ['api']);
    expect(await active()).to.deep.equal({ 'status="in_flight"': 0, 'status="blocked"': 0 });
    for (const what of ['request_total', 'request_duration_seconds'])
      expect(await shownSeries(registry, `authentication_token_cache_${what}`), what).to.deep.equal({
        'status="hit"': 1,
        'status="miss"': 3,
      });
    expect(await shownSeries(registry, 'authentication_token_cache_fetch_total')).to.deep.equal({ 'status="ok"': 1, 'status="error"': 1 });
  });
  it('are asked about again after a passing trouble, and never named in reasons', async () => {
    service.replies = [500, 'reset', { authenticated: true, user: ann }];
    expect(await checker()('t', ['api'])).to.have.property('outcome', 'user');
    service.replies = [400];
    expect(await checker()('s3cret-token', ['api']))
      .to.have.property('reason')
      .match(/failed/)
      .and.not.include('s3cret');
  });
});
