import { expect } from 'chai';
import type { JsonObject } from '../../../../../../api/object.js';
import { causes, createSample, type Sample } from '../../../registry/sample.js';
import { container, pod } from '../podSample.js';

/** Values at their limit, a value beyond it, and its refusal. */
type Bounds = readonly (readonly [what: string, right: readonly JsonObject[], wrong: JsonObject, expected: readonly string[]])[];

const of = (more: JsonObject): JsonObject => pod({ containers: [container(more)] });
const volume = (source: JsonObject): JsonObject => pod({ volumes: [{ name: 'v', ...source }] });
const secured = (securityContext: JsonObject): JsonObject => pod({ securityContext });
const windows = (user: string): JsonObject => secured({ windowsOptions: { runAsUserName: user } });
const probed = (probes: JsonObject): JsonObject =>
  of(Object.fromEntries(Object.entries(probes).map(([name, more]) => [name, { exec: { command: ['c'] }, ...(more as JsonObject) }])));
const searching = (...searches: readonly string[]): JsonObject => pod({ dnsConfig: { searches: [...searches] } });
const claiming = (...claims: readonly JsonObject[]): JsonObject => pod({ resourceClaims: [...claims] });
const sysctls = (names: readonly string[], more: JsonObject = {}): JsonObject =>
  pod({ securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) }, ...more });
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const selecting = (operator: string, values?: readonly string[]): JsonObject =>
  pod({
    affinity: {
      nodeAffinity: {
        [required]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator, ...(values ? { values: [...values] } : {}) }] }] },
      },
    },
  });
const weighing = (weight: number): JsonObject => pod({ affinity: { nodeAffinity: { [preferred]: [{ weight, preference: {} }] } } });
const resizing = (restartPolicy: string, ...policies: readonly (readonly [string, string])[]): JsonObject =>
  pod({
    restartPolicy,
    containers: [container({ resizePolicy: policies.map(([resourceName, policy]) => ({ resourceName, restartPolicy: policy })) })],
  });
const C = 'spec.containers[0]';
const V = 'spec.volumes[0]';
const values = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].values`;
const user = 'spec.securityContext.windowsOptions.runAsUserName';

const scheduling: Bounds = [
  ['values of In', [selecting('In', ['a']), selecting('NotIn', ['a', 'b'])], selecting('In'), [`required ${values}`]],
  ['values of Exists', [selecting('Exists'), selecting('DoesNotExist')], selecting('DoesNotExist', ['a']), [`forbidden ${values}`]],
  ['values of Gt', [selecting('Gt', ['1']), selecting('Lt', ['1'])], selecting('Lt', ['1', '2']), [`required ${values}`]],
  ['weights', [weighing(1), weighing(100)], weighing(101), [`invalid spec.affinity.nodeAffinity.${preferred}[0].weight`]],
  [
    'seconds of tolerations',
    [
      pod({ tolerations: [{ key: 'k', effect: 'NoExecute', tolerationSeconds: 1 }] }),
      pod({ tolerations: [{ key: 'k', effect: 'NoSchedule', tolerationSeconds: null }] }),
    ],
    pod({ tolerations: [{ key: 'k', tolerationSeconds: 0 }] }),
    ['invalid spec.tolerations[0].effect'],
  ],
  [
    'constraints of spread',
    [
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, minDomains: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
          { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway' },
          { maxSkew: 1, topologyKey: 'y', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      }),
    ],
    pod({ topologySpreadConstraints: [1, 2].map((maxSkew) => ({ maxSkew, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' })) }),
    ['duplicate spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}'],
  ],
  [
    'deadlines',
    [pod({ activeDeadlineSeconds: 1 }), pod({ activeDeadlineSeconds: 2_147_483_647 }), pod({ activeDeadlineSeconds: null })],
    pod({ activeDeadlineSeconds: 2_147_483_648 }),
    ['invalid spec.activeDeadlineSeconds'],
  ],
];

const security: Bounds = [
  [
    'ids',
    [secured({ runAsUser: 0, fsGroup: 2_147_483_647 })],
    secured({ runAsUser: 2_147_483_648 }),
    ['invalid spec.securityContext.runAsUser'],
  ],
  [
    'files of seccomp',
    [secured({ seccompProfile: { type: 'Localhost', localhostProfile: 'a/b' } })],
    secured({ seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a/b' } }),
    ['invalid spec.securityContext.seccompProfile.localhostProfile'],
  ],
  [
    'names of AppArmor',
    [secured({ appArmorProfile: { type: 'Localhost', localhostProfile: 'x'.repeat(4095) } })],
    secured({ appArmorProfile: { type: 'Localhost', localhostProfile: `${'x'.repeat(4095)} ` } }),
    ['invalid spec.securityContext.appArmorProfile.localhostProfile', 'long spec.securityContext.appArmorProfile.localhostProfile'],
  ],
  [
    'names of parameters',
    [sysctls(['kernel.sem', 'net/ipv4.x', `${'a'.repeat(253)}`])],
    sysctls(['a', 'b', 'a', 'a'.repeat(254)]),
    ['duplicate spec.securityContext.sysctls[2].name', 'invalid spec.securityContext.sysctls[3].name'],
  ],
  [
    'parameters of the host',
    [sysctls(['net.a', 'fs.a'], { hostIPC: true }), sysctls(['kernel.sem', 'kernel.shm_x'], { hostNetwork: true })],
    sysctls(['net/a', 'kernel.sem', 'kernel.shm_x', 'kernel.semi'], { hostNetwork: true, hostIPC: true }),
    [0, 1, 2].map((index) => `invalid spec.securityContext.sysctls[${index}].name`),
  ],
  ['users of Windows', [windows(`D\\${'u'.repeat(104)}`), windows('u.')], windows(`D\\${'u'.repeat(105)}`), [`invalid ${user}`]],
  [
    'domains of Windows',
    [windows(`${'a'.repeat(63)}.b\\u`), windows('NET BIOS\\u')],
    windows(`${'a'.repeat(64)}.b\\u`),
    [`invalid ${user}`],
  ],
  ['long domains of Windows', [windows(`${'a.'.repeat(127)}b\\u`)], windows(`${'a.'.repeat(128)}\\u`), [`invalid ${user}`]],
  ['users of Windows that are dots', [windows('.u')], windows('..'), [`invalid ${user}`]],
  [
    'namespaces of the host',
    [pod({ hostPID: true, hostIPC: true, hostUsers: true }), pod({ hostUsers: false })],
    pod({ hostUsers: false, hostPID: true, hostIPC: true }),
    ['forbidden spec.HostPID', 'forbidden spec.HostIPC'],
  ],
  [
    'pods of Windows',
    [pod({ os: { name: 'windows' }, hostPID: false, securityContext: { sysctls: [] } })],
    pod({ os: { name: 'windows' }, hostPID: true, securityContext: { sysctls: [{ name: 'a', value: '1' }], fsGroup: 1 } }),
    ['forbidden spec.hostPID', 'forbidden spec.securityContext.fsGroup', 'forbidden spec.securityContext.sysctls'],
  ],
];

const containers: Bounds = [
  [
    'grace periods of probes',
    [
      probed({
        livenessProbe: { terminationGracePeriodSeconds: 1 },
        startupProbe: { successThreshold: 1 },
        readinessProbe: { successThreshold: 5 },
      }),
    ],
    probed({
      livenessProbe: { terminationGracePeriodSeconds: 0 },
      readinessProbe: { terminationGracePeriodSeconds: 1 },
      startupProbe: { successThreshold: 2 },
    }),
    [
      `invalid ${C}.livenessProbe.terminationGracePeriodSeconds`,
      `invalid ${C}.readinessProbe.terminationGracePeriodSeconds`,
      `invalid ${C}.startupProbe.successThreshold`,
    ],
  ],
  [
    'keys of objects in variables',
    [of({ env: [{ name: 'a', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] })],
    of({ env: [{ name: 'a', valueFrom: { secretKeyRef: { name: 's', key: '' }, configMapKeyRef: { name: 'm', key: 'a b' } } }] }),
    [
      `invalid ${C}.env[0].valueFrom.configMapKeyRef.key`,
      `required ${C}.env[0].valueFrom.secretKeyRef.key`,
      `invalid ${C}.env[0].valueFrom`,
    ],
  ],
  [
    'amounts in variables',
    ['1m', '1', '0'].map((divisor) => of({ env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor } } }] })),
    of({ env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } }] }),
    [`invalid ${C}.env[0].valueFrom.resourceFieldRef.divisor`],
  ],
  [
    'policies of a change of size',
    [resizing('Always', ['cpu', 'RestartContainer'], ['memory', 'NotRequired']), resizing('Never', ['cpu', 'NotRequired'])],
    resizing('Never', ['cpu', 'RestartContainer'], ['cpu', 'NotRequired'], ['x', 'X'], ['', '']),
    [
      `invalid ${C}.resizePolicy`,
      `duplicate ${C}.resizePolicy[1]`,
      `unsupported ${C}.resizePolicy`,
      `unsupported ${C}.resizePolicy`,
      `invalid ${C}.resizePolicy`,
      `required ${C}.resizePolicy`,
      `required ${C}.resizePolicy`,
    ],
  ],
  [
    'requests of claims',
    [
      pod({
        resourceClaims: [{ name: 'a', resourceClaimName: 'x' }],
        containers: [
          container({
            resources: {
              claims: [
                { name: 'a', request: 'r' },
                { name: 'a', request: 's' },
              ],
            },
          }),
        ],
      }),
    ],
    pod({
      resourceClaims: [{ name: 'a', resourceClaimName: 'x' }],
      containers: [container({ resources: { claims: [{ name: 'a', request: 'r' }, { name: 'a', request: 'r' }, { name: 'b' }] } })],
    }),
    [`duplicate ${C}.resources.claims[1]`, `absent ${C}.resources.claims[2]`],
  ],
  [
    'whole claims beside their requests (`validateResourceClaimNames` of core/validation/validation.go)',
    [],
    pod({
      resourceClaims: ['z', 'y'].map((name) => ({ name, resourceClaimName: 'x' })),
      containers: [
        container({
          resources: {
            claims: [
              ...[{ request: 'r' }, { request: 's' }, {}, { request: 'T_' }].map((each) => ({ name: 'z', ...each })),
              ...['T_', 'T_'].map((request) => ({ name: 'y', request })),
            ],
          },
        }),
      ],
    }),
    [
      ...[2, 2, 3].map((position) => `duplicate ${C}.resources.claims[${position}]`),
      ...[4, 5].map((position) => `invalid ${C}.resources.claims[${position}].request`),
      `duplicate ${C}.resources.claims[5]`,
    ],
  ],
  [
    'pages',
    ['2Mi', '4Mi'].map((amount) => of({ resources: { limits: { cpu: '1', 'hugepages-2Mi': amount } } })),
    of({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } }),
    [`invalid ${C}.resources.limits[hugepages-2Mi]`, `invalid ${C}.resources.requests[hugepages-2Mi]`],
  ],
];

const living = (expirationSeconds: number): JsonObject =>
  pod({
    serviceAccountName: 'default',
    volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds } }] } }],
  });
const mounted = (mounts: readonly JsonObject[], devices: readonly JsonObject[] = [], security: JsonObject = {}): JsonObject =>
  pod({
    volumes: [
      { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'w', persistentVolumeClaim: { claimName: 'd' } },
      { name: 'e', emptyDir: {} },
    ],
    containers: [container({ volumeMounts: [...mounts], volumeDevices: [...devices], securityContext: security })],
  });
const volumes: Bounds = [
  [
    'devices beside mounts',
    [mounted([{ name: 'v', mountPath: '/v' }], [{ name: 'w', devicePath: '/w' }])],
    mounted(
      [
        { name: 'v', mountPath: '/v' },
        { name: 'e', mountPath: '/w' },
      ],
      [{ name: 'v', devicePath: '/w' }],
    ),
    [
      `invalid ${C}.volumeMounts[0].name`,
      `invalid ${C}.volumeMounts[1].mountPath`,
      `invalid ${C}.volumeDevices[0].name`,
      `invalid ${C}.volumeDevices[0].devicePath`,
    ],
  ],
  [
    'devices',
    [
      mounted(
        [],
        [
          { name: 'v', devicePath: '/v' },
          { name: 'w', devicePath: '/w' },
        ],
      ),
    ],
    mounted(
      [],
      [
        { name: 'v', devicePath: '/v/../a' },
        { name: 'v', devicePath: '/v' },
        { name: 'e', devicePath: '/v' },
      ],
    ),
    [
      `invalid ${C}.volumeDevices[0].devicePath`,
      `invalid ${C}.volumeDevices[1].name`,
      `invalid ${C}.volumeDevices[2].name`,
      `invalid ${C}.volumeDevices[2].devicePath`,
    ],
  ],
  [
    'parts of volumes',
    [
      mounted([
        { name: 'e', mountPath: '/a', subPath: 'a' },
        { name: 'e', mountPath: '/b', subPathExpr: '$(A)' },
      ]),
    ],
    mounted([{ name: 'e', mountPath: '/a', subPath: 'a', subPathExpr: 'b' }]),
    [`invalid ${C}.volumeMounts[0].subPathExpr`],
  ],
  [
    'mounts that others see',
    [
      mounted([{ name: 'e', mountPath: '/a', mountPropagation: 'Bidirectional' }], [], { privileged: true }),
      mounted([{ name: 'e', mountPath: '/a', mountPropagation: 'HostToContainer' }]),
    ],
    mounted([{ name: 'e', mountPath: '/a', mountPropagation: 'Bidirectional' }]),
    [`forbidden ${C}.volumeMounts.mountPropagation`],
  ],
  [
    'life of tokens',
    [600, 2 ** 32].map(living),
    living(2 ** 32 + 1),
    [`invalid ${V}.projected.sources[0].serviceAccountToken.expirationSeconds`],
  ],
  [
    'files of several sources',
    [volume({ projected: { sources: ['a', 'b'].map((path) => ({ secret: { name: 's', items: [{ key: 'k', path }] } })) } })],
    volume({ projected: { sources: ['a', 'a'].map((path) => ({ secret: { name: 's', items: [{ key: 'k', path }] } })) } }),
    [`invalid ${V}.projected`],
  ],
  [
    'names of claims of the pod itself',
    [claiming({ name: 'a', resourceClaimName: 'x' }, { name: 'b', resourceClaimTemplateName: 'y' })],
    claiming({ name: '' }, { name: 'a', resourceClaimName: 'x', resourceClaimTemplateName: 'y' }, { name: 'a', resourceClaimName: 'A' }),
    [
      'required spec.resourceClaims[0].name',
      'invalid spec.resourceClaims[0]',
      'invalid spec.resourceClaims[1]',
      'duplicate spec.resourceClaims[2].name',
      'invalid spec.resourceClaims[2].resourceClaimName',
    ],
  ],
];

const names: Bounds = [
  [
    'search paths',
    [searching(...Array.from({ length: 32 }, () => 'a')), searching(...Array.from({ length: 9 }, () => 'a'.repeat(226)), 'a'.repeat(5))],
    searching(...Array.from({ length: 33 }, () => 'a')),
    ['invalid spec.dnsConfig.searches'],
  ],
  [
    'characters of search paths',
    [searching(...Array.from({ length: 8 }, () => 'a'.repeat(253)), 'a'.repeat(16))],
    searching(...Array.from({ length: 8 }, () => 'a'.repeat(253)), 'a'.repeat(17)),
    ['invalid spec.dnsConfig.searches'],
  ],
  [
    'name servers',
    [pod({ dnsConfig: { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] } })],
    pod({ dnsConfig: { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3', 'x'], options: [{ name: '' }] } }),
    ['invalid spec.dnsConfig.nameservers', 'invalid spec.dnsConfig.nameservers[3]', 'required spec.dnsConfig.options[0]'],
  ],
  [
    'a name instead of the host',
    [pod({ hostnameOverride: 'x'.repeat(63) }), pod({ hostnameOverride: `${'x'.repeat(60)}.abc`, setHostnameAsFQDN: false })],
    pod({ hostnameOverride: `${'x'.repeat(60)}.abcd` }),
    ['long spec.hostnameOverride'],
  ],
];

const iscsi = (more: JsonObject = {}): JsonObject =>
  volume({ iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:storage', lun: 0, ...more } });
const long = 'v'.repeat(31);
const disks: Bounds = [
  [
    'names of iSCSI',
    [
      iscsi(),
      iscsi({ iqn: `eui.${'a'.repeat(16)}`, lun: 255 }),
      iscsi({ iqn: `naa.${'1'.repeat(32)}`, initiatorName: 'iqn.2001-04.com.example:me' }),
    ],
    iscsi({ targetPortal: '', iqn: 'x', lun: 256, initiatorName: 'eui.short' }),
    [`required ${V}.iscsi.targetPortal`, `invalid ${V}.iscsi.iqn`, `invalid ${V}.iscsi.lun`, `invalid ${V}.iscsi.initiatorname`],
  ],
  ['no name of iSCSI', [iscsi()], iscsi({ iqn: '' }), [`required ${V}.iscsi.iqn`]],
  [
    'secrets of iSCSI',
    [iscsi({ chapAuthDiscovery: true, secretRef: { name: 's' } }), iscsi({ chapAuthSession: false })],
    iscsi({ chapAuthSession: true }),
    [`required ${V}.iscsi.secretRef`],
  ],
  [
    'names and portals of iSCSI',
    [
      pod({
        volumes: [
          {
            name: 'v',
            iscsi: { targetPortal: `${long}.${long}`.slice(0, 62), iqn: 'iqn.2001-04.c:s', lun: 0, initiatorName: 'iqn.2001-04.c:s' },
          },
        ],
      }),
      pod({ volumes: [{ name: 'v', iscsi: { targetPortal: `${long}.${long}`, iqn: 'iqn.2001-04.c:s', lun: 0 } }] }),
    ],
    pod({
      volumes: [
        { name: 'v', iscsi: { targetPortal: `${long}.${long}`, iqn: 'iqn.2001-04.c:s', lun: 0, initiatorName: 'iqn.2001-04.c:s' } },
      ],
    }),
    [`invalid ${V}.name`],
  ],
  [
    'Fibre Channel',
    [volume({ fc: { targetWWNs: ['a'], lun: 255 } }), volume({ fc: { wwids: ['a'] } })],
    volume({ fc: { targetWWNs: ['a'], wwids: ['b'], lun: 256 } }),
    [`invalid ${V}.fc.targetWWNs`, `invalid ${V}.fc.lun`],
  ],
  ['Fibre Channel without a target', [volume({ fc: { wwids: ['a'], lun: 300 } })], volume({ fc: {} }), [`required ${V}.fc.targetWWNs`]],
  [
    'Fibre Channel without a number',
    [volume({ fc: { targetWWNs: ['a'], lun: 0 } })],
    volume({ fc: { targetWWNs: ['a'] } }),
    [`required ${V}.fc.lun`],
  ],
  [
    'Flocker',
    [volume({ flocker: { datasetName: 'a' } }), volume({ flocker: { datasetUUID: 'a' } })],
    volume({ flocker: { datasetName: 'a/b', datasetUUID: 'a' } }),
    [`invalid ${V}.flocker`, `invalid ${V}.flocker.datasetName`],
  ],
  ['Flocker without a set', [volume({ flocker: { datasetName: 'a' } })], volume({ flocker: {} }), [`required ${V}.flocker`]],
  [
    'options of drivers',
    [volume({ flexVolume: { driver: 'd', options: { 'example.com/a': 'b', plain: 'c', 'x/k8s.io': 'd' } } })],
    volume({ flexVolume: { driver: '', options: { 'x.K8S.io/a': 'b', 'kubernetes.io': 'c' } } }),
    [`required ${V}.flexVolume.driver`, `invalid ${V}.flexVolume.options[x.K8S.io/a]`, `invalid ${V}.flexVolume.options[kubernetes.io]`],
  ],
];

describe('kinds, bounds in specifications of pods', () => {
  let sample: Sample;
  before(async () => {
    sample = await createSample();
  });
  let last = 0;
  const named = (given: JsonObject): JsonObject => ({ ...given, metadata: { name: `p${last++}` } });

  for (const [family, rows] of Object.entries({ scheduling, security, containers, volumes, names, disks }))
    describe(family, () => {
      for (const [what, right, wrong, expected] of rows)
        it(what, async () => {
          for (const each of right) await sample.create(named(each));
          expect(await causes(sample.create(named(wrong)))).to.deep.equal(expected);
        });
    });
});
