import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createImpersonationMetrics } from '../../../../server/authorization/impersonationMetrics.js';
import { createDecisionCounts, createGraphMetrics } from '../../../../server/authorization/metrics.js';
import { createReviewMetrics } from '../../../../server/authorization/reviewMetrics.js';
import { joinRules, noRules } from '../../../../server/authorization/rules.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';

describe('authorization/metrics', () => {
  const registry = new Registry();
  const shown = (name: string): Promise<Readonly<Record<string, number>>> => shownSeries(registry, name);

  it('count changes of the graph', async () => {
    const observe = createGraphMetrics(registry)('AddPod');
    observe(0.001);
    observe(0.002);
    expect(await shown('node_authorizer_graph_actions_duration_seconds')).to.deep.equal({ 'operation="AddPod"': 2 });
  });
  it('count decisions by authorizer, and show what there was', async () => {
    const countOf = createDecisionCounts(registry);
    countOf('RBAC', 'rbac').allowed += 2;
    countOf('Webhook', 'w').denied += 1;
    countOf('RBAC', 'rbac').allowed += 1;
    const expected = {
      'type="RBAC",name="rbac",decision="allowed"': 3,
      'type="Webhook",name="w",decision="denied"': 1,
    };
    expect(await shown('apiserver_authorization_decisions_total')).to.deep.equal(expected);
    expect(await shown('apiserver_authorization_decisions_total')).to.deep.equal(expected);
  });
  it('count questions to services', async () => {
    createReviewMetrics(registry)('w', 'success', 0.1);
    const expected = { 'name="w",result="success"': 1 };
    expect(await shown('apiserver_authorization_webhook_evaluations_total')).to.deep.equal(expected);
    expect(await shown('apiserver_authorization_webhook_duration_seconds')).to.deep.equal(expected);
  });
  it('count those who act as others', async () => {
    const { asked, attempted } = createImpersonationMetrics(registry);
    asked('legacy', 'denied', 0.1);
    attempted('user-info', 'allowed', 0.1);
    for (const [name, series] of [
      ['attempts', 'mode="user-info",decision="allowed"'],
      ['authorization_attempts', 'mode="legacy",decision="denied"'],
    ] as const)
      for (const kind of ['total', 'duration_seconds'])
        expect(await shown(`apiserver_impersonation_${name}_${kind}`)).to.deep.equal({ [series]: 1 });
  });
});

describe('authorization/rules', () => {
  const user = { name: 'ann', uid: '', groups: [], extra: {} };
  it('of several authorizers are complete if all are', () => {
    const resolver = (problem: string, incomplete: boolean) => () => ({ ...noRules, incomplete, problems: [problem] });
    expect(joinRules([resolver('a', false), resolver('b', false)])(user, 'ns')).to.deep.include({
      incomplete: false,
      problems: ['a', 'b'],
    });
    for (const [first, second] of [
      [true, false],
      [false, true],
    ] as const)
      expect(joinRules([resolver('a', first), resolver('b', second)])(user, 'ns').incomplete).to.equal(true);
  });
});
