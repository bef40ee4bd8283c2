import { expect } from 'chai';
import { amountsOf } from '../../../../api/amounts.js';
import type { KubeObject } from '../../../../api/meta/object.js';
import { formatQuantity } from '../../../../api/quantity.js';
import type { Container, PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../../../../api/types/core/v1.js';
import { recounted, sourcesOf, type Observed } from '../../../../controllers/resourcequota/plan.js';
import { changesUse } from '../../../../controllers/resourcequota/replenishment.js';
import { sourceOf, usageOf } from '../../../../api/quota/usage.js';

const now = Date.parse('2026-01-01T00:01:00Z');
type Spec = NonNullable<ResourceQuota['spec']>;
const quota = (hard: Record<string, string>, more: Partial<Spec> = {}, status: ResourceQuota['status'] = {}): ResourceQuota => ({
  metadata: { name: 'q', namespace: 'n' },
  spec: { hard, ...more },
  status,
});
const container = (requests: Record<string, string>, limits: Record<string, string> = {}, restartPolicy?: string): Container => ({
  name: 'c',
  resources: { requests, limits },
  ...(restartPolicy ? { restartPolicy } : {}),
});
const pod = (spec: Pod['spec'], status: Pod['status'] = { phase: 'Running' }, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'p', namespace: 'n', ...metadata },
  spec: spec ?? {},
  status: status ?? {},
});
const texts = (source: string, object: KubeObject): Record<string, string> =>
  Object.fromEntries([...usageOf(source, object, now)].map(([name, amount]) => [name, formatQuantity(amount)]));

describe('controllers/resourcequota/usage', () => {
  const sources: readonly (readonly [string, string | null])[] = [
    ['pods', 'pods'],
    ['count/pods', 'pods'],
    ['cpu', 'pods'],
    ['requests.memory', 'pods'],
    ['limits.ephemeral-storage', 'pods'],
    ['hugepages-2Mi', 'pods'],
    ['requests.hugepages-1Gi', 'pods'],
    ['requests.example.com/gpu', 'pods'],
    ['services.nodeports', 'services'],
    ['services', 'services'],
    ['secrets', 'secrets'],
    ['count/deployments.apps', 'deployments.apps'],
    ['requests.storage', 'persistentvolumeclaims'],
    ['gold.storageclass.storage.k8s.io/requests.storage', 'persistentvolumeclaims'],
    ['gold.storageclass.storage.k8s.io/persistentvolumeclaims', 'persistentvolumeclaims'],
    ['gpu.deviceclass.resource.k8s.io/devices', 'resourceclaims.resource.k8s.io'],
    ['limits.example.com/gpu', null],
    ['example.com/gpu', null],
    ['deployments.apps', null],
  ];
  for (const [name, wanted] of sources) it(`${name} is about ${wanted ?? 'nothing'}`, () => expect(sourceOf(name)).to.equal(wanted));

  const cpu = (value: string): Record<string, string> => ({ cpu: value });
  const podCpu: readonly (readonly [string, Pod, string])[] = [
    ['containers together', pod({ containers: [container(cpu('1')), container(cpu('500m'))] }), '1500m'],
    [
      'a larger init container',
      pod({ containers: [container(cpu('1'))], initContainers: [container(cpu('3')), container(cpu('2'))] }),
      '3',
    ],
    ['sidecars run on', pod({ containers: [container(cpu('1'))], initContainers: [container(cpu('2'), {}, 'Always')] }), '3'],
    [
      'an init container beside the sidecars before it',
      pod({
        containers: [container(cpu('1'))],
        initContainers: [container(cpu('2'), {}, 'Always'), container(cpu('4')), container(cpu('1'), {}, 'Always')],
      }),
      '6',
    ],
    ['what is set for the pod', pod({ containers: [container(cpu('1'))], resources: { requests: cpu('5') } }), '5'],
    ['overhead', pod({ containers: [container(cpu('1'))], overhead: cpu('250m') }), '1250m'],
  ];
  for (const [about, given, wanted] of podCpu) it(`cpu of a pod: ${about}`, () => expect(texts('pods', given)['cpu']).to.equal(wanted));

  it('a pod by all its names', () => {
    const given = pod({
      containers: [
        container({ cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2' }, { cpu: '2', 'example.com/gpu': '2' }),
      ],
      overhead: { memory: '1Mi', cpu: '1' },
    });
    expect(texts('pods', given)).to.deep.equal({
      'count/pods': '1',
      pods: '1',
      cpu: '2',
      'requests.cpu': '2',
      memory: '1025Mi',
      'requests.memory': '1025Mi',
      'hugepages-2Mi': '4Mi',
      'requests.hugepages-2Mi': '4Mi',
      'requests.example.com/gpu': '2',
      'limits.cpu': '3',
    });
  });

  const resized = (condition?: string): Pod =>
    pod({ containers: [container(cpu('1'))] }, {
      phase: 'Running',
      conditions: condition ? [{ type: 'PodResizePending', status: 'True', reason: condition }] : [],
      containerStatuses: [{ name: 'c', resources: { requests: cpu('3') }, allocatedResources: cpu('2') }],
    } as unknown as Pod['status']);
  it('while it is resized, the largest of what is wanted, given and in effect', () =>
    expect(texts('pods', resized())['cpu']).to.equal('3'));
  it('what is wanted does not count when it cannot be', () => {
    const given: Pod = { ...resized('Infeasible'), spec: { containers: [container(cpu('9'))] } };
    expect(texts('pods', given)['cpu']).to.equal('3');
  });

  const deleted = (deletionTimestamp: string) => ({ deletionTimestamp, deletionGracePeriodSeconds: 30 });
  const occupying: readonly (readonly [string, Pod, boolean])[] = [
    ['runs', pod({}), true],
    ['succeeded', pod({}, { phase: 'Succeeded' }), false],
    ['failed', pod({}, { phase: 'Failed' }), false],
    ['ends', pod({}, {}, deleted('2026-01-01T00:00:30Z')), true],
    ['should have ended', pod({}, {}, deleted('2026-01-01T00:00:29Z')), false],
  ];
  for (const [about, given, wanted] of occupying)
    it(`a pod that ${about} counts ${wanted ? 'as a pod' : 'as an object alone'}`, () =>
      expect(texts('pods', given)).to.deep.equal({ 'count/pods': '1', ...(wanted ? { pods: '1' } : {}) }));

  const service = (spec: object): Service => ({
    metadata: { name: 's', namespace: 'n' },
    spec: { ports: [{ port: 80, nodePort: 30_000 }, { port: 81 }], ...spec },
  });
  const services: readonly (readonly [string, object, string, string])[] = [
    ['ClusterIP', {}, '0', '0'],
    ['NodePort', {}, '2', '0'],
    ['LoadBalancer', {}, '2', '1'],
    ['LoadBalancer', { allocateLoadBalancerNodePorts: false }, '1', '1'],
  ];
  for (const [type, more, ports, balancers] of services) {
    it(`a ${type} service ${JSON.stringify(more)}`, () =>
      expect(texts('services', service({ type, ...more }))).to.deep.equal({
        'count/services': '1',
        services: '1',
        'services.nodeports': ports,
        'services.loadbalancers': balancers,
      }));
  }

  it('a claim of a class, while it grows', () => {
    const claim = {
      metadata: { name: 'c', namespace: 'n' },
      spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } },
      status: { allocatedResources: { storage: '2Gi' } },
    } as PersistentVolumeClaim;
    expect(texts('persistentvolumeclaims', claim)).to.deep.equal({
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'requests.storage': '2Gi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
    });
    expect(
      texts('persistentvolumeclaims', { metadata: { name: 'c', annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } } })[
        'old.storageclass.storage.k8s.io/persistentvolumeclaims'
      ],
    ).to.equal('1');
  });

  it('devices that a resource claim may be given', () => {
    const requests = [
      { exactly: { deviceClassName: 'gpu', count: 2 } },
      { exactly: { deviceClassName: 'nic', allocationMode: 'All' } },
      { firstAvailable: [{ deviceClassName: 'gpu', count: 4 }, { deviceClassName: 'gpu' }, { deviceClassName: 'fpga' }] },
    ];
    const claim: KubeObject & { readonly spec: object } = { metadata: { name: 'c', namespace: 'n' }, spec: { devices: { requests } } };
    expect(texts('resourceclaims.resource.k8s.io', claim)).to.deep.equal({
      'count/resourceclaims.resource.k8s.io': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '6',
      'nic.deviceclass.resource.k8s.io/devices': '32',
      'fpga.deviceclass.resource.k8s.io/devices': '1',
    });
  });

  it('any other object by number', () =>
    expect([texts('secrets', pod({})), texts('jobs.batch', pod({}))]).to.deep.equal([
      { 'count/secrets': '1', secrets: '1' },
      { 'count/jobs.batch': '1' },
    ]));
});

describe('controllers/resourcequota/plan', () => {
  const plain = pod({ containers: [{ name: 'c' }] });
  const burstable = pod({ containers: [container({ cpu: '1' })] });
  const ending = pod({ containers: [{ name: 'c' }], activeDeadlineSeconds: 60 });
  const critical = pod({ containers: [{ name: 'c' }], priorityClassName: 'system-node-critical' });
  const far = pod({
    containers: [{ name: 'c' }],
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', namespaces: ['other'] }] } },
  });
  const all = [plain, burstable, ending, critical, far];
  const used = (given: ResourceQuota, observed: Observed) => recounted(given, observed, now)?.status?.used;
  const priority = (operator: string, ...values: string[]): Partial<Spec> => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, ...(values.length > 0 ? { values } : {}) }] },
  });

  const scopes: readonly (readonly [Partial<Spec>, string])[] = [
    [{}, '5'],
    [{ scopes: ['BestEffort'] }, '4'],
    [{ scopes: ['NotBestEffort'] }, '1'],
    [{ scopes: ['Terminating'] }, '1'],
    [{ scopes: ['NotTerminating'] }, '4'],
    [{ scopes: ['NotTerminating', 'BestEffort'] }, '3'],
    [{ scopes: ['PriorityClass'] }, '1'],
    [{ scopes: ['CrossNamespacePodAffinity'] }, '1'],
    [priority('In', 'system-node-critical', 'x'), '1'],
    [priority('In', 'x'), '0'],
    [priority('NotIn', 'system-node-critical'), '4'],
    [priority('NotIn', 'x'), '5'],
    [priority('Exists'), '1'],
    [priority('DoesNotExist'), '4'],
    [{ scopes: ['Unheard'] }, '0'],
  ];
  for (const [more, wanted] of scopes)
    it(`counts ${wanted} of five pods in ${JSON.stringify(more)}`, () =>
      expect(used(quota({ pods: '9' }, more), new Map([['pods', all]]))).to.deep.equal({ pods: wanted }));

  it('tells claims apart by their attributes, in each class that they may have', () => {
    const changing = {
      metadata: { name: 'c', namespace: 'n' },
      spec: { volumeAttributesClassName: 'silver' },
      status: { currentVolumeAttributesClassName: 'gold' },
    } as PersistentVolumeClaim;
    const of = (name: string) =>
      used(
        quota(
          { persistentvolumeclaims: '9' },
          { scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: [name] }] } },
        ),
        new Map([['persistentvolumeclaims', [changing]]]),
      );
    expect(['silver', 'gold', 'tin'].map((name) => of(name)?.['persistentvolumeclaims'])).to.deep.equal(['1', '1', '0']);
  });

  it('counts nothing but pods and claims in scopes', () =>
    expect(used(quota({ secrets: '9' }, { scopes: ['BestEffort'] }), new Map([['secrets', all]]))).to.deep.equal({ secrets: '0' }));

  it('sums by type, with zero for what is not used', () => {
    const given = quota({ pods: '1', cpu: '2', 'limits.memory': '1Gi', secrets: '3', 'count/jobs.batch': '1' });
    expect([...sourcesOf(given)]).to.deep.equal(['pods', 'secrets', 'jobs.batch']);
    expect(
      used(
        given,
        new Map([
          ['pods', [burstable, burstable]],
          ['secrets', [plain]],
          ['jobs.batch', []],
        ]),
      ),
    ).to.deep.equal({ pods: '2', cpu: '2', 'limits.memory': '0', secrets: '1', 'count/jobs.batch': '0' });
  });

  it('keeps the last count of what cannot be counted, tells none of what nobody counts, and forgets what is not limited any more', () => {
    const given = quota(
      { 'count/things.example.com': '5', 'limits.example.com/gpu': '1', secrets: '1' },
      {},
      { hard: {}, used: { 'count/things.example.com': '4', services: '1' } },
    );
    expect(
      recounted(
        given,
        new Map([
          ['things.example.com', null],
          ['secrets', []],
        ]),
        now,
      )?.status,
    ).to.deep.equal({ hard: given.spec?.hard, used: { 'count/things.example.com': '4', secrets: '0' } });
  });

  const observed: Observed = new Map([['secrets', [plain]]]);
  const same: readonly (readonly [string, ResourceQuota['status'], boolean])[] = [
    ['says so already', { hard: { secrets: '2' }, used: { secrets: '1' } }, false],
    ['another count', { hard: { secrets: '2' }, used: { secrets: '2' } }, true],
    ['another limit', { hard: { secrets: '1' }, used: { secrets: '1' } }, true],
    ['nothing yet', {}, true],
    ['no count yet', { hard: { secrets: '2' } }, true],
  ];
  for (const [about, status, writes] of same)
    it(`${writes ? 'writes' : 'does not write'} a quota that says: ${about}`, () =>
      expect(recounted(quota({ secrets: '2' }, {}, status), observed, now) !== null).to.equal(writes));
  it('an empty quota is written once', () =>
    expect([recounted(quota({}), new Map(), now)?.status, recounted(quota({}, {}, { hard: {}, used: {} }), new Map(), now)]).to.deep.equal([
      { hard: {}, used: {} },
      null,
    ]));

  const changes: readonly (readonly [string, string, KubeObject, KubeObject | null, boolean])[] = [
    ['a deletion', 'secrets', plain, null, true],
    ['a label', 'pods', plain, { ...plain, metadata: { ...plain.metadata, labels: { a: 'b' } } }, false],
    ['an end', 'pods', plain, { ...plain, status: { phase: 'Failed' } } as Pod, true],
    ['a resize', 'pods', burstable, pod({ containers: [container({ cpu: '2' })] }), true],
    ['a deadline', 'pods', plain, ending, true],
    ['data of a secret', 'secrets', plain, burstable, false],
  ];
  for (const [about, source, before, after, wanted] of changes)
    it(`${about} ${wanted ? 'changes' : 'does not change'} what is used`, () =>
      expect(changesUse(source, before, after, now)).to.equal(wanted));

  it('reads what is no amount as nothing', () => expect([...amountsOf({ a: 'x', b: '1' }).keys()]).to.deep.equal(['b']));
});
