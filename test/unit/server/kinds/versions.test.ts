import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { servedObject } from '../../../../server/registry/conversion.js';
import { createSample, type Sample } from '../registry/sample.js';

/** One stored object, read through every served version. */

const catalogue = createCatalogue({ serves: () => true });
const metadata = { name: 'a' };
const request = { name: 'r', deviceClassName: 'c', count: 2 };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const metric = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };

interface Row {
  readonly what: string;
  readonly written: JsonObject;
  /** By version: members at a path of names and indices. */
  readonly seen: Readonly<Record<string, readonly (readonly [path: string, value: unknown])[]>>;
}

const rows: readonly Row[] = [
  {
    what: 'autoscalers of the first version',
    written: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { maxReplicas: 3, scaleTargetRef: target, targetCPUUtilizationPercentage: 60 },
    },
    seen: {
      'autoscaling/v2': [
        ['spec.metrics', [metric]],
        ['spec.targetCPUUtilizationPercentage', undefined],
      ],
      'autoscaling/v1': [
        ['spec.targetCPUUtilizationPercentage', 60],
        ['spec.metrics', undefined],
      ],
    },
  },
  {
    what: 'autoscalers of the second version',
    written: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { maxReplicas: 3, scaleTargetRef: target, metrics: [metric], minReplicas: 2 },
    },
    seen: {
      'autoscaling/v1': [
        ['spec.targetCPUUtilizationPercentage', 60],
        ['spec.minReplicas', 2],
      ],
      'autoscaling/v2': [['spec.metrics', [metric]]],
    },
  },
  {
    what: 'events of the core',
    written: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      message: 'm',
      count: 2,
      source: { component: 's' },
    },
    seen: {
      'events.k8s.io/v1': [
        ['regarding.name', 'p'],
        ['note', 'm'],
        ['deprecatedCount', 2],
        ['deprecatedSource.component', 's'],
        ['involvedObject', undefined],
      ],
      v1: [
        ['involvedObject.name', 'p'],
        ['message', 'm'],
        ['count', 2],
      ],
    },
  },
  {
    what: 'events of the newer group',
    written: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      note: 'n',
      type: 'Normal',
      reason: 'r',
      action: 'a',
      eventTime: '2026-01-01T00:00:00.000001Z',
      reportingController: 'x.example/c',
      reportingInstance: 'i',
    },
    seen: {
      v1: [
        ['involvedObject.name', 'p'],
        ['message', 'n'],
        ['reportingComponent', 'x.example/c'],
      ],
      'events.k8s.io/v1': [
        ['regarding.name', 'p'],
        ['reportingController', 'x.example/c'],
      ],
    },
  },
  {
    what: 'claims of the first beta version',
    written: { apiVersion: 'resource.k8s.io/v1beta1', kind: 'ResourceClaim', metadata, spec: { devices: { requests: [request] } } },
    seen: {
      'resource.k8s.io/v1': [
        ['spec.devices.requests.0.exactly.deviceClassName', 'c'],
        ['spec.devices.requests.0.exactly.allocationMode', 'ExactCount'],
        ['spec.devices.requests.0.count', undefined],
      ],
      'resource.k8s.io/v1beta2': [['spec.devices.requests.0.exactly.count', 2]],
      'resource.k8s.io/v1beta1': [
        ['spec.devices.requests.0.count', 2],
        ['spec.devices.requests.0.exactly', undefined],
      ],
    },
  },
  {
    what: 'claims of alternatives',
    written: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata,
      spec: { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 'a', deviceClassName: 'c' }] }] } },
    },
    seen: {
      'resource.k8s.io/v1beta1': [['spec.devices.requests.0.deviceClassName', '']],
      'resource.k8s.io/v1': [
        ['spec.devices.requests.0.exactly', undefined],
        ['spec.devices.requests.0.deviceClassName', undefined],
      ],
    },
  },
  {
    what: 'templates of claims',
    written: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata,
      spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
    },
    seen: {
      'resource.k8s.io/v1beta1': [
        ['spec.spec.devices.requests.0.deviceClassName', 'c'],
        ['spec.spec.devices.requests.0.count', 1],
      ],
      'resource.k8s.io/v1': [['spec.spec.devices.requests.0.exactly.count', 1]],
    },
  },
  {
    what: 'slices',
    written: {
      apiVersion: 'resource.k8s.io/v1beta1',
      kind: 'ResourceSlice',
      metadata,
      spec: {
        driver: 'd.example',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'x', basic: { attributes: { k: { string: 'v' } } } }],
      },
    },
    seen: {
      'resource.k8s.io/v1': [
        ['spec.devices.0.attributes.k.string', 'v'],
        ['spec.devices.0.basic', undefined],
      ],
      'resource.k8s.io/v1beta1': [
        ['spec.devices.0.basic.attributes.k.string', 'v'],
        ['spec.devices.0.name', 'x'],
      ],
    },
  },
  ...[
    ['networking.k8s.io', ['v1', 'v1beta1'], 'ServiceCIDR', { spec: { cidrs: ['10.9.0.0/24'] } }, 'spec.cidrs.0', '10.9.0.0/24'],
    ['storage.k8s.io', ['v1', 'v1beta1'], 'VolumeAttributesClass', { driverName: 'd', parameters: { a: 'b' } }, 'parameters.a', 'b'],
    [
      'coordination.k8s.io',
      ['v1beta1', 'v1alpha2'],
      'LeaseCandidate',
      { spec: { leaseName: 'l', binaryVersion: '1.36.0', strategy: 'OldestEmulationVersion', emulationVersion: '1.36.0' } },
      'spec.leaseName',
      'l',
    ],
    ['resource.k8s.io', ['v1', 'v1beta2', 'v1beta1'], 'DeviceClass', { spec: { config: [] } }, 'metadata.name', 'a'],
  ].map(([group, versions, kind, content, path, value]): Row => ({
    what: `${String(kind)} in all versions`,
    written: {
      apiVersion: `${String(group)}/${(versions as string[]).at(-1) ?? ''}`,
      kind: String(kind),
      metadata,
      ...(content as JsonObject),
    },
    seen: Object.fromEntries((versions as string[]).map((version) => [`${String(group)}/${version}`, [[String(path), value] as const]])),
  })),
];

const memberAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((holder, name) => (holder as Record<string, unknown> | undefined)?.[name], object);

async function expectSeen({ registry }: Sample, kind: string, seen: Row['seen']): Promise<void> {
  for (const [apiVersion, expected] of Object.entries(seen)) {
    const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const resource = catalogue.kind(group, version, kind);
    if (resource === null) throw new Error(`no ${apiVersion}`);
    const at = { resource, namespace: resource.namespaced ? 'default' : '', name: 'a' };
    const shown = servedObject(resource, await registry.get(at, { at: 'mostRecent' }));
    for (const [path, value] of expected) expect(memberAt(shown, path), `${apiVersion} ${path}`).to.deep.equal(value);
  }
}

describe('registry, versions of a type', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const { what, written, seen } of rows) {
    it(`shows ${what} in each`, async () => {
      await sample.create(written);
      await expectSeen(sample, String(written['kind']), seen);
    });

    it(`keeps ${what} when writers of each own parts`, async () => {
      await sample.create(written);
      for (const apiVersion of Object.keys(seen))
        await sample.update(
          { ...written, apiVersion },
          ({ metadata }) => (metadata.labels = { ...metadata.labels, [apiVersion.replace('/', '-')]: 'x' }),
        );
      await expectSeen(sample, String(written['kind']), seen);
    });
  }

  it('stores one form, whatever was written', async () => {
    const spec = { maxReplicas: 3, scaleTargetRef: target };
    for (const [version, name] of [
      ['v1', 'a'],
      ['v2', 'b'],
    ] as const)
      await sample.create({ apiVersion: `autoscaling/${version}`, kind: 'HorizontalPodAutoscaler', metadata: { name }, spec });
    const resource = catalogue.kind('autoscaling', 'v2', 'HorizontalPodAutoscaler');
    if (resource === null) throw new Error('no autoscalers');
    const stored = await Promise.all(
      ['a', 'b'].map(
        async (name) => (await sample.registry.get({ resource, namespace: 'default', name }, { at: 'mostRecent' })).decode()['spec'],
      ),
    );
    expect(stored[0]).to.deep.equal(stored[1]);
  });
});
