import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { differenceOf } from '../../../../../server/registry/validation/difference.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const object = (kind: string, content: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
  const slash = kind.lastIndexOf('/');
  return {
    apiVersion: slash < 0 ? 'v1' : kind.slice(0, slash),
    kind: kind.slice(slash + 1),
    metadata: { name: 'a', ...metadata },
    ...content,
  };
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const container = { name: 'c', image: 'i' };

/** What is wrong with a new object: one row for each family of rules. */
const refused: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  [
    'keys of config maps',
    object('ConfigMap', { data: { 'a b': '', '..': '', k: '' }, binaryData: { k: '' } }),
    ['invalid data[a b]', 'invalid data[..]', 'invalid data[k]'],
  ],
  ['large config maps', object('ConfigMap', { data: { k: 'x'.repeat(1024 * 1024 + 1) } }), ['long []']],
  ['secrets of types', object('Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }), ['required data[tls.key]']],
  [
    'credentials that are no JSON',
    object('Secret', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('x') } }),
    ['invalid data[.dockercfg]'],
  ],
  [
    'credentials that are no object',
    object('Secret', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('[]') } }),
    ['invalid data[.dockerconfigjson]'],
  ],
  [
    'tokens without account',
    object('Secret', { type: 'kubernetes.io/service-account-token' }),
    ['required metadata.annotations[kubernetes.io/service-account.name]'],
  ],
  [
    'limits that contradict each other',
    object('LimitRange', { spec: { limits: [{ type: 'Container', min: { cpu: '3' }, max: { cpu: '2' } }] } }),
    ['invalid spec.limits[0].min[cpu]', 'invalid spec.limits[0].defaultRequest[cpu]', 'invalid spec.limits[0].default[cpu]'],
  ],
  [
    'ratios of limits',
    object('LimitRange', { spec: { limits: [{ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }] } }),
    ['invalid spec.limits[0].maxLimitRequestRatio[cpu]'],
  ],
  [
    'types of limits',
    object('LimitRange', { spec: { limits: [{ type: 'X' }, { type: 'Pod', default: { cpu: '1' } }, { type: 'PersistentVolumeClaim' }] } }),
    ['invalid spec.limits[0].type', 'forbidden spec.limits[1].default', 'required spec.limits[2].limits'],
  ],
  [
    'names in quotas',
    object('ResourceQuota', { spec: { hard: { x: '1', pods: '500m', cpu: '-1' } } }),
    ['invalid spec.hard[x]', 'invalid spec.hard[x]', 'invalid spec.hard[pods]', 'invalid spec.hard[cpu]'],
  ],
  [
    'scopes of quotas',
    object('ResourceQuota', { spec: { hard: { services: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'X'] } }),
    ['invalid spec.scopes', 'invalid spec.scopes', 'invalid spec.scopes', 'invalid spec.scopes'],
  ],
  [
    'selectors of scopes',
    object('ResourceQuota', {
      spec: {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In' },
            { scopeName: 'BestEffort', operator: 'X' },
          ],
        },
      },
    }),
    [
      'required spec.scopeSelector.matchExpressions.values',
      'invalid spec.scopeSelector.matchExpressions.operator',
      'invalid spec.scopeSelector.matchExpressions.operator',
    ],
  ],
  [
    'addresses of endpoints',
    object('Endpoints', {
      subsets: [{}, { addresses: [{ ip: '127.0.0.1', hostname: 'A' }, { ip: 'x' }], ports: [{ port: 1 }, { port: 0, name: 'b' }] }],
    }),
    [
      'required subsets[0]',
      'invalid subsets[1].addresses[0].hostname',
      'invalid subsets[1].addresses[0].ip',
      'invalid subsets[1].addresses[1].ip',
      'invalid subsets[1].addresses[1].ip',
      'required subsets[1].ports[0].name',
      'invalid subsets[1].ports[1].port',
    ],
  ],
  [
    'slices of endpoints',
    object('discovery.k8s.io/v1/EndpointSlice', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['::2'] }, {}],
      ports: [{ name: 'x' }, { name: 'x', protocol: 'y' }],
    }),
    ['duplicate ports[1].name', 'unsupported ports[1].protocol', 'invalid endpoints[0].addresses', 'required endpoints[1].addresses'],
  ],
  [
    'domain names in slices',
    object('discovery.k8s.io/v1/EndpointSlice', { addressType: 'FQDN', endpoints: [{ addresses: ['com', 'a.b', 'A.b'] }], ports: [] }),
    ['invalid endpoints[0].addresses[0]', 'invalid endpoints[0].addresses[2]'],
  ],
  [
    'names of events, which are free in the core group',
    object('Event', { involvedObject: { namespace: 'other' } }, { name: 'Foo_Bar.' }),
    ['invalid involvedObject.namespace'],
  ],
  [
    'names of events of the newer group',
    object(
      'events.k8s.io/v1/Event',
      {
        regarding: { namespace: 'default' },
        type: 'Normal',
        eventTime: '2026-01-01T00:00:00.000001Z',
        reportingController: 'a',
        reportingInstance: 'b',
        action: 'c',
        reason: 'd',
      },
      { name: 'Foo_Bar.' },
    ),
    ['invalid metadata.name'],
  ],
  ['namespaces of events', object('Event', { involvedObject: { namespace: 'other' } }), ['invalid involvedObject.namespace']],
  [
    'events of the newer style',
    object('Event', { involvedObject: { namespace: 'default' }, eventTime: '2026-01-01T00:00:00.000001Z', reportingComponent: 'a/b/c' }),
    ['invalid reportingComponent', 'required reportingInstance', 'required action', 'required reason'],
  ],
  [
    'events of the newer group',
    object('events.k8s.io/v1/Event', { regarding: { namespace: 'default' }, type: 'X', deprecatedCount: 2, series: { count: 1 } }),
    ['invalid series.count', 'required series.lastObservedTime', 'required eventTime', 'invalid type', 'invalid count'],
  ],
  [
    'a range of a node that is there twice, which is of one family',
    object('Node', { spec: { podCIDRs: ['10.1.0.0/24', '10.1.0.0/24'] } }),
    ['invalid spec.podCIDRs'],
  ],
  [
    'ranges of a node of which one cannot be read',
    object('Node', { spec: { podCIDRs: ['10.1.0.0/24', 'x'] } }),
    ['invalid spec.podCIDRs[1]', 'internal spec.podCIDRs', 'invalid spec.podCIDRs'],
  ],
  [
    'taints in an annotation of a node',
    object('Node', {}, { annotations: { 'scheduler.alpha.kubernetes.io/taints': '[{"Key":"k","effect":"X"}]' } }),
    ['unsupported metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect'],
  ],
  [
    'annotations of nodes that cannot be read',
    object(
      'Node',
      {},
      {
        annotations: { 'scheduler.alpha.kubernetes.io/taints': '["x"]', 'scheduler.alpha.kubernetes.io/preferAvoidPods': '[]' },
      },
    ),
    ['invalid metadata.annotations', 'invalid metadata.annotations.AvoidPods'],
  ],
  [
    'pods that a node avoids',
    object(
      'Node',
      {},
      {
        annotations: {
          'scheduler.alpha.kubernetes.io/preferAvoidPods': JSON.stringify({
            preferAvoidPods: [
              { podSignature: {} },
              { podSignature: { podController: { controller: false } } },
              { podSignature: { podController: { controller: true } } },
            ],
          }),
        },
      },
    ),
    [
      'required metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature',
      'invalid metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[1].PodSignature.PodController',
    ],
  ],
  [
    'metadata of events, where nothing else is wrong',
    object('Event', { involvedObject: { namespace: 'default' } }, { labels: { 'a b': '' } }),
    ['invalid metadata.labels'],
  ],
  [
    'metadata of events, which is not looked at otherwise',
    object('Event', { involvedObject: { namespace: 'other' } }, { labels: { 'a b': '' } }),
    ['invalid involvedObject.namespace'],
  ],
  [
    'metadata of events of the newer group, after the rules of both',
    object('events.k8s.io/v1/Event', { regarding: { namespace: 'other' }, type: 'Normal', deprecatedCount: 1 }, { labels: { 'a b': '' } }),
    ['invalid involvedObject.namespace', 'invalid metadata.labels', 'required eventTime', 'invalid count'],
  ],
  [
    'taints and ranges of nodes',
    object('Node', { spec: { taints: [{ key: '', effect: 'X' }], podCIDRs: ['10.0.0.1/24', '10.1.0.0/24'] } }),
    [
      'invalid metadata.taints[0].key',
      'invalid metadata.taints[0].key',
      'unsupported metadata.taints[0].effect',
      'invalid spec.podCIDRs[0]',
      'invalid spec.podCIDRs',
    ],
  ],
  [
    'empty volumes',
    object('PersistentVolume'),
    ['required spec.accessModes', 'required spec.capacity', 'unsupported spec.capacity', 'required spec'],
  ],
  [
    'two sources of a volume',
    object('PersistentVolume', {
      spec: {
        capacity: { storage: '1' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'a b', volumeHandle: 'h' },
        hostPath: { path: '/' },
        persistentVolumeReclaimPolicy: 'Recycle',
      },
    }),
    ['forbidden spec.csi', 'forbidden spec.persistentVolumeReclaimPolicy'],
  ],
  [
    'local volumes anywhere',
    object('PersistentVolume', { spec: { capacity: { storage: '0' }, accessModes: ['X'], local: { path: '/a/..' } } }),
    ['unsupported spec.accessModes', 'invalid spec.capacity[storage]', 'invalid spec.local.path', 'required spec.nodeAffinity'],
  ],
  [
    'mount options of volumes that take none',
    object(
      'PersistentVolume',
      { spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
      { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } },
    ),
    ['forbidden metadata.annotations.volume.beta.kubernetes.io/mount-options'],
  ],
  [
    'secrets of volumes',
    object('PersistentVolume', {
      spec: {
        capacity: { storage: '1' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'd', volumeHandle: 'h', nodeExpandSecretRef: { name: 'A' } },
      },
    }),
    ['invalid spec.csi.nodeExpandSecretRef.name', 'required spec.csi.nodeExpandSecretRef.namespace'],
  ],
  [
    'volumes inside attachments',
    object('storage.k8s.io/v1/VolumeAttachment', {
      spec: {
        attacher: 'd',
        nodeName: 'n',
        source: { inlineVolumeSpec: { capacity: { storage: '1' }, hostPath: { path: '' }, volumeMode: 'Block' } },
      },
    }),
    [
      'forbidden spec.source.inlineVolumeSpec.capacity',
      'required spec.source.inlineVolumeSpec.csi',
      'required spec.source.inlineVolumeSpec.accessModes',
      'required spec.source.inlineVolumeSpec.hostPath.path',
      'forbidden spec.source.inlineVolumeSpec.volumeMode',
    ],
  ],
  ['policies of priority', object('scheduling.k8s.io/v1/PriorityClass', { value: 1, preemptionPolicy: '' }), ['required preemptionPolicy']],
  [
    'an image as a volume of a template, which may be named later',
    object('PodTemplate', { template: { spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', image: {} }] } } }),
    [],
  ],
  [
    'two sources of a volume, of which one is always looked at',
    object('PersistentVolume', {
      spec: {
        capacity: { storage: '1' },
        accessModes: ['ReadWriteOnce'],
        glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' },
        flexVolume: {},
        cephfs: { monitors: ['m'] },
      },
    }),
    ['invalid spec.glusterfs.endpointsNamespace', 'forbidden spec.cephFS', 'required spec.flexVolume.driver'],
  ],
  ['empty claims', object('PersistentVolumeClaim'), ['required spec.accessModes', 'required spec.resources[storage]']],
  [
    'sources of claims',
    object('PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } }, dataSourceRef: { kind: 'Pod', name: '' } },
    }),
    ['required spec.dataSource.name', 'invalid spec.dataSource', 'required spec.dataSourceRef.name', 'invalid spec.dataSourceRef'],
  ],
  [
    'pod templates',
    object('PodTemplate', { template: { metadata: { labels: { 'a b': '' } } } }),
    ['invalid template.labels', 'required template.spec.containers'],
  ],
  [
    'replication controllers',
    object('ReplicationController', {
      spec: {
        replicas: -1,
        selector: { a: 'b' },
        template: { metadata: { labels: { a: 'c' } }, spec: { restartPolicy: 'Never', containers: [container] } },
      },
    }),
    ['invalid spec.replicas', 'invalid spec.template.metadata.labels', 'unsupported spec.template.spec.restartPolicy'],
  ],
  ['replication controllers without pods', object('ReplicationController'), ['required spec.selector', 'required spec.template']],
];

describe('registry/core', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  /** Whether a change to an object is accepted. */
  async function changing(kind: string, content: JsonObject, change: JsonObject, subresource = ''): Promise<string[]> {
    const created = object(kind, content);
    await sample.create(created);
    return causes(
      sample.update(
        created,
        (current) => {
          merge(current, change);
        },
        subresource,
      ),
    );
  }

  it('keeps frozen data as it is', async () => {
    expect(await changing('ConfigMap', { immutable: true, data: { k: 'v' } }, { immutable: false, data: { k: 'w' } })).to.deep.equal([
      'forbidden immutable',
      'forbidden data',
    ]);
    expect(await changing('Secret', { immutable: true }, { metadata: { labels: { a: 'b' } } })).to.deep.equal([]);
  });

  it('takes an empty map for a change of frozen data, unless there is always one', async () => {
    expect(await changing('Secret', { immutable: true }, { data: {} })).to.deep.equal(['forbidden data']);
    await sample.remove('ConfigMap', 'a').catch(() => undefined);
    expect(await changing('ConfigMap', { immutable: true }, { data: {}, binaryData: {} })).to.deep.equal(['forbidden binaryData']);
  });

  it('gives a limit range without a name one', async () => {
    const { metadata } = await sample.create(object('LimitRange', { spec: { limits: [] } }, { name: '' }));
    expect(metadata.name).to.match(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  it('keeps no configuration of kubelets and no amounts finer than a thousandth with nodes', async () => {
    const configMap = { name: 'c', namespace: 'default', kubeletConfigKey: 'k' };
    const node = object('Node', {
      spec: { configSource: { configMap } },
      status: { capacity: { cpu: '1.0005' }, config: { assigned: { configMap } } },
    });
    const created = await sample.create(node);
    expect(created['spec']).to.not.have.property('configSource');
    expect(created['status']).to.deep.include({ capacity: { cpu: '1001m' }, allocatable: { cpu: '1001m' } });
    expect(created['status']).to.not.have.property('config');
    const updated = await sample.update(
      node,
      (current) => {
        merge(current, { status: { config: { assigned: { configMap } } } });
      },
      'status',
    );
    expect(updated['status']).to.not.have.property('config');
  });

  it('takes a status of a namespace that names no phase for an active one', async () => {
    const namespace = object('Namespace');
    await sample.create(namespace);
    const updated = await sample.update(
      namespace,
      (current) => {
        current['status'] = {};
      },
      'status',
    );
    expect(updated['status']).to.deep.equal({ phase: 'Active' });
  });

  it('lets labels of a namespace change along with its finalizers', async () => {
    const namespace = object('Namespace');
    await sample.create(namespace);
    const updated = await sample.update(
      namespace,
      (current) => {
        merge(current, { metadata: { labels: { a: 'b' } } });
      },
      'finalize',
    );
    expect(updated.metadata.labels).to.include({ a: 'b' });
  });

  it('keeps types, scopes and address families', async () => {
    expect(await changing('Secret', {}, { type: 'x' })).to.deep.equal(['invalid type']);
    expect(await changing('ResourceQuota', { spec: { scopes: ['Terminating'] } }, { spec: { scopes: ['NotTerminating'] } })).to.deep.equal([
      'invalid spec.scopes',
    ]);
    expect(
      await changing('discovery.k8s.io/v1/EndpointSlice', { addressType: 'IPv4', endpoints: [], ports: [] }, { addressType: 'IPv6' }),
    ).to.deep.equal(['invalid addressType']);
  });

  it('lets events of the newer group change in their series only', async () => {
    const content = {
      regarding: { namespace: 'default' },
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000001Z',
      reportingController: 'c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
    };
    expect(
      await changing('events.k8s.io/v1/Event', content, {
        note: 'x',
        reason: 'y',
        series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
      }),
    ).to.deep.equal(['invalid reason', 'invalid message', 'invalid reason']);
  });

  it('keeps what a node has been given', async () => {
    expect(
      await changing(
        'Node',
        { spec: { podCIDR: '10.1.0.0/24', providerID: 'x' } },
        { spec: { podCIDR: '10.2.0.0/24', providerID: 'y', taints: [{ key: 'k', effect: 'X' }] } },
      ),
    ).to.deep.equal([
      'unsupported metadata.taints[0].effect',
      'forbidden spec.podCIDRs',
      'forbidden spec.providerID',
      'unsupported metadata.taints[0].effect',
    ]);
  });

  it('shows what was changed in a claim that is not bound', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = object('PersistentVolumeClaim', { spec });
    await sample.create(claim);
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { volumeName: 'v' } });
        }),
      ),
    ).to.deep.equal([]);
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { volumeName: 'w', resources: { requests: { storage: '512Mi' } } } });
        }),
      ),
    ).to.deep.equal(['forbidden spec']);
    await sample.update(
      claim,
      (current) => {
        merge(current, { status: { phase: 'Bound', capacity: { storage: '512Mi' } } });
      },
      'status',
    );
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { resources: { requests: { storage: '256Mi' } } } });
        }),
      ),
    ).to.deep.equal(['forbidden spec.resources.requests.storage']);
    expect(
      await causes(
        sample.update(claim, (current) => {
          merge(current, { spec: { resources: { requests: { storage: '768Mi' } } } });
        }),
      ),
    ).to.deep.equal([]);
  });

  it('keeps the source of a volume', async () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
    expect(await changing('PersistentVolume', { spec }, { spec: { hostPath: { path: '/b' }, volumeMode: 'Block' } })).to.deep.equal([
      'forbidden spec.persistentvolumesource',
      'invalid volumeMode',
    ]);
  });

  it('lets node affinity of volumes change to the stable names of labels only', async () => {
    const affinity = (key: string): JsonObject => ({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
    });
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      local: { path: '/a' },
      nodeAffinity: affinity('failure-domain.beta.kubernetes.io/zone'),
    };
    expect(await changing('PersistentVolume', { spec }, { spec: { nodeAffinity: affinity('other') } })).to.deep.equal([
      'invalid nodeAffinity',
    ]);
    await sample.remove('PersistentVolume', 'a');
    expect(await changing('PersistentVolume', { spec }, { spec: { nodeAffinity: affinity('topology.kubernetes.io/zone') } })).to.deep.equal(
      [],
    );
  });

  it('drops sources of claims in other namespaces', async () => {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSourceRef: { kind: 'X', name: 'b', namespace: 'other' },
    };
    expect((await sample.create(object('PersistentVolumeClaim', { spec })))['spec']).to.not.have.any.keys('dataSource', 'dataSourceRef');
  });

  it('shows changes around the longest run of lines that stayed', () => {
    expect(differenceOf(['a', 'b', 'x', 'y', 'z'], ['x', 'y', 'z', 'a'])).to.equal(
      '@@ -1,7 +1,6 @@\n [\n- "a",\n- "b",\n  "x",\n  "y",\n- "z"\n+ "z",\n+ "a"\n ]\n',
    );
  });

  it('lets a claim take its class from the annotation, and what is allocated be storage alone', async () => {
    const annotation = 'volume.beta.kubernetes.io/storage-class';
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = object('PersistentVolumeClaim', { spec });
    (claim['metadata'] as JsonObject)['annotations'] = { [annotation]: 'fast' };
    await sample.create(claim);
    const classed =
      (annotated: string) =>
      (current: ApiObject): void => {
        merge(current, { spec: { storageClassName: 'fast' }, metadata: { annotations: { [annotation]: annotated } } });
      };
    expect(await causes(sample.update(claim, classed('slow')))).to.deep.equal([`invalid metadata.annotations.${annotation}`]);
    expect(await causes(sample.update(claim, classed('fast')))).to.deep.equal([]);
    const status = {
      allocatedResources: { storage: '1Gi', cpu: '1', 'example.com/x': '1' },
      allocatedResourceStatuses: { storage: 'Odd' },
    };
    expect(await causes(sample.update(claim, (current) => void merge(current, { status }), 'status'))).to.deep.equal([
      'unsupported status.allocatedResourceStatuses',
      'unsupported status.allocatedResources',
    ]);
  });

  it('notes when a volume changed its phase', async () => {
    const volume = object('PersistentVolume', {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nfs: { server: 's', path: '/' } },
    });
    const created = await sample.create(volume);
    expect(created['status']).to.have.keys('phase', 'lastPhaseTransitionTime');
    const bound = await sample.update(
      volume,
      (current) => {
        current['status'] = { phase: 'Bound', lastPhaseTransitionTime: '2001-01-01T00:00:00Z' };
      },
      'status',
    );
    expect(bound['status']).to.deep.equal({ phase: 'Bound', lastPhaseTransitionTime: '2001-01-01T00:00:00Z' });
    const released = await sample.update(
      volume,
      (current) => {
        (current['status'] as JsonObject)['phase'] = 'Released';
      },
      'status',
    );
    expect((released['status'] as JsonObject)['lastPhaseTransitionTime']).to.not.equal('2001-01-01T00:00:00Z');
  });

  it('keeps the subsets of endpoints as they are written', async () => {
    const subsets = ['192.0.2.2', '192.0.2.1'].map((ip) => ({ addresses: [{ ip }], ports: [{ name: 'x', port: 1, protocol: 'TCP' }] }));
    expect((await sample.create(object('Endpoints', { subsets })))['subsets']).to.deep.equal(subsets);
  });

  it('says when endpoints changed in a time, where they are created', async () => {
    const annotation = 'endpoints.kubernetes.io/last-change-trigger-time';
    const subsets = [{ addresses: [{ ip: '192.0.2.2' }], ports: [{ port: 1 }] }];
    const endpoints = { ...object('Endpoints', { subsets }) };
    const metadata = { ...(endpoints['metadata'] as JsonObject), annotations: { [annotation]: 'date' } };
    expect(await causes(sample.create({ ...endpoints, metadata }))).to.deep.equal([`invalid annotations[${annotation}]`]);
    await sample.create(endpoints);
    const updated = await sample.update(endpoints, (current) => {
      current.metadata.annotations = { [annotation]: 'date' };
    });
    expect(updated.metadata.annotations).to.deep.equal({ [annotation]: 'date' });
  });

  it('checks an updated network policy, daemon set and range of addresses once', async () => {
    expect(
      await changing(
        'networking.k8s.io/v1/NetworkPolicy',
        { spec: { podSelector: {} } },
        { spec: { podSelector: { matchLabels: { a: 'bad value!' } } } },
      ),
    ).to.deep.equal(['invalid spec.podSelector.matchLabels']);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    expect(
      await changing(
        'apps/v1/DaemonSet',
        { spec: { selector: { matchLabels: { a: 'b' } }, template } },
        { spec: { selector: { matchLabels: { a: 'c' } } } },
      ),
    ).to.deep.equal(['invalid spec.selector', 'invalid spec.template.metadata.labels']);
    expect(
      await changing('networking.k8s.io/v1/ServiceCIDR', { spec: { cidrs: ['10.0.0.0/24'] } }, { spec: { cidrs: ['x'] } }),
    ).to.deep.equal(['invalid spec.cidrs[0]']);
  });

  it('gives claims of a template labels and annotations only', async () => {
    const spec = { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } };
    const metadata = { name: 'n', uid: 'u', finalizers: [], deletionGracePeriodSeconds: 0 };
    const kind = 'resource.k8s.io/v1/ResourceClaimTemplate';
    const expected = ['name', 'uID', 'deletionGracePeriodSeconds', 'finalizers'].map((member) => `forbidden spec.metadata.${member}`);
    expect(await causes(sample.create(object(kind, { spec: { ...spec, metadata } })))).to.deep.equal(expected);
    expect(await changing(kind, { spec }, { spec: { metadata } })).to.deep.equal([...expected, 'invalid spec']);
  });

  it('holds metrics of autoscalers in annotations, in the form of version 1', async () => {
    const annotations = {
      'autoscaling.alpha.kubernetes.io/behavior':
        '{"ScaleUp":{"StabilizationWindowSeconds":5,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
      'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"5"}}]',
    };
    const { autoscalerConversion } = await import('../../../../../server/kinds/autoscaling/conversion.js');
    const stored = autoscalerConversion.toStorage(
      object('autoscaling/v1/HorizontalPodAutoscaler', { spec: { maxReplicas: 2 } }, { annotations }) as ApiObject,
    );
    expect(stored['spec']).to.deep.equal({
      maxReplicas: 2,
      metrics: [{ type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '5' } } }],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 5, selectPolicy: 'Max', policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] },
      },
    });
    const back = autoscalerConversion.fromStorage(stored).metadata.annotations ?? {};
    expect(Object.fromEntries(Object.entries(back).map(([name, text]) => [name, JSON.parse(text) as unknown]))).to.deep.equal(
      Object.fromEntries(Object.entries(annotations).map(([name, text]) => [name, JSON.parse(text) as unknown])),
    );
  });

  it('counts changes of slices, of their labels too', async () => {
    const slice = object('discovery.k8s.io/v1/EndpointSlice', { addressType: 'IPv4', endpoints: [], ports: [] });
    const generations = [await sample.create(slice)];
    for (const metadata of [{ annotations: { a: 'b' } }, { labels: { a: 'b' } }])
      generations.push(
        await sample.update(slice, (current) => {
          merge(current, { metadata });
        }),
      );
    expect(generations.map(({ metadata }) => metadata.generation)).to.deep.equal([1, 1, 2]);
  });

  it('takes selector and labels of a replication controller from its pods', async () => {
    const created = await sample.create(
      object('ReplicationController', { spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } } } }),
    );
    expect([
      created.metadata.labels,
      (created['spec'] as JsonObject)['selector'],
      (created['spec'] as JsonObject)['replicas'],
      created['status'],
    ]).to.deep.equal([{ a: 'b' }, { a: 'b' }, 1, { replicas: 0 }]);
  });

  it('warns of certificates that do not fit and of volumes that nothing mounts any more', async () => {
    await sample.create(object('Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': base64('x'), 'tls.key': '' } }));
    await sample.create(
      object('PersistentVolume', {
        spec: { capacity: { storage: '1500m' }, accessModes: ['ReadWriteOnce'], rbd: { monitors: ['m'], image: 'i' } },
      }),
    );
    expect(sample.warnings()).to.deep.equal([
      'tls: failed to find any PEM data in certificate input',
      'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
    ]);
  });
});

/** Sets members, also nested ones. */
function merge(target: ApiObject | JsonObject, changes: JsonObject): void {
  for (const [member, value] of Object.entries(changes)) {
    const present = target[member];
    if (
      value !== null &&
      typeof value === 'object' &&
      !Array.isArray(value) &&
      present !== null &&
      typeof present === 'object' &&
      !Array.isArray(present)
    )
      merge(present, value);
    else target[member] = value;
  }
}
