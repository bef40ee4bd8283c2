import { expect } from 'chai';
import type { JsonObject } from '../../../../../../api/object.js';
import { causes, createSample, type Sample } from '../../../registry/sample.js';
import type { Refused } from '../../kindSample.js';
import { container, pod } from '../podSample.js';

/** The rules of a pod are one table, so this is one file. */
const of = (more: JsonObject): JsonObject => pod({ containers: [container(more)] });
const volume = (source: JsonObject): JsonObject => pod({ volumes: [{ name: 'v', ...source }] });
const C = 'spec.containers[0]';
const V = 'spec.volumes[0]';

const containers: Refused = [
  ['no containers', pod({ containers: [] }), ['required spec.containers']],
  [
    'names',
    pod({ containers: [container({}, 'A'), container({}, 'b'), container({}, 'b')], initContainers: [container({}, 'b')] }),
    ['invalid spec.containers[0].name', 'duplicate spec.containers[2].name', 'duplicate spec.initContainers[0].name'],
  ],
  [
    'images',
    pod({ containers: [{ name: 'c', image: ' i', imagePullPolicy: 'Maybe' }, { name: 'd' }] }),
    [`unsupported ${C}.imagePullPolicy`, 'required spec.containers[1].image', `invalid ${C}.image`],
  ],
  [
    'ports',
    of({
      ports: [
        { containerPort: 0, name: 'UPPER' },
        { containerPort: 1, protocol: 'X', hostPort: 70000 },
        { containerPort: 2, name: 'a' },
        { containerPort: 3, name: 'a' },
      ],
    }),
    [
      `invalid ${C}.ports[0].name`,
      `invalid ${C}.ports[0].name`,
      `required ${C}.ports[0].containerPort`,
      `invalid ${C}.ports[1].hostPort`,
      `unsupported ${C}.ports[1].protocol`,
      `duplicate ${C}.ports[3].name`,
    ],
  ],
  [
    'variables',
    of({
      env: [
        { name: '' },
        { name: 'A=B' },
        { name: 'x', value: 'v', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } },
        { name: 'y', valueFrom: {} },
      ],
    }),
    [
      `required ${C}.env[0].name`,
      `invalid ${C}.env[1].name`,
      `invalid ${C}.env[2].valueFrom.fieldRef.fieldPath`,
      `invalid ${C}.env[2].valueFrom`,
      `invalid ${C}.env[3].valueFrom`,
    ],
  ],
  [
    'fields of the pod in variables',
    of({
      env: [
        'spec.host',
        "metadata.annotations['A/B']",
        "metadata.annotations['a b']",
        "metadata.labels['']",
        "metadata.name['x']",
        'spec.restartPolicy',
      ]
        .map((fieldPath, position): JsonObject => ({ name: `v${position}`, valueFrom: { fieldRef: { fieldPath } } }))
        .concat({ name: 'w', valueFrom: { fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } } }),
    }),
    [
      `invalid ${C}.env[2].valueFrom.fieldRef`,
      `invalid ${C}.env[3].valueFrom.fieldRef`,
      `invalid ${C}.env[3].valueFrom.fieldRef`,
      `invalid ${C}.env[4].valueFrom.fieldRef.fieldPath`,
      `unsupported ${C}.env[5].valueFrom.fieldRef.fieldPath`,
      `invalid ${C}.env[6].valueFrom.fieldRef.fieldPath`,
    ],
  ],
  [
    'sources of variables',
    of({ envFrom: [{ prefix: 'a=', configMapRef: { name: '' } }, {}, { secretRef: { name: 'begins-' } }] }),
    [`invalid ${C}.envFrom[0].prefix`, `required ${C}.envFrom[0].configMapRef.name`, `invalid ${C}.envFrom`],
  ],
  [
    'mounts that are read alone, all the way down',
    pod({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        container({
          volumeMounts: [{ name: 'v', mountPath: '/a', recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' }],
        }),
      ],
    }),
    [`forbidden ${C}.volumeMounts.recursiveReadOnly`, `forbidden ${C}.volumeMounts.recursiveReadOnly`],
  ],
  [
    'devices without a path',
    pod({
      volumes: ['v', 'w'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      containers: [container({ volumeDevices: [{ name: 'v', devicePath: '' }, { name: 'w' }] })],
    }),
    [`required ${C}.volumeDevices[0].devicePath`, `required ${C}.volumeDevices[1].devicePath`, `invalid ${C}.volumeDevices[1].devicePath`],
  ],
  ['an image as a volume', pod({ volumes: [{ name: 'v', image: {} }] }), ['required spec.volumes[0].image.reference']],
  ['search paths', pod({ dnsConfig: { searches: ['.', 'a.', `${'a.'.repeat(127)}`, 'B.'] } }), ['invalid spec.dnsConfig.searches[3]']],
  [
    'probes',
    of({
      livenessProbe: { httpGet: { path: '/', port: 0 }, exec: { command: ['c'] }, periodSeconds: -1, successThreshold: 2 },
      readinessProbe: {},
    }),
    [
      `forbidden ${C}.livenessProbe.httpGet`,
      `invalid ${C}.livenessProbe.periodSeconds`,
      `invalid ${C}.livenessProbe.successThreshold`,
      `required ${C}.readinessProbe`,
    ],
  ],
  [
    'hooks',
    of({ lifecycle: { preStop: { sleep: { seconds: -1 } }, postStart: {} } }),
    [`required ${C}.lifecycle.postStart`, `invalid ${C}.lifecycle.preStop.sleep`],
  ],
  [
    'init containers with probes',
    pod({
      initContainers: [
        container({ livenessProbe: { exec: { command: ['c'] } }, lifecycle: { preStop: { exec: { command: ['c'] } } } }, 'i'),
      ],
    }),
    ['forbidden spec.initContainers[0].lifecycle', 'forbidden spec.initContainers[0].livenessProbe'],
  ],
  ['debug containers', pod({ ephemeralContainers: [container({}, 'e')] }), ['forbidden spec.ephemeralContainers']],
  [
    'policies',
    pod({ restartPolicy: 'Sometimes', dnsPolicy: 'Mine', preemptionPolicy: 'X' }),
    ['unsupported spec.restartPolicy', 'unsupported spec.dnsPolicy', 'unsupported spec.preemptionPolicy'],
  ],
  [
    'rules for exits',
    of({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'X' }, { action: 'Restart', exitCodes: { operator: 'Is', values: [1] } }],
    }),
    [
      `unsupported ${C}.restartPolicyRules[0].action`,
      `required ${C}.restartPolicyRules[0].exitCodes`,
      `unsupported ${C}.restartPolicyRules[1].exitCodes.operator`,
    ],
  ],
  [
    'rules without a policy',
    of({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] }),
    [`required ${C}.restartPolicy`],
  ],
  ['ends', pod({ activeDeadlineSeconds: 0 }), ['invalid spec.activeDeadlineSeconds']],
];

const resources: Refused = [
  ['requests above limits', of({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }), [`invalid ${C}.resources.requests`]],
  ['negative amounts', of({ resources: { requests: { memory: '-1' } } }), [`invalid ${C}.resources.requests[memory]`]],
  [
    'names of resources',
    of({ resources: { requests: { gpu: '1' } } }),
    [`invalid ${C}.resources.requests[gpu]`, `invalid ${C}.resources.requests[gpu]`],
  ],
  [
    'parts of devices',
    of({ resources: { limits: { 'x.example/gpu': '500m' } } }),
    [`invalid ${C}.resources.limits[x.example/gpu]`, `invalid ${C}.resources.requests[x.example/gpu]`],
  ],
  ['devices without limit', of({ resources: { requests: { 'x.example/gpu': '1' } } }), [`required ${C}.resources.limits`]],
  ['huge pages alone', of({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }), [`forbidden ${C}.resources`]],
  [
    'claims',
    of({ resources: { claims: [{ name: 'a' }, { name: 'a' }] } }),
    [`absent ${C}.resources.claims[0]`, `duplicate ${C}.resources.claims[1]`, `absent ${C}.resources.claims[1]`],
  ],
  [
    'claims of the pod as a whole, which has none of its own',
    pod({ resources: { claims: [{ name: 'a' }, { name: '' }] } }),
    ['forbidden spec.resources.claims', 'absent spec.resources.claims[0]', 'required spec.resources.claims[1]'],
  ],
  [
    'names of resources of the pod as a whole',
    pod({ resources: { limits: { gpu: '1', 'a b': '1', 'x.example/gpu': '1' } } }),
    ['invalid spec.resources.limits[gpu]', 'invalid spec.resources.limits[a b]', 'unsupported spec.resources.limits[x.example/gpu]'],
  ],
  [
    'less for the pod than for its containers',
    pod({
      containers: [container({ resources: { requests: { cpu: '2', memory: '1Gi', 'ephemeral-storage': '1Gi' } } })],
      resources: { requests: { cpu: '1' } },
    }),
    ['invalid spec.resources.requests[cpu]'],
  ],
  [
    'fewer huge pages for the pod than for its containers',
    pod({
      containers: [container({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } } })],
      resources: { limits: { cpu: '1', 'hugepages-2Mi': '2Mi' } },
    }),
    [
      'invalid spec.resources.requests[hugepages-2Mi]',
      'invalid spec.resources.limits[hugepages-2Mi]',
      'invalid spec.resources.containers[0][hugepages-2Mi].limits',
    ],
  ],
  ['amounts of a pod for windows', pod({ os: { name: 'windows' }, resources: { limits: { cpu: '1' } } }), ['forbidden spec.resources']],
];

const volumes: Refused = [
  ['no name', pod({ volumes: [{ name: '' }] }), [`required ${V}.name`]],
  ['two sources', volume({ emptyDir: {}, hostPath: { path: '/a' } }), [`forbidden ${V}.hostPath`]],
  [
    'names',
    pod({
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
        { name: 'A', emptyDir: {} },
      ],
    }),
    ['duplicate spec.volumes[1].name', 'invalid spec.volumes[2].name'],
  ],
  [
    'paths of the node',
    volume({ hostPath: { path: '/a/../b', type: 'X' } }),
    [`invalid ${V}.hostPath.path`, `unsupported ${V}.hostPath.type`],
  ],
  [
    'config maps',
    volume({ configMap: { name: '', defaultMode: 1000, items: [{ key: '', path: '../x' }] } }),
    [
      `required ${V}.configMap.name`,
      `invalid ${V}.configMap.defaultMode`,
      `required ${V}.configMap.items[0].key`,
      `invalid ${V}.configMap.items[0].path`,
    ],
  ],
  [
    'projections',
    volume({
      projected: {
        sources: [{}, { secret: { name: 's' }, configMap: { name: 'c' } }, { serviceAccountToken: { path: '', expirationSeconds: 1 } }],
      },
    }),
    [
      `forbidden ${V}.projected.sources[1]`,
      `invalid ${V}.projected.sources[2].serviceAccountToken.expirationSeconds`,
      `required ${V}.projected.path`,
      `forbidden ${V}.projected.sources[2].serviceAccountToken`,
    ],
  ],
  ['claims', volume({ persistentVolumeClaim: { claimName: '' } }), [`required ${V}.persistentVolumeClaim.claimName`]],
  ['network file systems', volume({ nfs: { server: '', path: 'p' } }), [`required ${V}.nfs.server`, `invalid ${V}.nfs.path`]],
  ['drivers', volume({ csi: { driver: '' } }), [`required ${V}.csi.driver`]],
  [
    'mounts',
    of({
      volumeMounts: [
        { name: 'none', mountPath: '' },
        { name: '', mountPath: '/a', subPath: '/x' },
        { name: '', mountPath: '/a' },
      ],
    }),
    [
      `absent ${C}.volumeMounts[0].name`,
      `required ${C}.volumeMounts[0].mountPath`,
      `required ${C}.volumeMounts[1].name`,
      `absent ${C}.volumeMounts[1].name`,
      `invalid ${C}.volumeMounts.subPath`,
      `required ${C}.volumeMounts[2].name`,
      `absent ${C}.volumeMounts[2].name`,
      `invalid ${C}.volumeMounts[2].mountPath`,
    ],
  ],
];

const security: Refused = [
  [
    'users',
    pod({ securityContext: { runAsUser: -1, fsGroup: -2, supplementalGroups: [-3] } }),
    [
      'invalid spec.securityContext.fsGroup',
      'invalid spec.securityContext.runAsUser',
      'invalid spec.securityContext.supplementalGroups[0]',
    ],
  ],
  ['privileges', of({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }), [`invalid ${C}.securityContext`]],
  [
    'profiles of seccomp',
    of({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
    [`required ${C}.securityContext.seccompProfile.localhostProfile`],
  ],
  [
    'profiles of AppArmor',
    of({ securityContext: { appArmorProfile: { type: 'X', localhostProfile: 'p' } } }),
    [`unsupported ${C}.securityContext.appArmorProfile.type`],
  ],
  [
    'parameters of the kernel',
    pod({
      securityContext: {
        sysctls: [
          { name: '', value: '' },
          { name: 'A B', value: '' },
        ],
      },
    }),
    ['required spec.securityContext.sysctls[0].name', 'invalid spec.securityContext.sysctls[1].name'],
  ],
  [
    'ports on the node',
    pod({ hostNetwork: true, containers: [container({ ports: [{ containerPort: 80, hostPort: 81 }] })] }),
    [`invalid ${C}.ports[0].hostPort`],
  ],
  [
    'devices for users of the pod alone',
    pod({
      hostUsers: false,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      containers: [container({ volumeDevices: [{ name: 'v', devicePath: '/d' }] })],
    }),
    [`forbidden ${C}.volumeDevices`],
  ],
  ['processes shared twice', pod({ hostPID: true, shareProcessNamespace: true }), ['invalid spec.securityContext.shareProcessNamespace']],
];

const affinity = (rules: JsonObject): JsonObject => pod({ affinity: rules });
const scheduling: Refused = [
  ['node selectors', pod({ nodeSelector: { 'a b': 'c d' } }), ['invalid spec.nodeSelector', 'invalid spec.nodeSelector']],
  [
    'tolerations',
    pod({
      tolerations: [
        { operator: 'Equal', value: 'v' },
        { key: 'k', operator: 'Exists', value: 'v' },
        { key: 'k', effect: 'NoSchedule', tolerationSeconds: 1 },
        { key: 'k', effect: 'X' },
      ],
    }),
    [
      'invalid spec.tolerations[0].operator',
      'invalid spec.tolerations[1].operator',
      'invalid spec.tolerations[2].effect',
      'unsupported spec.tolerations[3].effect',
    ],
  ],
  [
    'node affinity',
    affinity({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
      },
    }),
    [
      'required spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
      'invalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
    ],
  ],
  [
    'pod affinity',
    affinity({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] }, topologyKey: '' },
        ],
      },
    }),
    [
      'required spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values',
      'required spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
      'invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
      'invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
    ],
  ],
  [
    'spread',
    pod({
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'X' },
        { maxSkew: 1, minDomains: 1, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    }),
    [
      'invalid spec.topologySpreadConstraints[0].maxSkew',
      'required spec.topologySpreadConstraints[0].topologyKey',
      'unsupported spec.topologySpreadConstraints[0].whenUnsatisfiable',
      'invalid spec.topologySpreadConstraints[1].minDomains',
    ],
  ],
  [
    'labels of the pod that a selector names already',
    pod(
      {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 1,
                podAffinityTerm: { labelSelector: { matchLabels: { a: 'x' } }, topologyKey: 'z', matchLabelKeys: ['b', 'a'] },
              },
            ],
          },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
            matchLabelKeys: ['a'],
          },
        ],
      },
      { labels: { a: 'x', b: 'y' } },
    ),
    [
      'invalid spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm[1]',
      'invalid spec.topologySpreadConstraints[0][0]',
    ],
  ],
  ['gates', pod({ schedulingGates: [{ name: 'a.example/g' }, { name: 'a.example/g' }] }), ['duplicate spec.schedulingGates[1]']],
  ['gates of pods that are bound', pod({ nodeName: 'n', schedulingGates: [{ name: 'a.example/g' }] }), ['forbidden spec.nodeName']],
  ['conditions', pod({ readinessGates: [{ conditionType: 'a b' }] }), ['invalid spec.readinessGates[0].conditionType']],
  [
    'addresses of names',
    pod({ hostAliases: [{ ip: 'x', hostnames: ['A_b'] }] }),
    ['invalid spec.hostAliases[0].ip', 'invalid spec.hostAliases[0].hostnames[0]'],
  ],
  ['name servers', pod({ dnsPolicy: 'None' }), ['required spec.dnsConfig']],
  ['names of hosts', pod({ hostname: 'A', subdomain: 'b.c' }), ['invalid spec.hostname', 'invalid spec.subdomain']],
  ['a name instead that is long', pod({ hostnameOverride: 'x'.repeat(65) }), ['long spec.hostnameOverride']],
  [
    'a name instead, before the node and other names',
    pod({ hostnameOverride: '/', hostNetwork: true, serviceAccountName: '/', nodeName: '/' }),
    ['forbidden spec.hostnameOverride', 'invalid spec.hostnameOverride', 'invalid spec.serviceAccountName', 'invalid spec.nodeName'],
  ],
  [
    'a name instead, beside others',
    pod({ hostnameOverride: 'a.b', setHostnameAsFQDN: true, hostNetwork: true }),
    ['forbidden spec.hostnameOverride', 'forbidden spec.hostnameOverride'],
  ],
  [
    'classes',
    pod({ priorityClassName: 'A b', runtimeClassName: 'A b' }),
    ['invalid spec.priorityClassName', 'invalid spec.runtimeClassName'],
  ],
];

describe('kinds, specifications of pods', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [family, rows] of Object.entries({ containers, resources, volumes, security, scheduling })) {
    describe(family, () => {
      for (const [what, wrong, expected] of rows)
        it(what, async () => {
          expect(await causes(sample.create(wrong))).to.deep.equal(expected);
        });
    });
  }
});
