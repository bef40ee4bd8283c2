import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
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
    const few = await sample.create(pod('b', {}));
    expect(
      Object.keys(((few['spec'] as JsonObject)['containers'] as JsonObject[])[0]!['resources']!['limits' as never] as JsonObject),
    ).to.have.length(1_000);
  });

  it('gives containers the resources that a limit range wants them to have', async () => {
    await limits({ type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m', memory: '1Mi' } });
    const created = await sample.create(pod('a', {}, { requests: { memory: '2Mi' }, limits: { cpu: '1' } }));
    expect((created['spec'] as { containers: JsonObject[] }).containers.map((each) => each['resources'])).to.deep.equal([
      { requests: { cpu: '100m', memory: '1Mi' }, limits: { cpu: '500m' } },
      { requests: { memory: '2Mi', cpu: '1' }, limits: { cpu: '1' } },
    ]);
    expect(created.metadata.annotations).to.deep.equal({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu, memory request for container c0; cpu limit for container c0',
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

  it('counts init containers one after another, and those that stay beside all others', async () => {
    await limits({ type: 'Pod', max: { cpu: '2' } });
    const withInit = (name: string, init: JsonObject[]): JsonObject => {
      const made = pod(name, cpu('1', '1'));
      return {
        ...made,
        spec: { ...(made['spec'] as JsonObject), initContainers: init.map((each, index) => ({ name: `i${index}`, image: 'i', ...each })) },
      };
    };
    await sample.create(withInit('a', [{ resources: cpu('2', '2') }, { resources: cpu('2', '2') }]));
    const refused = await refusal(
      sample.create(withInit('b', [{ resources: cpu('1', '1'), restartPolicy: 'Always' }, { resources: cpu('1500m', '1500m') }])),
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
