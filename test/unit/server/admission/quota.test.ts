import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { resourceQuota } from '../../../../server/admission/quota/resourceQuota.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import type { Storage } from '../../../../server/storage/contract.js';
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

  /** A quota after the controller has counted. */
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
    await countedQuota('q', { 'requests.cpu': '1', memory: '1', 'limits.memory': '1Gi', pods: '9' });
    const containers = ['c', 'b'].map((name) => ({ name, image: 'i' }));
    expect((await refusal(sample.create(pod('a', {}, { containers })))).message).to.equal(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: b,c; memory for: b,c; requests.cpu for: b,c',
    );
  });

  it('is refused what a controller has not counted completely', async () => {
    const hard = { secrets: '3', 'count/secrets': '3' };
    await sample.create(quota('q', hard));
    await sample.update(
      quota('q', hard),
      (current) => {
        current['status'] = { hard, used: { secrets: '0' } };
      },
      'status',
    );
    expect((await refusal(sample.create(secret('a')))).message).to.equal(
      'secrets "a" is forbidden: status unknown for quota: q, resources: count/secrets,secrets',
    );
  });

  it('names all that is exceeded', async () => {
    await countedQuota('q', { secrets: '0', 'count/secrets': '0' });
    expect((await refusal(sample.create(secret('a')))).message).to.contain(
      'requested: count/secrets=1,secrets=1, used: count/secrets=0,secrets=0, limited: count/secrets=0,secrets=0',
    );
  });

  it('charges nothing for a dry run, nor outside of its namespace', async () => {
    await countedQuota('q', { secrets: '3', 'count/clusterroles.rbac.authorization.k8s.io': '0' });
    await sample.create(secret('a'), { dryRun: true });
    await sample.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' }, rules: [] });
    expect(await used('q')).to.deep.equal({ secrets: '0', 'count/clusterroles.rbac.authorization.k8s.io': '0' });
  });

  describe('by request', () => {
    const pods = createCatalogue().resource('', 'v1', 'pods')!;
    const whole = pod('a', { cpu: '2' }) as ApiObject;
    const smaller = pod('a', { cpu: '500m' }) as ApiObject;
    const validate = (more: Partial<AdmissionRequest>, storage = sample.storage): Promise<void> =>
      Promise.resolve(
        resourceQuota({ storage, limited: [], now: () => '' }).validate?.({
          operation: 'CREATE',
          subresource: '',
          resource: pods,
          namespace: 'default',
          name: 'a',
          object: whole,
          old: null,
          dryRun: false,
          ...more,
        } as AdmissionRequest),
      );
    const untouched = ['0', '0'];
    const charges: readonly (readonly [what: string, request: Partial<AdmissionRequest>, charged: readonly string[]])[] = [
      ['a pod', {}, ['1', '2']],
      ['one that grows', { operation: 'UPDATE', subresource: 'resize', old: smaller }, ['0', '1500m']],
      ['one that shrinks', { operation: 'UPDATE', subresource: 'resize', object: smaller, old: whole }, untouched],
      ['a binding', { subresource: 'binding' }, untouched],
      ['a first resize', { subresource: 'resize' }, untouched],
      ['a status', { operation: 'UPDATE', subresource: 'status', old: smaller }, untouched],
      ['an update of a pod', { operation: 'UPDATE', old: smaller }, untouched],
      ['a deletion', { operation: 'DELETE' }, untouched],
      ['no object', { object: null }, untouched],
    ];
    for (const [what, request, charged] of charges)
      it(`charges ${charged === untouched ? 'nothing for ' : ''}${what}`, async () => {
        await countedQuota('q', { pods: '9', 'requests.cpu': '9' });
        await validate(request);
        expect(Object.values((await used('q')) as JsonObject)).to.deep.equal(charged);
      });

    it('fails as reads and writes of quotas do', async () => {
      await countedQuota('q', { pods: '9' });
      const list = sample.storage.list.bind(sample.storage);
      const ends = async (storage: object): Promise<number> => (await refusal(validate({}, storage as Storage))).code;
      for (const [outcome, code] of [
        ['unavailable', 503],
        ['rejected', 503],
        ['noSpace', 507],
        ['unknown', 504],
        ['conflict', 500],
      ] as const)
        expect([outcome, await ends({ list, update: () => Promise.resolve({ outcome, reason: '' }) })]).to.deep.equal([outcome, code]);
      expect(await ends({ list: () => Promise.resolve({ outcome: 'unavailable', reason: '' }) })).to.equal(503);
    });
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
      await countedQuota('scoped', { 'count/pods': '2', cpu: '2' }, { scopes: ['Terminating'] });
      expect(await refused(sample.create(pod('a', { cpu: '1' })))).to.contain('insufficient quota to consume: count/pods,cpu');
      await countedQuota('r', { 'count/pods': '2', cpu: '2' });
      await sample.create(pod('a', { cpu: '1' }));
      await sample.create(secret('of another type'.replaceAll(' ', '-')));
    });

    it('is any that one of its rules names, and is let be while it does not grow', async () => {
      await sample.create(service('old', 'ClusterIP'));
      await limit(
        { resource: 'services', matchContains: ['services'] },
        { resource: 'services', matchContains: ['nodeports'] },
        { apiGroup: 'apps', resource: 'pods', matchContains: ['pods'] },
      );
      await sample.create(pod('a', { cpu: '1' }));
      await sample.update(service('old', ''), (current) => {
        current.metadata.labels = { a: 'b' };
      });
      expect(await refused(sample.create(service('a', 'NodePort')))).to.contain(
        'insufficient quota to consume: count/services,services,services.nodeports',
      );
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
      // The reference gives no reason here.
      const { code, message } = await refusal(sample.create(urgent));
      expect([code, message]).to.deep.equal([500, 'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]']);
      const other = { ...critical, values: ['system-cluster-critical'] };
      await countedQuota('other', { pods: '1' }, { scopeSelector: { matchExpressions: [other] } });
      expect(await refused(sample.create(urgent))).to.contain('insufficient quota to match these scopes');
      await countedQuota('q', { pods: '1' }, { scopeSelector: { matchExpressions: [critical] } });
      await sample.create(urgent);
    });

    it('is configured in words that are understood, or the server does not start', async () => {
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
    await countedQuota('more', { 'services.nodeports': '2' });
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
    await sample.remove('ResourceQuota', 'q');
    await countedQuota('one', { services: '1' });
    const version = async (): Promise<unknown> => (await sample.get('ResourceQuota', 'one')).metadata.resourceVersion;
    const before = await version();
    for (const type of ['NodePort', 'ClusterIP'])
      await sample.update(service('a', ''), (current) => {
        (current['spec'] as JsonObject)['type'] = type;
      });
    // The controller counts released amounts.
    expect([await used('more'), await version()]).to.deep.equal([{ 'services.nodeports': '2' }, before]);
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
