import { expect } from 'chai';
import type { JsonObject } from '../../../server/api/object.js';
import { causes, createSample, type Sample } from './sample.js';

/** Kinds of versions that are off by default: nothing was recorded of them, so that their rules are those of their published fields. */
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
  ['a binary older than what it emulates', candidate({ ...right, binaryVersion: '1.34.0' }), ['invalid spec.binaryVersion']],
  ['a strategy of nobody', candidate({ ...right, strategy: 'Youngest' }), ['unsupported spec.strategy.strategy']],
  ['a migration of nothing', migration({}), ['required spec.resource.resource']],
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

describe('registry/rare kinds', () => {
  let sample: Sample;
  before(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`refuses ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('takes candidates, and keeps what they are candidates for', async () => {
    await sample.create(candidate(right));
    const change = sample.update(candidate(right), (object) => {
      object['spec'] = { ...right, leaseName: 'other' };
    });
    expect(await causes(change)).to.deep.equal(['invalid spec.leaseName']);
  });
});
