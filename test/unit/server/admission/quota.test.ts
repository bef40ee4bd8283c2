import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

const quota = (name: string, hard: Record<string, string>, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard, ...spec },
});
const secret = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
const service = (name: string, type: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: {
    type,
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
  },
});
const pod = (name: string, requests: Record<string, string>, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    serviceAccountName: 'sa',
    automountServiceAccountToken: false,
    containers: [{ name: 'c', image: 'i', resources: { requests } }],
    ...spec,
  },
});
const claim = (name: string, size: string, storageClassName: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: size } } },
});

describe('admission/quota', () => {
  let sample: Sample;

  beforeEach(async () => {
    sample = await createSample({ admission: true });
    await sample.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } });
  });

  /** A quota as it is once a controller has counted. */
  async function countedQuota(name: string, hard: Record<string, string>, spec: JsonObject = {}): Promise<void> {
    const made = quota(name, hard, spec);
    await sample.create(made);
    await sample.update(
      made,
      (current) => {
        current['status'] = { hard, used: Object.fromEntries(Object.keys(hard).map((each) => [each, '0'])) };
      },
      'status',
    );
  }
  const used = async (name: string): Promise<unknown> => ((await sample.get('ResourceQuota', name))['status'] as JsonObject)['used'];

  it('counts objects and refuses one too many, however many ask at once', async () => {
    await countedQuota('q', { secrets: '3', 'count/secrets': '5' });
    const results = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => sample.create(secret(`s${index}`))));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
    expect(await used('q')).to.deep.equal({ secrets: '3', 'count/secrets': '3' });
    expect((await refusal(sample.create(secret('last')))).message).to.equal(
      'secrets "last" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=3, limited: secrets=3',
    );
  });

  it('owns what it charges', async () => {
    await countedQuota('q', { secrets: '3' });
    await sample.create(secret('a'));
    const { metadata } = await sample.get('ResourceQuota', 'q');
    const charged = (metadata.managedFields as unknown as JsonObject[]).filter(({ manager }) => manager === 'kube-apiserver');
    expect(charged.map(({ operation, subresource, fieldsV1 }) => ({ operation, subresource, fieldsV1 }))).to.deep.equal([
      { operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': { 'f:used': { 'f:secrets': {} } } } },
    ]);
  });

  it('is warned of and shown in the internal form', async () => {
    await sample.create(quota('warned', { cpu: '500m', 'limits.cpu': '0', 'requests.storage': '1' }));
    expect(sample.warnings()).to.deep.equal(['ResourceQuota cpu (500m) should be less than limits.cpu (0)']);
    const scopes = { scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'Exists' }] } };
    expect((await refusal(sample.create(quota('odd', { services: '0' }, scopes)))).message).to.contain(
      'Invalid value: {"MatchExpressions":[{"ScopeName":"Terminating","Operator":"Exists","Values":null}]}',
    );
  });

  it('enforces nothing before a controller has counted', async () => {
    await sample.create(quota('q', { secrets: '0' }));
    await sample.create(secret('a'));
  });

  it('wants containers to name what is limited', async () => {
    await countedQuota('q', { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '9' });
    expect((await refusal(sample.create(pod('a', { memory: '1' })))).message).to.equal(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    );
  });

  it('adds up what pods request', async () => {
    await countedQuota('q', { 'requests.cpu': '1', pods: '9' });
    await sample.create(pod('a', { cpu: '600m' }));
    expect(await used('q')).to.deep.equal({ 'requests.cpu': '600m', pods: '1' });
    expect((await refusal(sample.create(pod('b', { cpu: '0.5' })))).message).to.contain(
      'exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
  });

  it('counts only what is in the scopes of a quota', async () => {
    await countedQuota('best', { pods: '1' }, { scopes: ['BestEffort'] });
    await countedQuota('ending', { pods: '1' }, { scopes: ['Terminating', 'NotBestEffort'] });
    await sample.create(pod('a', {}));
    await sample.create(pod('b', { cpu: '1' }, { activeDeadlineSeconds: 5 }));
    await sample.create(pod('c', { cpu: '1' }));
    expect([await used('best'), await used('ending')]).to.deep.equal([{ pods: '1' }, { pods: '1' }]);
    expect((await refusal(sample.create(pod('d', {})))).message).to.contain('exceeded quota: best');
  });

  describe('where something may be used only if a quota counts it', () => {
    const limitedTo = (...limitedResources: JsonObject[]): JsonObject => ({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ResourceQuotaConfiguration',
      limitedResources,
    });
    const limit = async (...rules: JsonObject[]): Promise<void> => {
      sample = await createSample({
        storage: sample.storage,
        admission: true,
        configurations: new Map([['ResourceQuota', limitedTo(...rules)]]),
      });
    };
    const refused = async (attempt: Promise<unknown>): Promise<string> => (await refusal(attempt)).message;

    it('is refused without such a quota, and admitted within one', async () => {
      await limit({ resource: 'pods', matchContains: ['pods', 'cpu'] });
      expect(await refused(sample.create(pod('a', { cpu: '1' })))).to.equal(
        'pods "a" is forbidden: insufficient quota to consume: count/pods,cpu,pods,requests.cpu',
      );
      await countedQuota('q', { pods: '2', 'requests.cpu': '2' });
      expect(await refused(sample.create(pod('a', { cpu: '1' })))).to.equal(
        'pods "a" is forbidden: insufficient quota to consume: count/pods,cpu',
      );
      await countedQuota('r', { 'count/pods': '2', cpu: '2' });
      await sample.create(pod('a', { cpu: '1' }));
      await sample.create(secret('of another type'.replaceAll(' ', '-')));
    });

    it('is refused before what exceeds a quota', async () => {
      await limit({ resource: 'pods', matchContains: ['cpu'] });
      await countedQuota('q', { pods: '0' });
      expect(await refused(sample.create(pod('a', { cpu: '1' })))).to.contain('insufficient quota to consume: cpu,requests.cpu');
      expect(await refused(sample.create(pod('a', {})))).to.contain('exceeded quota: q');
    });

    it('is refused in scopes that no quota names', async () => {
      const critical = { scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] };
      await limit({ apiGroup: '', resource: 'pods', matchScopes: [critical] });
      await sample.create(pod('plain', {}));
      const urgent = pod('a', {}, { priorityClassName: 'system-node-critical' });
      // The reference has no reason for this refusal.
      const { code, message } = await refusal(sample.create(urgent));
      expect([code, message]).to.deep.equal([500, 'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]']);
      await countedQuota('q', { pods: '1' }, { scopeSelector: { matchExpressions: [critical] } });
      await sample.create(urgent);
    });

    it('is told in words that are understood, or the server does not start', async () => {
      for (const [configuration, problem] of [
        [{ kind: 'Y', apiVersion: 'x/v1' }, 'must hold kind ResourceQuotaConfiguration'],
        [limitedTo({ resource: 'pods', matchContain: ['pods'] }), 'limitedResources[0].matchContain is unknown'],
        [
          { kind: 'Configuration', apiVersion: 'apiserver.config.k8s.io/v1' },
          'must hold kind Configuration of apiVersion resourcequota.admission.k8s.io/v1beta1',
        ],
      ] as const) {
        const attempt = createSample({ admission: true, configurations: new Map([['ResourceQuota', configuration as JsonObject]]) });
        expect(
          await attempt.then(
            () => 'started',
            (error: Error) => error.message,
          ),
        ).to.contain(problem);
      }
    });
  });

  it('charges an update only for what it adds', async () => {
    await countedQuota('q', { services: '1', 'services.nodeports': '1' });
    await sample.create(service('a', 'ClusterIP'));
    const opened = await refusal(
      sample.update(service('a', ''), (current) => {
        (current['spec'] as JsonObject)['type'] = 'NodePort';
      }),
    );
    expect(opened.message).to.contain('requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1');
    await sample.update(service('a', ''), (current) => {
      current.metadata.labels = { a: 'b' };
    });
    expect(await used('q')).to.deep.equal({ services: '1', 'services.nodeports': '0' });
  });

  it('charges an update for all that comes into the scopes of a quota', async () => {
    await countedQuota('ending', { pods: '1', 'requests.cpu': '3' }, { scopes: ['Terminating'] });
    await countedQuota('all', { pods: '2' });
    for (const name of ['a', 'b']) await sample.create(pod(name, { cpu: '1' }));
    const givenDeadline = (name: string, activeDeadlineSeconds: number): Promise<unknown> =>
      sample.update(pod(name, {}), (current) => {
        current['spec'] = { ...(current['spec'] as JsonObject), activeDeadlineSeconds };
      });
    await givenDeadline('a', 100);
    expect([await used('ending'), await used('all')]).to.deep.equal([{ pods: '1', 'requests.cpu': '1' }, { pods: '2' }]);
    expect((await refusal(givenDeadline('b', 100))).message).to.contain('exceeded quota: ending, requested: pods=1, used: pods=1');
    await givenDeadline('a', 50);
    expect(await used('ending')).to.deep.equal({ pods: '1', 'requests.cpu': '1' });
  });

  it('counts storage, also by class', async () => {
    await countedQuota('q', { 'requests.storage': '10Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '2Gi' });
    await sample.create(claim('a', '5Gi', 'slow'));
    await sample.create(claim('b', '2Gi', 'fast'));
    expect((await refusal(sample.create(claim('c', '1Gi', 'fast')))).message).to.contain(
      'requested: fast.storageclass.storage.k8s.io/requests.storage=1Gi',
    );
    expect(await used('q')).to.deep.equal({ 'requests.storage': '7Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '2Gi' });
  });
});
