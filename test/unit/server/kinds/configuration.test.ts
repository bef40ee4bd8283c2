import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { causes, createSample, type Sample } from '../registry/sample.js';

/** Kinds that configure the cluster: rights, storage, traffic. */

const object = (kind: string, content: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
  const slash = kind.lastIndexOf('/');
  return { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1), metadata: { name: 'a', ...metadata }, ...content };
};

const rbac = 'rbac.authorization.k8s.io/v1';
const storage = 'storage.k8s.io/v1';
const network = 'networking.k8s.io/v1';
const flow = 'flowcontrol.apiserver.k8s.io/v1';
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
const backend = { service: { name: 's', port: { number: 80 } } };
const limited = { lendablePercent: 0, limitResponse: { type: 'Reject' } };
const subject = { kind: 'Group', group: { name: 'g' } };

const refused: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  [
    'empty rules of roles',
    object(`${rbac}/Role`, { rules: [{}] }),
    ['required rules[0].verbs', 'required rules[0].apiGroups', 'required rules[0].resources'],
  ],
  [
    'paths in namespaced roles',
    object(`${rbac}/Role`, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }),
    ['invalid rules[0].nonResourceURLs'],
  ],
  [
    'paths beside resources',
    object(`${rbac}/ClusterRole`, { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/x'] }] }),
    ['invalid rules[0].nonResourceURLs'],
  ],
  [
    'aggregation without selectors',
    object(`${rbac}/ClusterRole`, { aggregationRule: {} }),
    ['required aggregationRule.clusterRoleSelectors'],
  ],
  [
    'references to roles',
    object(`${rbac}/ClusterRoleBinding`, { roleRef: { apiGroup: 'x', kind: 'Role', name: '' } }),
    ['unsupported roleRef.apiGroup', 'unsupported roleRef.kind', 'required roleRef.name'],
  ],
  [
    'subjects of bindings',
    object(`${rbac}/ClusterRoleBinding`, {
      roleRef: role,
      subjects: [
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'User', name: '', apiGroup: 'x' },
        { kind: 'Pod', name: 'p' },
      ],
    }),
    ['required subjects[0].namespace', 'required subjects[1].name', 'unsupported subjects[1].apiGroup', 'unsupported subjects[2].kind'],
  ],

  ['priorities of users', object('scheduling.k8s.io/v1/PriorityClass', { value: 1_000_000_001 }), ['forbidden value']],
  [
    'names of system priorities',
    object('scheduling.k8s.io/v1/PriorityClass', { value: 1, preemptionPolicy: 'Maybe' }, { name: 'system-a' }),
    ['forbidden metadata.name', 'unsupported preemptionPolicy'],
  ],
  [
    'handlers of runtimes',
    object('node.k8s.io/v1/RuntimeClass', {
      handler: 'A b',
      overhead: { podFixed: { cpu: '-1' } },
      scheduling: { nodeSelector: { 'a b': 'c' } },
    }),
    ['invalid handler', 'invalid overhead.limits[cpu]', 'invalid scheduling.nodeSelector'],
  ],
  [
    'durations of leases',
    object('coordination.k8s.io/v1/Lease', { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
    ['invalid spec.leaseDurationSeconds', 'invalid spec.leaseTransitions'],
  ],

  [
    'classes of storage',
    object(`${storage}/StorageClass`, { provisioner: '', reclaimPolicy: 'Recycle', parameters: { '': 'x' }, volumeBindingMode: 'Later' }),
    ['required provisioner', 'invalid parameters', 'unsupported reclaimPolicy', 'unsupported volumeBindingMode'],
  ],
  [
    'topologies of storage',
    object(`${storage}/StorageClass`, {
      provisioner: 'p',
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'k', values: ['v', 'v'] },
            { key: 'l', values: [] },
          ],
        },
      ],
    }),
    ['duplicate allowedTopologies[0].matchLabelExpressions[0].values[1]', 'required allowedTopologies[0].matchLabelExpressions[1].values'],
  ],
  ['attributes of volumes', object(`${storage}/VolumeAttributesClass`, { driverName: 'd', parameters: {} }), ['required parameters']],
  [
    'drivers',
    object(
      `${storage}/CSIDriver`,
      {
        spec: {
          volumeLifecycleModes: ['x'],
          fsGroupPolicy: 'y',
          tokenRequests: [{ audience: 'a', expirationSeconds: 1 }, { audience: 'a' }],
        },
      },
      { name: '-d' },
    ),
    [
      'invalid metadata.name',
      'unsupported spec.fsGroupPolicy',
      'invalid spec.tokenRequests[0].expirationSeconds',
      'duplicate spec.tokenRequests[1].audience',
      'unsupported spec.volumeLifecycleModes',
    ],
  ],
  // A name with two errors is listed twice.
  [
    'drivers of nodes',
    object(`${storage}/CSINode`, {
      spec: {
        drivers: [
          { name: 'd', nodeID: '' },
          { name: 'd', nodeID: 'n', allocatable: { count: -1 }, topologyKeys: [''] },
        ],
      },
    }),
    [
      'required spec.drivers[0].nodeID',
      'invalid spec.drivers[1].allocatable.count',
      'duplicate spec.drivers[1].name',
      'required spec.drivers[1]',
      'invalid spec.drivers[1]',
      'invalid spec.drivers[1]',
    ],
  ],
  // The attacher is validated twice: as a required text, and as a driver's name.
  [
    'sources of attachments',
    object(`${storage}/VolumeAttachment`, { spec: { attacher: '', nodeName: '', source: {} } }),
    ['required spec.attacher', 'required spec.source', 'invalid spec.nodeName'],
  ],
  [
    'capacities',
    object(`${storage}/CSIStorageCapacity`, { storageClassName: '', capacity: '-1' }),
    ['invalid storageClassName', 'invalid capacity'],
  ],

  [
    'hosts and paths of ingresses',
    object(`${network}/Ingress`, {
      spec: {
        rules: [
          { host: '1.2.3.4' },
          {
            host: 'h',
            http: {
              paths: [
                { path: 'x', pathType: 'Exact', backend },
                { path: '/a/../b', pathType: 'Prefix', backend },
                { path: '/', backend },
              ],
            },
          },
        ],
      },
    }),
    [
      'invalid spec.rules[0].host',
      'invalid spec.rules[1].http.paths[0].path',
      'invalid spec.rules[1].http.paths[1].path',
      'required spec.rules[1].http.paths[2].pathType',
    ],
  ],
  [
    'backends of ingresses',
    object(`${network}/Ingress`, {
      spec: { defaultBackend: { service: { name: '', port: { name: 'p', number: 1 } }, resource: { kind: 'K', name: 'n' } }, rules: [] },
    }),
    ['invalid spec.defaultBackend'],
  ],
  ['ingresses that lead nowhere', object(`${network}/Ingress`, { spec: {} }), ['invalid spec']],
  [
    'controllers of ingress classes',
    object(`${network}/IngressClass`, { spec: { controller: 'x', parameters: { kind: '', name: 'n', scope: 'Cluster', namespace: 'n' } } }),
    ['invalid spec.controller', 'required spec.parameters.kind', 'forbidden spec.parameters.namespace'],
  ],
  [
    'network policies',
    object(`${network}/NetworkPolicy`, {
      spec: {
        podSelector: {},
        ingress: [{ from: [{}, { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ protocol: 'X', port: 0 }] }],
        egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }] }],
      },
    }),
    [
      'unsupported spec.ingress[0].ports[0].protocol',
      'invalid spec.ingress[0].ports[0].port',
      'required spec.ingress[0].from[0]',
      'forbidden spec.ingress[0].from[1]',
      'invalid spec.egress[0].to[0].ipBlock.except[0]',
    ],
  ],
  ['ranges of services', object(`${network}/ServiceCIDR`, { spec: { cidrs: ['10.0.0.0/24', '10.1.0.0/24'] } }), ['invalid spec.cidrs']],
  ['addresses', object(`${network}/IPAddress`, { spec: {} }, { name: '1.2.3.04' }), ['invalid metadata.name', 'required spec.parentRef']],

  [
    'kinds of priority levels',
    object(`${flow}/PriorityLevelConfiguration`, { spec: { type: 'Exempt', limited } }),
    ['invalid spec.type', 'forbidden spec.limited'],
  ],
  [
    'queues',
    object(`${flow}/PriorityLevelConfiguration`, {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 2, queueLengthLimit: 1 } },
        },
      },
    }),
    [
      'invalid spec.limited.nominalConcurrencyShares',
      'invalid spec.limited.limitResponse.queuing.handSize',
      'invalid spec.limited.lendablePercent',
    ],
  ],
  [
    'flow schemas',
    object(`${flow}/FlowSchema`, {
      spec: {
        priorityLevelConfiguration: { name: '' },
        matchingPrecedence: 10_001,
        distinguisherMethod: { type: 'X' },
        rules: [{ subjects: [{ kind: 'User', group: { name: 'g' } }] }],
      },
    }),
    [
      'invalid spec.matchingPrecedence',
      'unsupported spec.distinguisherMethod.type',
      'required spec.priorityLevelConfiguration.name',
      'required spec.rules[0].subjects[0].user',
      'forbidden spec.rules[0].subjects[0].group',
      'required spec.rules[0]',
    ],
  ],
  [
    'rules of flow schemas',
    object(`${flow}/FlowSchema`, {
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        rules: [
          {
            subjects: [subject],
            resourceRules: [{ verbs: ['*', 'get'], apiGroups: [], resources: ['x'], namespaces: [] }],
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['x'] }],
          },
        ],
      },
    }),
    [
      'invalid spec.rules[0].resourceRules[0].verbs',
      'required spec.rules[0].resourceRules[0].apiGroups',
      'required spec.rules[0].resourceRules[0].namespaces',
      'invalid spec.rules[0].nonResourceRules[0].nonResourceURLs[0]',
    ],
  ],

  [
    'names of API services',
    object('apiregistration.k8s.io/v1/APIService', {
      spec: { group: 'g.example', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    }),
    ['invalid metadata.name'],
  ],
  [
    'API services',
    object(
      'apiregistration.k8s.io/v1/APIService',
      {
        spec: {
          group: 'g.example',
          version: 'v1',
          groupPriorityMinimum: 0,
          versionPriority: 1001,
          service: { name: 's', namespace: '' },
          insecureSkipTLSVerify: true,
          caBundle: 'eA==',
        },
      },
      { name: 'v1.g.example' },
    ),
    [
      'invalid spec.groupPriorityMinimum',
      'invalid spec.versionPriority',
      'required spec.service.namespace',
      'invalid spec.insecureSkipTLSVerify',
    ],
  ],
];

describe('registry, kinds of configuration', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  /** The result of a change. */
  async function changing(kind: string, content: JsonObject, change: JsonObject, subresource = ''): Promise<string[]> {
    const created = object(kind, content);
    await sample.create(created);
    return causes(
      sample.update(
        created,
        (current) => {
          Object.assign(current, change);
        },
        subresource,
      ),
    );
  }

  it('keeps what others have built on', async () => {
    const rows: readonly (readonly [kind: string, content: JsonObject, change: JsonObject, expected: readonly string[]])[] = [
      [`${rbac}/RoleBinding`, { roleRef: role }, { roleRef: { ...role, name: 'other' } }, ['invalid roleRef']],
      [
        'scheduling.k8s.io/v1/PriorityClass',
        { value: 1 },
        { value: 2, preemptionPolicy: 'Never' },
        ['forbidden value', 'invalid preemptionPolicy'],
      ],
      ['node.k8s.io/v1/RuntimeClass', { handler: 'h' }, { handler: 'i' }, ['invalid handler']],
      [
        `${storage}/StorageClass`,
        { provisioner: 'p' },
        { provisioner: 'q', reclaimPolicy: 'Retain' },
        ['invalid provisioner', 'invalid reclaimPolicy'],
      ],
      [
        `${storage}/VolumeAttachment`,
        { spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
        { spec: { attacher: 'y', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
        ['invalid spec'],
      ],
      [
        `${network}/IngressClass`,
        { spec: { controller: 'a.example/b' } },
        { spec: { controller: 'a.example/c' } },
        ['invalid spec.controller'],
      ],
    ];
    for (const [kind, content, change, expected] of rows) expect(await changing(kind, content, change), kind).to.deep.equal(expected);
  });

  it('fills in what is left open', async () => {
    const rows: readonly (readonly [kind: string, content: JsonObject, expected: JsonObject])[] = [
      [
        `${rbac}/RoleBinding`,
        { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'u' }] },
        {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects: [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }],
        },
      ],
      ['scheduling.k8s.io/v1/PriorityClass', { value: 7 }, { value: 7, preemptionPolicy: 'PreemptLowerPriority' }],
      [`${storage}/StorageClass`, { provisioner: 'p' }, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }],
      [
        `${storage}/CSIDriver`,
        {},
        {
          spec: {
            attachRequired: true,
            podInfoOnMount: false,
            requiresRepublish: false,
            storageCapacity: false,
            seLinuxMount: false,
            fsGroupPolicy: 'ReadWriteOnceWithFSType',
            volumeLifecycleModes: ['Persistent'],
          },
        },
      ],
      [
        `${network}/NetworkPolicy`,
        { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
        { spec: { podSelector: {}, egress: [{ ports: [{ port: 53, protocol: 'TCP' }] }], policyTypes: ['Ingress', 'Egress'] } },
      ],
      [
        `${flow}/PriorityLevelConfiguration`,
        { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
        {
          spec: {
            type: 'Limited',
            limited: {
              nominalConcurrencyShares: 30,
              lendablePercent: 0,
              limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
            },
          },
        },
      ],
    ];
    for (const [kind, content, expected] of rows) {
      const created = await sample.create(object(kind, content));
      for (const [member, value] of Object.entries(expected)) expect(created[member], `${kind} ${member}`).to.deep.equal(value);
    }
  });

  it('advises against the older way to name a class of ingresses where it is the only one', async () => {
    const classed = (name: string, spec: JsonObject): JsonObject => {
      const annotations = { 'kubernetes.io/ingress.class': 'c' };
      return { apiVersion: network, kind: 'Ingress', metadata: { name, annotations }, spec: { defaultBackend: backend, ...spec } };
    };
    sample.warnings();
    await sample.create(classed('twice', { ingressClassName: 'c' }));
    expect(sample.warnings()).to.deep.equal([]);
    await sample.create(classed('once', {}));
    expect(sample.warnings()).to.deep.equal([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
  });

  for (const host of ['10.0.0.1', '010.000.0.01', '2001:db8::1'])
    it(`takes ${host} for an address, not for the host of an ingress`, async () => {
      const rules = [{ host }];
      const found = await causes(sample.create(object(`${network}/Ingress`, { spec: { defaultBackend: backend, rules } })));
      expect(found[0]).to.equal('invalid spec.rules[0].host');
    });

  it('counts changes of the specification', async () => {
    const ingress = object(`${network}/Ingress`, { spec: { defaultBackend: backend } });
    await sample.create(ingress);
    const labelled = await sample.update(ingress, (current) => {
      current.metadata.labels = { a: 'b' };
    });
    const changed = await sample.update(ingress, (current) => {
      current['spec'] = { defaultBackend: { service: { name: 't', port: { number: 80 } } } };
    });
    expect([labelled.metadata.generation, changed.metadata.generation]).to.deep.equal([1, 2]);
  });

  it('starts with priorities, priority levels and flow schemas', async () => {
    const names = [
      ['scheduling.k8s.io/v1/PriorityClass', 'system-node-critical'],
      [`${flow}/PriorityLevelConfiguration`, 'exempt'],
      [`${flow}/FlowSchema`, 'catch-all'],
    ] as const;
    for (const [kind, name] of names) expect((await sample.get(kind, name)).metadata.name).to.equal(name);
    expect(
      await causes(
        sample.update(object(`${flow}/PriorityLevelConfiguration`, {}, { name: 'exempt' }), (current) => {
          current['spec'] = { type: 'Limited', limited };
        }),
      ),
    ).to.include('invalid spec.type');
  });

  it('says of itself that it is available', async () => {
    const created = await sample.create(
      object(
        'apiregistration.k8s.io/v1/APIService',
        { spec: { group: 'g.example', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 } },
        { name: 'v1.g.example' },
      ),
    );
    expect(
      (created['status'] as { conditions: JsonObject[] }).conditions.map(({ type, status, reason }) => [type, status, reason]),
    ).to.deep.equal([['Available', 'True', 'Local']]);
  });
});
