import { expect } from 'chai';
import type { ApiObject, JsonObject, JsonValue } from '../../../../api/object.js';
import { causes, createSample, type Sample } from '../registry/sample.js';

/** Kinds of versions that are off by default, without recordings: their rules follow their published fields. */
const object = (apiVersion: string, kind: string, content: JsonObject, name = 'a'): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...content,
});
const candidate = (spec: JsonObject): JsonObject => object('coordination.k8s.io/v1beta1', 'LeaseCandidate', { spec });
const right = { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0', strategy: 'OldestEmulationVersion' };
const migration = (resource: JsonObject): JsonObject =>
  object('storagemigration.k8s.io/v1beta1', 'StorageVersionMigration', { spec: { resource } });
const taint = (spec: JsonObject): JsonObject => object('resource.k8s.io/v1beta2', 'DeviceTaintRule', { spec });
const workload = (podGroupTemplates: JsonObject[]): JsonObject =>
  object('scheduling.k8s.io/v1alpha2', 'Workload', { spec: { podGroupTemplates } });
const group = (spec: JsonObject): JsonObject => object('scheduling.k8s.io/v1alpha2', 'PodGroup', { spec });
const pod = (spec: JsonObject): JsonObject => object('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const fileKey = (fileKeyRef: JsonObject): JsonObject =>
  pod({
    containers: [{ name: 'c', image: 'i', env: [{ name: 'A', valueFrom: { fileKeyRef } }] }],
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'w', configMap: { name: 'm' } },
    ],
  });
const hostProcess = (value: boolean): JsonObject => ({ securityContext: { windowsOptions: { hostProcess: value } } });

const refused: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  ['a candidate without anything', candidate({}), ['required spec.leaseName', 'required spec.binaryVersion', 'required spec.strategy']],
  [
    'versions that are none',
    candidate({ ...right, binaryVersion: '1', emulationVersion: 'x' }),
    ['invalid spec.emulationVersion', 'invalid spec.binaryVersion', 'required spec.emulationVersion'],
  ],
  [
    'a binary without a version, which counts as older than any',
    candidate({ ...right, binaryVersion: 'x' }),
    ['invalid spec.binaryVersion', 'invalid spec.binaryVersion'],
  ],
  ['a version that says no more than zero', candidate({ ...right, emulationVersion: '0.0.0+build' }), ['required spec.emulationVersion']],
  ['a binary older than what it emulates', candidate({ ...right, binaryVersion: '1.34.0' }), ['invalid spec.binaryVersion']],
  ['a strategy of nobody', candidate({ ...right, strategy: 'Youngest' }), ['unsupported spec.strategy.strategy']],
  ['a migration of nothing', migration({}), ['required spec.resource.resource']],
  [
    'a migration of what no server could serve',
    migration({ group: 'A', resource: 'a.b' }),
    ['invalid spec.resource.resource', 'invalid spec.resource.group'],
  ],
  [
    'a taint rule',
    taint({ deviceSelector: { driver: 'A B', pool: '', device: 'X' }, taint: { key: ' ', effect: 'X' } }),
    [
      'invalid spec.deviceSelector.driver',
      'required spec.deviceSelector.pool',
      'invalid spec.deviceSelector.device',
      'invalid spec.taint.key',
      'unsupported spec.taint.effect',
    ],
  ],
  ['a workload without groups', workload([]), ['required spec.podGroupTemplates']],
  [
    'groups of a workload',
    workload([
      { name: 'A', schedulingPolicy: {} },
      { name: 'b', schedulingPolicy: { gang: { minCount: 0 } } },
    ]),
    [
      'invalid spec.podGroupTemplates[0].name',
      'invalid spec.podGroupTemplates[0].schedulingPolicy',
      'required spec.podGroupTemplates[1].schedulingPolicy.gang.minCount',
    ],
  ],
  [
    'variables in files',
    fileKey({ volumeName: 'w', path: '../x', key: 'a=b' }),
    ['key', 'path', 'volumeName'].map((member) => `invalid spec.containers[0].env[0].valueFrom.fileKeyRef.${member}`),
  ],
  [
    'volumes of variables in files after all else of a pod',
    object('v1', 'PodTemplate', {
      template: {
        spec: {
          containers: [
            { name: 'c', image: 'i', env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'K' } } }] },
            { name: 'd' },
          ],
        },
      },
    }),
    ['required template.spec.containers[1].image', 'absent template.spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName'],
  ],
  [
    'host processes beside others',
    pod({
      hostNetwork: true,
      containers: [
        { name: 'c', image: 'i', ...hostProcess(true) },
        { name: 'd', image: 'i' },
      ],
    }),
    ['invalid spec'],
  ],
  [
    'a pod and a container that contradict each other',
    pod({ hostNetwork: true, ...hostProcess(true), containers: [{ name: 'c', image: 'i', ...hostProcess(false) }] }),
    ['invalid spec.containers[0].securityContext.windowsOptions.hostProcess'],
  ],
];

const policyRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
const flow = 'flowcontrol.apiserver.k8s.io/v1';
/** Kinds whose `status` writes do not even change labels. */
const ofStatusAlone: readonly (readonly [kind: string, object: JsonObject])[] = (
  [
    [
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicy',
      { spec: { matchConstraints: { resourceRules: policyRules }, validations: [{ expression: 'true' }] } },
      's',
    ],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      { spec: { group: 's.example', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 } },
      'v1.s.example',
    ],
    [`${flow}`, 'FlowSchema', { spec: { priorityLevelConfiguration: { name: 'exempt' } } }, 's'],
    ['internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', { spec: {} }, 's.example.pods'],
    ['networking.k8s.io/v1', 'ServiceCIDR', { spec: { cidrs: ['10.99.0.0/24'] } }, 's'],
    ['resource.k8s.io/v1', 'ResourceClaim', { spec: {} }, 's'],
    ['resource.k8s.io/v1beta2', 'DeviceTaintRule', { spec: { taint: { key: 'k', effect: 'NoSchedule' } } }, 's'],
    ['scheduling.k8s.io/v1alpha2', 'PodGroup', { spec: { schedulingPolicy: { basic: {} } } }, 's'],
    ['storage.k8s.io/v1', 'VolumeAttachment', { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } }, 's'],
    ['storagemigration.k8s.io/v1beta1', 'StorageVersionMigration', { spec: { resource: { group: '', resource: 'pods' } } }, 's'],
  ] as const
).map(([apiVersion, kind, content, name]) => [
  kind,
  { apiVersion, kind, metadata: { name, labels: { kept: 'yes' } }, ...structuredClone(content) } as unknown as JsonObject,
]);

describe('registry/rare kinds', () => {
  let sample: Sample;
  before(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`refuses ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  for (const [kind, what] of ofStatusAlone)
    it(`takes only the status from writes of the status of a ${kind}`, async () => {
      await sample.create(what);
      const changed = await sample.update(
        what,
        ({ metadata }) => {
          metadata.labels = { a: 'b' };
          metadata.annotations = { a: 'b' };
          metadata.finalizers = ['example.com/f'];
          metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }];
        },
        'status',
      );
      const { labels, annotations, finalizers, ownerReferences } = changed.metadata;
      expect({ labels, annotations, finalizers, ownerReferences }).to.deep.equal({
        labels: { kept: 'yes' },
        annotations: undefined,
        finalizers: undefined,
        ownerReferences: undefined,
      });
    });

  it('lets a migration succeed that still says that it runs, at a version that objects can have', async () => {
    const version = migration({ group: '', resource: 'secrets' });
    await sample.create({ ...version, metadata: { name: 'over' } });
    const report = (resourceVersion: string, ...types: string[]): ReturnType<Sample['update']> =>
      sample.update(
        { ...version, metadata: { name: 'over' } },
        (object) => {
          const conditions = types.map((type) => ({
            type,
            status: 'True',
            reason: type,
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          }));
          object['status'] = { resourceVersion, conditions };
        },
        'status',
      );
    for (const malformed of ['0', '01', '-1', 'x'])
      expect(await causes(report(malformed))).to.deep.equal(['invalid status.resourceVersion']);
    await report('99999999999999999999', 'Running');
    expect(await causes(report('1', 'Running'))).to.deep.equal(['invalid status.resourceVersion']);
    await report('99999999999999999999', 'Running', 'Succeeded');
    expect(await causes(report('99999999999999999999', 'Running'))).to.deep.equal(['invalid status.conditions']);
    expect(await causes(report('99999999999999999999', 'Succeeded', 'Failed'))).to.deep.equal(['invalid status.conditions']);
  });

  it('reads all versions that a server serves', async () => {
    const version = object('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', { spec: {} }, 'served.example.pods');
    await sample.create(version);
    const server = { apiServerID: 's', encodingVersion: 'v1', decodableVersions: ['v1'], servedVersions: ['v1', 'v2', 'a/b/c'] };
    const change = sample.update(
      version,
      (current) => {
        current['status'] = { storageVersions: [server], commonEncodingVersion: 'v1' };
      },
      'status',
    );
    expect(await causes(change)).to.deep.equal([
      'invalid status.storageVersions[0].servedVersions[1]',
      'invalid status.storageVersions[0].servedVersions[2]',
      'invalid status.storageVersions[0].servedVersions[2]',
    ]);
  });

  it('looks at the conditions of a migration before it looks at what has been set once', async () => {
    const kept = object(
      'storagemigration.k8s.io/v1beta1',
      'StorageVersionMigration',
      { spec: { resource: { group: '', resource: 'pods' } } },
      'm',
    );
    await sample.create(kept);
    const change = (status: JsonObject): Promise<unknown> =>
      sample.update(
        kept,
        (current) => {
          current['status'] = status;
        },
        'status',
      );
    await change({ resourceVersion: '5' });
    expect(await causes(change({ resourceVersion: '6', conditions: [{ type: 'Running', status: 'X' }] }))).to.deep.equal([
      'unsupported status.conditions[0].status',
      'required status.conditions[0].lastTransitionTime',
      'required status.conditions[0].reason',
      'invalid status.resourceVersion',
    ]);
  });

  describe('groups of pods', () => {
    const basic: JsonObject = { schedulingPolicy: { basic: {} } };
    const featured: JsonObject = {
      ...basic,
      schedulingConstraints: { topology: [{ key: 'k' }] },
      resourceClaims: [{ name: 'c', resourceClaimName: 'n' }],
      priorityClassName: 'p',
      priority: 7,
    };
    const features = { DRAWorkloadResourceClaims: true, TopologyAwareWorkloadScheduling: true, WorkloadAwarePreemption: true };
    const all = { ...featured, disruptionMode: 'Pod' };
    const setting = (member: string, value: JsonValue) => (each: ApiObject) => {
      (each['spec'] as JsonObject)[member] = value;
    };

    it('have nothing of features that are off, nor do workloads, nor do they get it later', async () => {
      const plain = await createSample();
      expect((await plain.create(group(featured)))['spec']).to.deep.equal(basic);
      expect((await plain.create(workload([{ name: 't', ...featured }])))['spec']).to.deep.equal({
        podGroupTemplates: [{ name: 't', ...basic }],
      });
      for (const [member, value] of Object.entries(all))
        expect((await plain.update(group({}), setting(member, value)))['spec'], member).to.deep.equal(basic);
    });

    it('have it where they are on, and are disrupted pod by pod unless told otherwise', async () => {
      const full = await createSample({ features });
      expect((await full.create(group(featured)))['spec']).to.deep.equal(all);
      expect(await causes(full.create(workload([{ name: 't', ...featured, priority: 1_000_000_001 }])))).to.deep.equal([
        'invalid spec.podGroupTemplates[0].priority',
      ]);
    });

    it('may be changed after the features have been switched on, or off', async () => {
      const plain = await createSample();
      await plain.create(group(basic));
      const full = await createSample({ storage: plain.storage, features });
      const label = ({ metadata }: ApiObject): void => {
        metadata.labels = { ...metadata.labels, [`l${metadata.resourceVersion}`]: 'x' };
      };
      expect(await causes(full.update(group({}), label))).to.deep.equal([]);
      expect(await causes(plain.update(group({}), label))).to.deep.equal([]);
    });

    it('never change, and are refused for each part that would have', async () => {
      const full = await createSample({ features });
      await full.create(group(featured));
      const changed: JsonObject = {
        podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
        schedulingPolicy: { gang: { minCount: 2 } },
        schedulingConstraints: null,
        resourceClaims: [],
        disruptionMode: 'PodGroup',
        priorityClassName: 'q',
        priority: 8,
      };
      const change = full.update(group({}), (each) => {
        each['spec'] = changed;
      });
      expect(await causes(change)).to.deep.equal(Object.keys(changed).map((member) => `invalid spec.${member}`));
    });

    it('are of the controller that their workload has had from the start', async () => {
      const plain = await createSample();
      await plain.create(workload([{ name: 't', ...basic }]));
      const change = plain.update(workload([]), setting('controllerRef', { kind: 'Job', name: 'j' }));
      expect(await causes(change)).to.deep.equal(['invalid spec.controllerRef']);
    });

    it('report of the claims that they have', async () => {
      const full = await createSample({ features });
      await full.create(group(featured));
      const report = (...resourceClaimStatuses: JsonObject[]): Promise<string[]> =>
        causes(
          full.update(
            group({}),
            (each) => {
              each['status'] = { resourceClaimStatuses };
            },
            'status',
          ),
        );
      expect(await report({ name: 'c', resourceClaimName: 'made' })).to.deep.equal([]);
      const path = 'status.resourceClaimStatuses';
      expect(await report({ name: 'c', resourceClaimName: 'A b' }, { name: 'd' }, { name: 'c' })).to.deep.equal([
        `invalid ${path}[1].name`,
        `duplicate ${path}[2]`,
        `invalid ${path}[0].resourceClaimName`,
      ]);
      const five = Array.from({ length: 5 }, () => ({ name: 'c' }));
      expect(await report(...five)).to.deep.equal([`many ${path}`]);
    });
  });

  for (const [kind, first] of [
    ['DeviceTaintRule', taint({ taint: { key: 'k', effect: 'NoSchedule' } })],
    ['PodGroup', group({ schedulingPolicy: { basic: {} } })],
    ['Workload', workload([{ name: 't', schedulingPolicy: { basic: {} } }])],
  ] as const)
    it(`tells three times what is wrong with the labels of a ${kind} that changes, not four times`, async () => {
      const fresh = await createSample();
      await fresh.create(first);
      const change = fresh.update(first, ({ metadata }) => {
        metadata.labels = { a: 'no value' };
      });
      expect(await causes(change)).to.deep.equal(Array<string>(3).fill('invalid metadata.labels'));
    });

  it('tells tolerations of runtime classes apart by all but their seconds', async () => {
    const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute' };
    const tolerations = [toleration, { ...toleration, tolerationSeconds: 5 }, { ...toleration, key: 'l' }];
    const wrong = object('node.k8s.io/v1', 'RuntimeClass', { handler: 'h', scheduling: { tolerations } }, 'r');
    expect(await causes(sample.create(wrong))).to.deep.equal(['duplicate scheduling.tolerations[1]']);
  });

  it('takes candidates, and keeps what they are candidates for', async () => {
    await sample.create(candidate(right));
    const change = sample.update(candidate(right), (object) => {
      object['spec'] = { ...right, leaseName: 'other' };
    });
    expect(await causes(change)).to.deep.equal(['invalid spec.leaseName']);
  });
});
