import { expect } from 'chai';
import type { JsonObject } from '../../../../../../api/object.js';
import { podWarnings, templateWarnings } from '../../../../../../server/kinds/core/podSpec/warnings/template.js';
import { Path } from '../../../../../../server/registry/validation/field.js';
import { container, pod } from '../podSample.js';

const ports = (...of: readonly JsonObject[]): JsonObject => container({ ports: [...of] });
const volumes = (...of: readonly JsonObject[]): JsonObject =>
  pod({ volumes: of.map((source, index) => ({ name: `v${index}`, ...source })) });
const files = (...paths: readonly string[]): JsonObject => ({ items: paths.map((path) => ({ key: 'k', path })) });
const C = 'spec.containers[0]';

type Cases = readonly (readonly [what: string, pod: JsonObject, warnings: readonly string[]])[];

const ofPorts: Cases = [
  ['different ports', pod({ containers: [ports({ containerPort: 1 }, { containerPort: 2 })] }), []],
  [
    'the same port with two protocols',
    pod({ containers: [ports({ containerPort: 1, protocol: 'TCP' }, { containerPort: 1, protocol: 'UDP' })] }),
    [],
  ],
  [
    'the same port twice',
    pod({ containers: [ports({ containerPort: 1 }, { containerPort: 1 })] }),
    [`${C}.ports[1]: duplicate port definition with ${C}.ports[0]`],
  ],
  [
    'the same port in two containers',
    pod({ containers: [ports({ containerPort: 1, hostPort: 5 })], initContainers: [ports({ containerPort: 1, hostPort: 5 })] }),
    [`${C}.ports[0]: duplicate port definition with spec.initContainers[0].ports[0]`],
  ],
  [
    'a port of the node once',
    pod({ containers: [ports({ containerPort: 1, hostPort: 5 }, { containerPort: 1 }, { containerPort: 1, hostPort: 6 })] }),
    [`${C}.ports[1]: overlapping port definition with ${C}.ports[0]`, `${C}.ports[2]: overlapping port definition with ${C}.ports[1]`],
  ],
  [
    'a port of one address and of all',
    pod({ containers: [ports({ containerPort: 1, hostPort: 5, hostIP: '10.0.0.1' }, { containerPort: 1, hostPort: 5 })] }),
    [`${C}.ports[1]: dangerously ambiguous port definition with ${C}.ports[0]`],
  ],
  [
    'a port of two addresses, or two ports of one',
    pod({
      containers: [
        ports(
          { containerPort: 1, hostPort: 5, hostIP: '10.0.0.1' },
          { containerPort: 1, hostPort: 5, hostIP: '10.0.0.2' },
          { containerPort: 1, hostPort: 6, hostIP: '10.0.0.1' },
        ),
      ],
    }),
    [],
  ],
  [
    'an address without a port of the node',
    pod({ containers: [ports({ name: 'a', containerPort: 1, protocol: 'TCP', hostIP: '10.0.0.1' })] }),
    [`${C}.ports[0]: hostIP set without hostPort: {Name:a HostPort:0 ContainerPort:1 Protocol:TCP HostIP:10.0.0.1}`],
  ],
  [
    'names of ports in several containers, but for those that have ended by then',
    pod({
      initContainers: [
        container({ ports: [{ name: 'a', containerPort: 1 }] }, 'i'),
        container({ restartPolicy: 'Always', ports: [{ name: 'b', containerPort: 2 }] }, 'j'),
      ],
      containers: [
        container({ ports: [{ name: 'a', containerPort: 3 }, { containerPort: 4 }] }),
        container({ ports: [{ name: 'a', containerPort: 5 }, { name: 'b', containerPort: 6 }, { containerPort: 7 }] }, 'd'),
      ],
    }),
    [
      `spec.containers[1].ports[0]: duplicate port name "a" with ${C}.ports[0], services and probes that select ports by name will use ${C}.ports[0]`,
      'spec.containers[1].ports[1]: duplicate port name "b" with spec.initContainers[1].ports[0], services and probes that select ports by name will use spec.initContainers[1].ports[0]',
    ],
  ],
];

const hides = (index: number): string => `${C}.env[${index}]: hides previous definition of "A", which may be dropped when using apply`;
const ofContainers: Cases = [
  [
    'a variable twice',
    pod({ containers: [container({ env: [{ name: 'A', value: 'x' }, { name: 'B' }, { name: 'A', value: 'y' }] })] }),
    [hides(2)],
  ],
  [
    'a variable that extends itself',
    pod({
      containers: [
        container({
          env: [
            { name: 'A', value: 'x' },
            { name: 'A', value: '$(A):y' },
            { name: 'A', value: '$(A)' },
          ],
        }),
      ],
    }),
    [hides(2)],
  ],
  [
    'a variable that is read from elsewhere the second time',
    pod({
      containers: [
        container({
          env: [
            { name: 'A', value: 'x' },
            { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
        }),
      ],
    }),
    [hides(1)],
  ],
  [
    'parts of bytes',
    pod({
      overhead: { memory: '1.5', cpu: '0.5' },
      containers: [
        container({ resources: { limits: { memory: '100m', cpu: '100m' }, requests: { 'ephemeral-storage': '0.5', memory: '1Ki' } } }),
      ],
    }),
    [
      'spec.overhead[memory]: fractional byte value "1.5" is invalid, must be an integer',
      `${C}.resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer`,
      `${C}.resources.requests[ephemeral-storage]: fractional byte value "0.5" is invalid, must be an integer`,
    ],
  ],
];

const overlap = (what: string, a: string, b: string): string => `volume "v0" (${what}): overlapping paths: "${a}" with "${b}"`;
const between = (a: string, b: string): string => `volume "v0" (Projected): overlapping paths: ${a} with ${b}`;
const ofVolumes: Cases = [
  ['files beside each other', volumes({ configMap: { name: 'm', ...files('a', 'ab', 'b/c', 'b/d') } }), []],
  ['a file twice', volumes({ configMap: { name: 'm', ...files('a', 'b', 'a/') } }), [overlap('ConfigMap "m"', 'a', 'a')]],
  [
    'a file that another needs as a folder',
    volumes({ secret: { secretName: 's', ...files('a/b', 'a') } }),
    [overlap('Secret "s"', 'a', 'a/b')],
  ],
  ['a file below another', volumes({ downwardAPI: files('a', 'a/b') }), [overlap('DownwardAPI', 'a/b', 'a')]],
  [
    'files of several sources',
    volumes({
      projected: {
        sources: [
          { configMap: { name: 'm', ...files('a') } },
          { secret: { name: 's', ...files('a', 'b/c') } },
          { serviceAccountToken: { path: 'a/token' } },
          { downwardAPI: files('b') },
          { configMap: { name: 'whole' } },
          {},
          { clusterTrustBundle: { name: 'x', path: 'd' } },
          { clusterTrustBundle: { signerName: 'y', path: 'd/e' } },
          { podCertificate: { certificateChainPath: 'd', credentialBundlePath: 'f' } },
          { podCertificate: { certificateChainPath: '', keyPath: 'f/g' } },
        ],
      },
    }),
    [
      between('"a" (Secret "s")', '"a" (ConfigMap "m")'),
      between('"a/token" (ServiceAccountToken)', '"a" (ConfigMap "m")'),
      between('"a/token" (ServiceAccountToken)', '"a" (Secret "s")'),
      between('"b" (DownwardAPI)', '"b/c" (Secret "s")'),
      'volume "v0" (Projected) has no sources provided',
      between('"d/e" (ClusterTrustBundle "y")', '"d" (ClusterTrustBundle "x")'),
      between('"d" (PodCertificate chain)', '"d" (ClusterTrustBundle "x")'),
      between('"d" (PodCertificate chain)', '"d/e" (ClusterTrustBundle "y")'),
      between('"f/g" (PodCertificate key)', '"f" (PodCertificate credential bundle)'),
    ],
  ],
  [
    'a file with all that it overlaps',
    volumes({ configMap: { name: 'm', ...files('a', 'a/b', '/', '', 'a/b/c') } }),
    [overlap('ConfigMap "m"', 'a/b', 'a'), overlap('ConfigMap "m"', 'a/b/c', 'a'), overlap('ConfigMap "m"', 'a/b/c', 'a/b')],
  ],
  [
    'sources that are gone',
    volumes({ gitRepo: { repository: 'r' } }, { storageos: {} }, { emptyDir: {} }),
    [
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+',
    ],
  ],
  [
    'parts of bytes in a claim',
    volumes(
      { ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1500m' }, limits: { storage: '2' } } } } } },
      { ephemeral: {} },
    ),
    [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
];

const noMatch = 'a null labelSelector results in matching no pod';
const ofPlacement: Cases = [
  [
    'labels of nodes that have other names now',
    pod({
      nodeSelector: { 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'x' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['a b'] }] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/instance-type', operator: 'Exists' }] } },
          ],
        },
      },
      topologySpreadConstraints: [{ topologyKey: 'failure-domain.beta.kubernetes.io/zone', labelSelector: {} }],
    }),
    [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: beta.kubernetes.io/instance-type is deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
      'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  ],
  [
    'no selector',
    pod({
      topologySpreadConstraints: [{ topologyKey: 'z' }],
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', labelSelector: {} }, { topologyKey: 'z' }],
        },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'z' } }] },
      },
    }),
    [
      `spec.topologySpreadConstraints[0].labelSelector: ${noMatch}`,
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector: ${noMatch}`,
      `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: ${noMatch}`,
    ],
  ],
];

const ofTheWhole: Cases = [
  ['nothing doubtful', pod({ terminationGracePeriodSeconds: 0 }), []],
  [
    'time to end below 0',
    pod({ terminationGracePeriodSeconds: -1 }),
    ['spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1'],
  ],
  [
    'secrets and addresses twice',
    pod({
      imagePullSecrets: [{ name: 'a' }, { name: '' }, { name: 'a' }],
      hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }, { ip: '10.0.0.1' }],
    }),
    [
      'spec.hostAliases[2].ip: duplicate ip "10.0.0.1"',
      'spec.imagePullSecrets[2].name: duplicate name "a"',
      'spec.imagePullSecrets[1].name: invalid empty name ""',
    ],
  ],
  [
    'annotations that came before fields',
    pod(
      {},
      {
        annotations: {
          'scheduler.alpha.kubernetes.io/critical-pod': '',
          'seccomp.security.alpha.kubernetes.io/pod': 'x',
          'container.seccomp.security.alpha.kubernetes.io/c': 'x',
          'container.seccomp.security.alpha.kubernetes.io/other': 'x',
        },
      },
    ),
    [
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    'such annotations beside the fields',
    pod(
      {
        securityContext: { seccompProfile: { type: 'Unconfined' } },
        containers: [container({ securityContext: { seccompProfile: { type: 'Unconfined' } } })],
      },
      { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'x', 'container.seccomp.security.alpha.kubernetes.io/c': 'x' } },
    ),
    [],
  ],
];

describe('server/kinds/core/podSpec/warnings', () => {
  for (const [part, cases] of Object.entries({
    ports: ofPorts,
    containers: ofContainers,
    volumes: ofVolumes,
    placement: ofPlacement,
    pod: ofTheWhole,
  }))
    describe(part, () => {
      for (const [what, given, warnings] of cases) it(what, () => expect(podWarnings(given)).to.deep.equal(warnings));
    });

  it('AppArmor by annotation is for templates to change, unless the fields are there', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    const profile = { appArmorProfile: { type: 'Unconfined' } };
    const text =
      'template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead';
    const of = (spec: JsonObject) => templateWarnings(pod(spec, { annotations }), Path.of('template'));
    expect([of({}), of({ securityContext: profile }), of({ containers: [container({ securityContext: profile })] })]).to.deep.equal([
      [text],
      [],
      [],
    ]);
    expect(podWarnings(pod({}, { annotations }))).to.deep.equal([]);
  });

  it('are a hundred at most for ports, which are compared with the first twenty', () => {
    const same = (count: number) =>
      podWarnings(pod({ containers: [ports(...Array.from({ length: count }, () => ({ containerPort: 1 })))] })).length;
    expect([same(3), same(200)]).to.deep.equal([3, 100]);
    const distinct = Array.from({ length: 30 }, (_, index) => ({ containerPort: 1, hostPort: index + 1 }));
    const late = podWarnings(
      pod({ containers: [ports(...distinct, { containerPort: 1, hostPort: 20 }, { containerPort: 1, hostPort: 21 })] }),
    );
    expect(late).to.deep.equal([`${C}.ports[30]: duplicate port definition with ${C}.ports[19]`]);
    const named = Array.from({ length: 150 }, (_, index) => ({ name: 'a', containerPort: index + 1 }));
    expect(podWarnings(pod({ containers: [ports(...named)] })).length).to.equal(100);
  });
});
