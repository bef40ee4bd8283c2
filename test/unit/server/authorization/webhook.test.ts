import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Attributes, Authorizer } from '../../../../server/authorization/authorizer.js';
import { firstDecision } from '../../../../server/authorization/authorizer.js';
import { createAuthorizerChain, type Mode } from '../../../../server/authorization/chain.js';
import { readAuthorizationConfiguration } from '../../../../server/authorization/configuration.js';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from '../../../../server/authorization/webhook/authorizer.js';
import { compileCondition, matches } from '../../../../server/authorization/webhook/conditions.js';
import type { Program } from '../../../../cel/environment.js';
import { LiveFiles } from '../../../../program/files/liveFile.js';
import { webhookClient, type WebhookClient } from '../../../../server/webhook/client.js';
import { reviewRetrying } from '../../../../server/webhook/retry.js';
import { startReviewService, type ReviewService } from '../../../fixtures/reviewService.js';
import { createIdentities, type Identities } from '../../../fixtures/identities.js';

const user = { name: 'ann', uid: '7', groups: ['devs'], extra: { scope: ['view'] } };
const onPods: Attributes = {
  isResource: true,
  user,
  verb: 'list',
  group: '',
  version: 'v1',
  namespace: 'ns',
  resource: 'pods',
  subresource: '',
  name: '',
  fields: [{ field: 'spec.nodeName', equals: true, value: 'n1' }],
  labelSelector: 'app in (a,b),!old,n>1',
};
const onPath: Attributes = { isResource: false, user: { ...user, uid: '', extra: {} }, verb: 'get', path: '/metrics' };

const conditionsOf = (...expressions: string[]): Program[] =>
  expressions.map((expression) => {
    const compiled = compileCondition(expression);
    if (!compiled.ok) throw new Error(compiled.message);
    return compiled.program;
  });

describe('authorization by a service', () => {
  let identities: Identities;
  let service: ReviewService;
  let client: WebhookClient;
  let now = 0;

  before(async () => {
    identities = await createIdentities();
    service = await startReviewService(identities);
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

  const authorizer = (changes: Partial<WebhookAuthorizerOptions> = {}): Authorizer =>
    webhookAuthorizer({
      name: 'w',
      client,
      version: 'v1',
      authorizedTtlMs: 300,
      unauthorizedTtlMs: 30,
      timeoutMs: 5_000,
      onFailure: 'NoOpinion',
      conditions: [],
      retrying: reviewRetrying(1),
      now: () => now,
      ...changes,
    });

  it('asks with everything that decides, in both versions', async () => {
    service.replies = [{ allowed: true, reason: 'may' }];
    expect(await authorizer()(onPods)).to.deep.equal({ decision: 'allow', reason: 'may' });
    await authorizer({ version: 'v1beta1' })(onPath);
    expect(service.questions[0])
      .to.deep.include({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: { allowed: false } })
      .and.have.property('spec')
      .deep.equal({
        resourceAttributes: {
          namespace: 'ns',
          verb: 'list',
          version: 'v1',
          resource: 'pods',
          fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] },
          labelSelector: {
            requirements: [
              { key: 'app', operator: 'In', values: ['a', 'b'] },
              { key: 'old', operator: 'DoesNotExist' },
            ],
          },
        },
        user: 'ann',
        groups: ['devs'],
        extra: { scope: ['view'] },
        uid: '7',
      });
    expect(service.questions[1]).to.deep.include({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' }, user: 'ann', group: ['devs'] },
    });
  });
  it('asks without what is empty or cannot be read', async () => {
    service.replies = [{ allowed: true }];
    const nobody = { name: 'eve', uid: '', groups: [], extra: {} };
    await authorizer()({ ...onPods, user: nobody, fields: [], labelSelector: 'a in b' });
    await authorizer({ version: 'v1beta1' })({ ...onPath, user: nobody });
    expect(service.questions.map((each) => (each as unknown as { spec: unknown }).spec)).to.deep.equal([
      { resourceAttributes: { namespace: 'ns', verb: 'list', version: 'v1', resource: 'pods' }, user: 'eve' },
      { nonResourceAttributes: { path: '/metrics', verb: 'get' }, user: 'eve' },
    ]);
  });
  it('takes allow, deny and silence for what they are, and both at once for an error', async () => {
    const answer = async (status: Record<string, unknown>): Promise<unknown> => {
      service.replies = [status];
      return authorizer()(onPods);
    };
    expect(await answer({ allowed: false, reason: 'r' })).to.deep.equal({ decision: 'noOpinion', reason: 'r' });
    expect(await answer({ denied: true })).to.deep.equal({ decision: 'deny', reason: '' });
    expect(await answer({ denied: true, allowed: true }))
      .to.deep.include({ decision: 'deny' })
      .and.have.property('error');
    expect(await answer({ allowed: 'true' })).to.have.property('decision', 'noOpinion');
  });
  it('remembers a yes and a no, each for its time, and nothing with endless words', async () => {
    const ask = authorizer();
    service.replies = [{ allowed: true }];
    await ask(onPods);
    now = 299;
    expect(ask(onPods)).to.not.be.instanceOf(Promise);
    now = 300;
    await ask(onPods);
    service.replies = [{ allowed: false }];
    await ask(onPath);
    now = 329;
    await ask(onPath);
    now = 331;
    await ask(onPath);
    expect(service.questions.length).to.equal(4);
    const long = { ...onPath, path: `/${'x'.repeat(10_000)}` };
    await ask(long);
    await ask(long);
    expect(service.questions.length).to.equal(6);
  });
  it('remembers a contradiction as long as a yes, no failure, and words of less than ten thousand characters in all', async () => {
    const ask = authorizer();
    const questions = async (attributes: Attributes): Promise<number> => {
      const before = service.questions.length;
      await ask(attributes);
      return service.questions.length - before;
    };
    service.replies = [{ allowed: true, denied: true }];
    await ask(onPath);
    now = 299;
    expect(await questions(onPath)).to.equal(0);
    service.replies = [403, 403];
    await ask(onPods);
    expect(await questions(onPods)).to.equal(1);
    service.replies = [{ allowed: true }];
    const named = (count: number): Attributes => ({
      ...onPods,
      namespace: 'n',
      resource: 'r'.repeat(count - 'n'.length - 'list'.length - 'v1'.length),
    });
    await ask(named(9_999));
    expect(await questions(named(9_999))).to.equal(0);
    await ask(named(10_000));
    expect(await questions(named(10_000))).to.equal(1);
  });
  it('tells how long answers and failures took, in seconds', async () => {
    const observed: [outcome: string, seconds: number][] = [];
    const ask = authorizer({
      observe: (...about) => {
        observed.push(about);
      },
    });
    const begun = performance.now();
    service.replies = [{ allowed: true }];
    await ask(onPods);
    service.replies = [403];
    await ask(onPath);
    expect(observed.map(([outcome]) => outcome)).to.deep.equal(['success', 'error']);
    for (const [, seconds] of observed) expect(seconds).to.be.within(0, (performance.now() - begun) / 1000);
  });
  it('tries again after a passing trouble, and gives up after five tries', async () => {
    service.replies = ['reset', 500, 429, { allowed: true }];
    expect(await authorizer()(onPods)).to.have.property('decision', 'allow');
    expect(service.questions.length).to.equal(4);
    service.questions.length = 0;
    service.replies = [500];
    expect(await authorizer()(onPods))
      .to.deep.include({ decision: 'noOpinion' })
      .and.have.property('error')
      .match(/authorizer w: .* answered 500/);
    expect(service.questions.length).to.equal(5);
  });
  it('does not try again what will not pass, nor wait for ever', async () => {
    service.replies = [403];
    expect(await authorizer({ onFailure: 'Deny' })(onPods))
      .to.deep.include({ decision: 'deny' })
      .and.have.property('error');
    service.replies = ['silence'];
    const outcomes: string[] = [];
    expect(
      await authorizer({
        timeoutMs: 20,
        observe: (outcome) => {
          outcomes.push(outcome);
        },
      })(onPods),
    )
      .to.have.property('error')
      .match(/no answer within 20 ms/);
    expect(outcomes).to.deep.equal(['timeout']);
    // A busy machine may time out before the request.
    expect(service.questions.length).to.be.within(1, 2);
  });
  it('passes errors on unless somebody else allows', async () => {
    service.replies = [403];
    const chain = (...more: Authorizer[]): Authorizer => firstDecision([authorizer(), ...more]);
    expect(await chain()(onPods))
      .to.deep.include({ decision: 'noOpinion' })
      .and.have.property('error');
    expect(await chain(() => ({ decision: 'allow', reason: '' }))(onPods)).to.have.property('decision', 'allow');
  });

  it('asks only where all conditions hold', async () => {
    service.replies = [{ allowed: true }];
    const ask = authorizer({
      conditions: conditionsOf(
        'has(request.resourceAttributes)',
        'request.resourceAttributes.namespace == "ns" && !("system:nodes" in request.groups)',
      ),
    });
    expect(await ask(onPods)).to.have.property('decision', 'allow');
    expect(await ask({ ...onPods, namespace: 'other' })).to.deep.equal({ decision: 'noOpinion', reason: '' });
    expect(await ask(onPath)).to.deep.equal({ decision: 'noOpinion', reason: '' });
    expect(service.questions.length).to.equal(1);
  });
  it('takes a condition that fails for a failure, unless another one does not hold', () => {
    const broken = 'request.resourceAttributes.verb == "get"';
    expect(matches(conditionsOf(broken), onPath))
      .to.have.property('error')
      .match(/match condition: no such key/);
    expect(matches(conditionsOf(broken, 'request.user == "bob"'), onPath)).to.equal(false);
    expect(
      matches(
        conditionsOf(
          'request.extra["scope"][0] == "view"',
          'request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == "spec.nodeName")',
        ),
        onPods,
      ),
    ).to.equal(true);
    expect(authorizer({ conditions: conditionsOf(broken), onFailure: 'Deny' })(onPath)).to.deep.include({ decision: 'deny' });
  });

  describe('configuration', () => {
    const file = (): string => join(identities.directory, 'authz.yaml');
    const webhook = (changes: object = {}): object => ({
      authorizedTTL: '5m',
      unauthorizedTTL: '30s',
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      failurePolicy: 'Deny',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: service.kubeconfig },
      ...changes,
    });
    const write = (authorizers: object[], rest: object = {}): string => {
      writeFileSync(
        file(),
        JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers, ...rest }),
      );
      return file();
    };
    const asked = (changes: object = {}): object[] => [{ type: 'Webhook', name: 'w', webhook: webhook(changes) }];

    it('is a chain in order, with every service in its own way', () => {
      const conditions = [{ expression: 'request.user != "root"' }];
      write([
        ...asked({ matchConditions: conditions, matchConditionSubjectAccessReviewVersion: 'v1', cacheUnauthorizedRequests: false }),
        { type: 'Node', name: 'node' },
        { type: 'RBAC', name: 'rbac' },
        { type: 'Webhook', name: 'x', webhook: webhook({ failurePolicy: 'NoOpinion' }) },
      ]);
      const [first, , , last] = readAuthorizationConfiguration(file());
      expect(readAuthorizationConfiguration(file()).map(({ type, name }) => `${type} ${name}`)).to.deep.equal([
        'Webhook w',
        'Node node',
        'RBAC rbac',
        'Webhook x',
      ]);
      expect(first?.webhook).to.deep.include({
        authorizedTtlMs: 300_000,
        unauthorizedTtlMs: 0,
        timeoutMs: 3_000,
        onFailure: 'Deny',
        version: 'v1',
        kubeconfig: service.kubeconfig,
      });
      expect(last?.webhook).to.deep.include({ onFailure: 'NoOpinion' });
    });
    it('counts answers for five minutes and thirty seconds unless it says otherwise', () => {
      const [link] = readAuthorizationConfiguration(write(asked({ authorizedTTL: undefined, unauthorizedTTL: undefined })));
      expect(link?.webhook).to.deep.include({ authorizedTtlMs: 300_000, unauthorizedTtlMs: 30_000 });
    });
    const wrong: [string, () => object[], RegExp][] = [
      ['nobody', () => [], /authorizers: Required value/],
      ['a type that is unknown', () => [{ type: 'Magic', name: 'm' }], /authorizers\[0\]\.type: Unsupported value/],
      [
        'a type twice',
        () => [
          { type: 'RBAC', name: 'a' },
          { type: 'RBAC', name: 'b' },
        ],
        /authorizers\[1\]\.type: Duplicate/,
      ],
      [
        'a name twice',
        () => [
          { type: 'RBAC', name: 'a' },
          { type: 'Node', name: 'a' },
        ],
        /\[1\]\.name: Duplicate/,
      ],
      ['no name', () => [{ type: 'RBAC' }], /name: Required/],
      ['a broken name', () => [{ type: 'Webhook', name: 'A_b', webhook: webhook() }], /name: Invalid/],
      [
        'a name of its own for a built-in',
        () => [{ type: 'RBAC', name: 'rbac2' }],
        /authorizers\[0\]\.name: Invalid value: "rbac2": must be rbac for authorizer RBAC/,
      ],
      ['a service for RBAC', () => [{ type: 'RBAC', name: 'a', webhook: webhook() }], /only for type Webhook/],
      ['a webhook without service', () => [{ type: 'Webhook', name: 'a' }], /webhook: Required/],
      ['no timeout', () => asked({ timeout: undefined }), /webhook\.timeout: Required/],
      ['a long timeout', () => asked({ timeout: '31s' }), /at most 30s/],
      ['a time that is none', () => asked({ authorizedTTL: 'soon' }), /authorizedTTL: Invalid/],
      ['a time of nothing', () => asked({ unauthorizedTTL: '0s' }), /above 0s/],
      ['no failure policy', () => asked({ failurePolicy: '' }), /failurePolicy: Required/],
      ['another failure policy', () => asked({ failurePolicy: 'Allow' }), /failurePolicy: Unsupported/],
      ['another version', () => asked({ subjectAccessReviewVersion: 'v2' }), /subjectAccessReviewVersion: Unsupported/],
      [
        'conditions without version',
        () => asked({ matchConditions: [{ expression: 'true' }] }),
        /matchConditionSubjectAccessReviewVersion: Required/,
      ],
      ['no connection', () => asked({ connectionInfo: {} }), /connectionInfo\.type: Required/],
      ['a relative file', () => asked({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'x' } }), /absolute path/],
      ['a file that is not there', () => asked({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/nope' } }), /ENOENT/],
      [
        'a file that is no kubeconfig',
        () => asked({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: identities.caFile } }),
        /kubeConfigFile: Invalid/,
      ],
      ['a pod that this is not', () => asked({ connectionInfo: { type: 'InClusterConfig' } }), /this is not a pod/],
      [
        'a condition of the wrong type',
        () => asked({ matchConditions: [{ expression: 'request.user' }], matchConditionSubjectAccessReviewVersion: 'v1' }),
        /must evaluate to bool/,
      ],
      [
        'a condition about nothing',
        () => asked({ matchConditions: [{ expression: 'request.shoe == "x"' }], matchConditionSubjectAccessReviewVersion: 'v1' }),
        /compilation failed/,
      ],
      ['a word that is unknown', () => asked({ ttl: '5m' }), /webhook\.ttl is unknown/],
    ];
    for (const [what, authorizers, message] of wrong)
      it(`is refused with ${what}`, () => {
        expect(() => readAuthorizationConfiguration(write(authorizers()))).to.throw(message);
      });

    it('is followed: links that did not change stay, others come and go, and a broken file changes nothing', () => {
      const live = new LiveFiles();
      const events: string[] = [];
      write([{ type: 'RBAC', name: 'rbac' }, ...asked()]);
      const settings = live.follow({
        files: [file()],
        read: () => readAuthorizationConfiguration(file()),
        failed: () => {
          events.push('failed');
        },
      });
      const chain = createAuthorizerChain(settings, ({ type, name }): Mode => {
        events.push(`+${name}`);
        return {
          authorize: () => ({ decision: type === 'RBAC' ? 'noOpinion' : 'allow', reason: name }),
          rules: null,
          stop: () => {
            events.push(`-${name}`);
          },
        };
      });
      expect(chain.authorize(onPods)).to.deep.equal({ decision: 'allow', reason: 'w' });
      write([{ type: 'RBAC', name: 'rbac' }, ...asked({ timeout: '4s' })]);
      live.look();
      write([{ type: 'RBAC', name: '' }]);
      live.look();
      write([{ type: 'RBAC', name: 'rbac' }]);
      live.look();
      expect(chain.authorize(onPods)).to.deep.equal({ decision: 'noOpinion', reason: 'rbac' });
      expect(events).to.deep.equal(['+rbac', '+w', '+w', '-w', 'failed', '-w']);
      live.stop();
    });
  });
});
