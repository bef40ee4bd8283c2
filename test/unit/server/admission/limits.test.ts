import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { limitRanger } from '../../../../server/admission/limits/limitRanger.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

const pod = (name: string, ...containers: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    serviceAccountName: 'sa',
    automountServiceAccountToken: false,
    containers: containers.map((resources, index) => ({ name: `c${index}`, image: 'i', resources })),
  },
});
const claim = (name: string, size: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...more },
});
const storageClass = (name: string, more: JsonObject, annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: 'p',
  ...more,
});
const cpu = (request: string, limit: string): JsonObject => ({ requests: { cpu: request }, limits: { cpu: limit } });
const requested = (amount: string): JsonObject => ({ requests: { cpu: amount } });
const withInit = (made: JsonObject, ...init: readonly JsonObject[]): JsonObject => ({
  ...made,
  spec: { ...(made['spec'] as JsonObject), initContainers: init.map((each, index) => ({ name: `i${index}`, image: 'i', ...each })) },
});
const claimLimit = { type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '3Gi' } };

describe('admission', () => {
  let sample: Sample;
  const limits = (...items: JsonObject[]): Promise<unknown> =>
    sample.create({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: items } });

  beforeEach(async () => {
    sample = await createSample({ admission: true });
    await sample.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } });
  });

  it('refuses pods into which limit ranges would write more than they could hold', async () => {
    const amounts = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a.b/r${i}`, '1']));
    await limits({ type: 'Container', default: amounts(1_000) });
    const many = pod('a', ...Array.from({ length: 1_000 }, (): JsonObject => ({})));
    expect((await refusal(sample.create(many))).message).to.contain(
      'name 2000 amounts for each of 1000 containers, which is more than 100000 together',
    );
    const init = Array.from({ length: 26 }, (): JsonObject => ({}));
    expect((await refusal(sample.create(withInit(pod('a', ...init), ...init)))).message).to.contain(
      '2000 amounts for each of 52 containers',
    );
    const few = await sample.create(pod('b', {}));
    expect(
      Object.keys(((few['spec'] as JsonObject)['containers'] as JsonObject[])[0]!['resources']!['limits' as never] as JsonObject),
    ).to.have.length(1_000);
  });

  it('gives containers the resources that a limit range wants them to have', async () => {
    await limits({ type: 'Container', default: { cpu: '500m' }, defaultRequest: { memory: '1Mi', cpu: '100m' } });
    const created = await sample.create(withInit(pod('a', {}, { requests: { memory: '2Mi' }, limits: { cpu: '1' } }), {}));
    expect((created['spec'] as { containers: JsonObject[] }).containers.map((each) => each['resources'])).to.deep.equal([
      { requests: { cpu: '100m', memory: '1Mi' }, limits: { cpu: '500m' } },
      { requests: { memory: '2Mi', cpu: '1' }, limits: { cpu: '1' } },
    ]);
    expect(created.metadata.annotations).to.deep.equal({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container c0; cpu limit for container c0; cpu, memory request for init container i0; cpu limit for init container i0',
    });
  });

  const cases: readonly (readonly [what: string, limit: JsonObject, pod: JsonObject, message: string])[] = [
    [
      'too little',
      { type: 'Container', min: { cpu: '1' } },
      pod('a', cpu('500m', '2')),
      'minimum cpu usage per Container is 1, but request is 500m',
    ],
    [
      'too much',
      { type: 'Container', max: { cpu: '1' } },
      pod('a', cpu('500m', '2')),
      'maximum cpu usage per Container is 1, but limit is 2',
    ],
    [
      'too wide a range',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod('a', cpu('1', '3')),
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
    [
      'nothing where a limit is due',
      { type: 'Pod', max: { cpu: '1' } },
      pod('a', {}),
      'maximum cpu usage per Pod is 1.  No limit is specified',
    ],
    [
      'too much of all together',
      { type: 'Pod', max: { cpu: '1' } },
      pod('a', cpu('600m', '600m'), cpu('500m', '500m')),
      'maximum cpu usage per Pod is 1, but limit is 1100m',
    ],
    [
      'several things',
      { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } },
      pod('a', cpu('500m', '3')),
      '[minimum cpu usage per Container is 1, but request is 500m, maximum cpu usage per Container is 2, but limit is 3]',
    ],
    [
      'a small claim',
      { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
      claim('a', '1Mi'),
      'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
    ],
    ['a large claim', claimLimit, claim('a', '4Gi'), 'maximum storage usage per PersistentVolumeClaim is 3Gi, but request is 4Gi'],
    [
      'limits of some that are below what all must have',
      { type: 'Pod', min: { cpu: '2' } },
      pod('a', cpu('1', '1'), requested('1')),
      'minimum cpu usage per Pod is 2, but limit is 1',
    ],
    [
      'requests of all that are beyond the limits of some',
      { type: 'Pod', max: { cpu: '1' } },
      pod('a', cpu('1', '1'), requested('1')),
      'maximum cpu usage per Pod is 1, but request is 2',
    ],
    [
      'nothing where a request is due',
      { type: 'Pod', min: { memory: '1', cpu: '1' } },
      pod('a', {}),
      '[minimum cpu usage per Pod is 1.  No request is specified, minimum memory usage per Pod is 1.  No request is specified]',
    ],
    ...[{ requests: { cpu: '0' }, limits: { cpu: '1' } }, {}].map(
      (resources) =>
        [
          'no request, or 0, for a ratio',
          { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
          pod('a', resources),
          'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
        ] as const,
    ),
    [
      'no limit for a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod('a', requested('1')),
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      'a ratio of different units',
      { type: 'Container', maxLimitRequestRatio: { memory: '1500m' } },
      pod('a', { requests: { memory: '1Ki' }, limits: { memory: '2k' } }),
      'memory max limit to request ratio per Container is 1500m, but provided ratio is 1.953125',
    ],
    [
      'init containers, too',
      { type: 'Container', max: { cpu: '1' } },
      withInit(pod('a', cpu('1', '1')), { resources: cpu('1', '2') }),
      'maximum cpu usage per Container is 1, but limit is 2',
    ],
  ];
  for (const [what, limit, object, message] of cases) {
    it(`refuses ${what}`, async () => {
      await limits(limit);
      const error = await refusal(sample.create(object));
      expect([error.code, error.message]).to.deep.equal([
        403,
        `${object['kind'] === 'Pod' ? 'pods' : 'persistentvolumeclaims'} "a" is forbidden: ${message}`,
      ]);
    });
  }

  it('admits what is just within its limits, whatever other types have', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`a.b/r${i}`, '1']));
    const exact = { min: { cpu: '10m' }, max: { cpu: '70m' }, maxLimitRequestRatio: { cpu: '7' } };
    await limits({ type: 'Container', ...exact }, { type: 'Pod', ...exact, min: { cpu: '120m' }, max: { cpu: '840m' } }, claimLimit, {
      type: 'example.com/other',
      max: { ...many, cpu: '1m', storage: '1m' },
      default: { memory: '1' },
    });
    expect((await sample.create(pod('a', ...Array.from({ length: 12 }, () => cpu('10m', '70m'))))).metadata.annotations).to.equal(
      undefined,
    );
    for (const size of ['2Gi', '3Gi']) await sample.create(claim(`c${size.toLowerCase()}`, size));
    // Limits of claims do not count.
    await sample.create(claim('d', '2Gi', { resources: { requests: { storage: '2Gi' }, limits: { storage: '1Gi' } } }));
  });

  it('looks at pods that are resized and at claims that are updated, not at what is kept or going away', async () => {
    for (const name of ['kept', 'going']) {
      const finalizers = name === 'going' ? ['example.com/f'] : [];
      await sample.create({ ...pod(name, cpu('1', '2')), metadata: { name, finalizers } });
      await sample.create({ ...claim(name, '1Gi'), metadata: { name, finalizers } });
    }
    await limits({ type: 'Container', max: { cpu: '1' } }, claimLimit);
    for (const kind of ['Pod', 'PersistentVolumeClaim']) await sample.remove(kind, 'going');
    const label = (object: JsonObject, subresource = ''): Promise<unknown> =>
      sample.update(
        object,
        (current) => {
          current.metadata.labels = { a: 'b' };
        },
        subresource,
      );
    const resize = (amount: string): Promise<ApiObject> =>
      sample.update(
        pod('kept'),
        (current) => {
          ((current['spec'] as JsonObject)['containers'] as JsonObject[])[0]!['resources'] = cpu(amount, amount);
        },
        'resize',
      );
    expect((await refusal(resize('3'))).message).to.equal('pods "kept" is forbidden: maximum cpu usage per Container is 1, but limit is 3');
    expect((await resize('1')).metadata.annotations).to.equal(undefined);
    const range = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'm' },
      spec: { limits: [{ type: 'Container', default: { memory: '1' } }] },
    };
    await sample.create(range);
    await label(pod('kept'));
    const bound = {
      operation: 'CREATE',
      subresource: 'binding',
      resource: createCatalogue().resource('', 'v1', 'pods'),
      object: pod('a'),
      old: null,
    };
    const ranges = [{ metadata: {}, spec: { limits: [{ type: 'Pod', min: { cpu: '1' } }] } }];
    const plugin = limitRanger({ list: () => Promise.resolve(ranges), find: () => Promise.resolve(null) });
    await plugin.validate?.(bound as unknown as AdmissionRequest);
    await label(claim('kept', ''), 'status');
    expect((await refusal(label(claim('kept', '')))).message).to.contain('but request is 1Gi');
    await label(claim('going', ''));
  });

  it('tells at most a hundred findings of a limit range', async () => {
    await limits({ type: 'Pod', min: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`a.b/r${i}`, '1'])) });
    expect((await refusal(sample.create(pod('a', {})))).message.split('No request is specified')).to.have.length(101);
  });

  it('counts init containers one after another, and those that stay beside all others', async () => {
    await limits({ type: 'Pod', max: { cpu: '2' } });
    await sample.create(withInit(pod('a', cpu('1', '1')), { resources: cpu('2', '2') }, { resources: cpu('2', '2') }));
    const refused = await refusal(
      sample.create(
        withInit(pod('b', cpu('1', '1')), { resources: cpu('1', '1'), restartPolicy: 'Always' }, { resources: cpu('1500m', '1500m') }),
      ),
    );
    expect(refused.message).to.contain('but limit is 2500m');
  });

  it('gives claims the default class that was marked last, unless they want none', async () => {
    await sample.create(storageClass('b', {}, { 'storageclass.kubernetes.io/is-default-class': 'true' }));
    await sample.create(storageClass('a', {}, { 'storageclass.kubernetes.io/is-default-class': 'true' }));
    const classes = [claim('x', '1'), claim('y', '1', { storageClassName: '' }), claim('z', '1', { storageClassName: 'other' })];
    const made = [];
    for (const each of classes) made.push(((await sample.create(each))['spec'] as JsonObject)['storageClassName']);
    expect(made).to.deep.equal(['a', '', 'other']);
  });

  it('protects claims in use, and lets them grow only when their class can', async () => {
    await sample.create(storageClass('grows', { allowVolumeExpansion: true }));
    for (const [name, storageClassName] of [
      ['x', 'grows'],
      ['y', 'none'],
    ] as const) {
      const made = claim(name, '1Gi', { storageClassName });
      expect((await sample.create(made)).metadata.finalizers).to.deep.equal(['kubernetes.io/pvc-protection']);
      await sample.update(
        made,
        (current) => {
          current['status'] = { phase: 'Bound', capacity: { storage: '1Gi' } };
        },
        'status',
      );
    }
    const grow = (name: string): Promise<unknown> =>
      sample.update(claim(name, '1Gi'), (current) => {
        (current['spec'] as JsonObject)['resources'] = { requests: { storage: '2Gi' } };
      });
    await grow('x');
    expect((await refusal(grow('y'))).message).to.contain('only dynamically provisioned pvc can be resized');
  });

  it('keeps pods off a new node', async () => {
    const node = await sample.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      spec: { taints: [{ key: 'k', effect: 'NoExecute' }] },
    });
    expect((node['spec'] as JsonObject)['taints']).to.deep.equal([
      { key: 'k', effect: 'NoExecute' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
  });
});
