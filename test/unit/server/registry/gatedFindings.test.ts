import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { FieldGate } from '../../../../program/features/gates.js';
import { bind } from '../../../../server/kinds/core/pod/binding.js';
import { invalid, keepable, Path, withoutKept, type FieldError } from '../../../../server/registry/validation/field.js';
import { standing, whileOff, whileOn } from '../../../../server/registry/validation/gatedFindings.js';
import { causes, createSample } from './sample.js';

/** Rules that depend on a feature. */

const path = Path.of('spec');
const one = invalid(path, 'a', 'wrong');
const other = invalid(path, 'b', 'wrong');
const always = invalid(path, 'c', 'wrong');
const messages = (found: readonly FieldError[]): string[] => found.map(({ message }) => /"(.)"/.exec(message)?.[1] ?? '');

const pod = (spec: JsonObject, annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', annotations },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const container = (more: JsonObject): JsonObject => pod({ containers: [{ name: 'c', image: 'i', ...more }] });
const service = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const endpoints = (ip: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'e' },
  subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }],
});
const slice = (address: string): JsonObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'e' },
  addressType: 'IPv4',
  endpoints: [{ addresses: [address] }],
});
const job = (spec: JsonObject): JsonObject => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec });
const backend = (name: string): JsonObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'i' },
  spec: { defaultBackend: { service: { name, port: { number: 80 } } } },
});
const template: JsonObject = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const stateful = (maxUnavailable: number | string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 's' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    serviceName: 's',
    template,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } },
  },
});
const autoscaler = (minReplicas: number): JsonObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: {
    minReplicas,
    maxReplicas: 3,
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    metrics: [{ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }],
  },
});

/** Objects that are refused in one state of the feature and accepted in the other. */
const rules: readonly (readonly [feature: FieldGate, refusedWhile: boolean, object: JsonObject, field: string])[] = [
  ['HPAScaleToZero', false, autoscaler(0), 'spec.minReplicas'],
  ['MaxUnavailableStatefulSet', true, stateful(0), 'spec.updateStrategy.rollingUpdate.maxUnavailable'],
  [
    'PodDeletionCost',
    true,
    pod({}, { 'controller.kubernetes.io/pod-deletion-cost': '01' }),
    'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]',
  ],
  [
    'PodLifecycleSleepActionAllowZero',
    false,
    container({ lifecycle: { preStop: { sleep: { seconds: 0 } } } }),
    'spec.containers[0].lifecycle.preStop.sleep',
  ],
  ['PreferSameTrafficDistribution', false, service('s', { trafficDistribution: 'PreferSameNode' }), 'spec.trafficDistribution'],
  ['RelaxedDNSSearchValidation', false, pod({ dnsConfig: { searches: ['_a.b'] } }), 'spec.dnsConfig.searches[0]'],
  ['RelaxedEnvironmentVariableValidation', false, container({ env: [{ name: '1 a', value: 'v' }] }), 'spec.containers[0].env[0].name'],
  ['RelaxedServiceNameValidation', false, service('1a'), 'metadata.name'],
  ['RelaxedServiceNameValidation', false, backend('1a'), 'spec.defaultBackend.service.name'],
  [
    'RestartAllContainersOnContainerExits',
    false,
    container({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
    }),
    'spec.containers[0].restartPolicyRules[0].action',
  ],
  ['SELinuxMount', false, pod({ securityContext: { seLinuxChangePolicy: 'MountOption' } }), 'spec.securityContext.seLinuxChangePolicy'],
  ['StrictIPCIDRValidation', true, service('s', { externalIPs: ['010.1.1.1'] }), 'spec.externalIPs[0]'],
  ['StrictIPCIDRValidation', true, service('s', { clusterIP: '10.0.0.011' }), 'spec.clusterIPs[0]'],
  ['StrictIPCIDRValidation', true, endpoints('192.168.3.011'), 'subsets[0].addresses[0].ip'],
  ['StrictIPCIDRValidation', true, slice('192.168.3.011'), 'endpoints[0].addresses[0]'],
  [
    'StrictIPCIDRValidation',
    true,
    service('s', { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.1.0.0/8'] }),
    'spec.LoadBalancerSourceRanges[0]',
  ],
  [
    'TaintTolerationComparisonOperators',
    false,
    pod({ tolerations: [{ key: 'k', operator: 'Gt', value: '3' }] }),
    'spec.tolerations[0].operator',
  ],
  ['UserNamespacesHostNetworkSupport', false, pod({ hostUsers: false, hostNetwork: true }), 'spec.hostNetwork'],
];

describe('findings of features', () => {
  const on = (): boolean => true;
  const off = (): boolean => false;

  it('stand while the feature is on, or off', () => {
    const found = [...whileOn('HPAScaleToZero', [one]), ...whileOff('HPAScaleToZero', [other]), always];
    expect(messages(standing(found, on, null))).to.deep.equal(['a', 'c']);
    expect(messages(standing(found, off, null))).to.deep.equal(['b', 'c']);
  });

  it('stand as if the feature were on for an object that uses it', () => {
    const found = [...whileOff('HPAScaleToZero', [one]), ...whileOn('HPAScaleToZero', [other]), always];
    const used = (): FieldError[] => whileOff('HPAScaleToZero', [one]);
    expect(messages(standing(found, off, used))).to.deep.equal(['b', 'c']);
    expect(messages(standing(found, off, () => whileOff('SELinuxMount', [one])))).to.deep.equal(['a', 'c']);
    // Violating only the stricter rule does not count as use of the feature.
    expect(messages(standing(found, off, () => whileOn('HPAScaleToZero', [one])))).to.deep.equal(['a', 'c']);
  });

  it('may be of faults that an object keeps', () => {
    const found = whileOn('StrictIPCIDRValidation', [...keepable('a', [one]), ...keepable('b', [other])]);
    expect(messages(withoutKept(standing(found, on, null), () => keepable('b', [other])))).to.deep.equal(['a']);
    expect(standing(found, off, null)).to.deep.equal([]);
  });

  for (const [feature, refusedWhile, object, field] of rules)
    it(`${String(object['kind'])}: ${field} hangs on ${feature}`, async () => {
      const refusing = await createSample({ features: { [feature]: refusedWhile } });
      expect((await causes(refusing.create(structuredClone(object)))).join('\n')).to.include(field);
      const { storage, ...accepting } = await createSample({ features: { [feature]: !refusedWhile } });
      await accepting.create(structuredClone(object));
      // Existing use is kept.
      const later = await createSample({ storage, features: { [feature]: refusedWhile } });
      const changed = await later.update(object, (stored: ApiObject) => {
        stored.metadata.labels = { a: 'b' };
      });
      expect(changed.metadata.labels).to.deep.equal({ a: 'b' });
    });

  it('let a stateful set say how many pods may be missing, and fill in one', async () => {
    const rollingOf = (set: ApiObject): unknown => ((set['spec'] as JsonObject)['updateStrategy'] as JsonObject)['rollingUpdate'];
    const { storage, ...with_ } = await createSample({ features: { MaxUnavailableStatefulSet: true } });
    expect(rollingOf(await with_.create(stateful('50%')))).to.deep.equal({ partition: 0, maxUnavailable: '50%' });
    const plain = { ...stateful(1), metadata: { name: 'plain' } } as JsonObject;
    delete (plain['spec'] as JsonObject)['updateStrategy'];
    expect(rollingOf(await with_.create(plain))).to.deep.equal({ partition: 0, maxUnavailable: 1 });
    const without = await createSample({ storage, features: { MaxUnavailableStatefulSet: false } });
    const kept = await without.update(stateful('50%'), (set) => {
      set.metadata.labels = { a: 'b' };
    });
    expect(rollingOf(kept)).to.deep.equal({ partition: 0, maxUnavailable: '50%' });
    const fresh = await createSample({ features: { MaxUnavailableStatefulSet: false } });
    expect(rollingOf(await fresh.create(stateful(2)))).to.deep.equal({ partition: 0 });
  });

  it('let a volume move, and claims start with what other namespaces hold', async () => {
    const volume: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/a' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }] } },
      },
    };
    const move = (object: ApiObject): void => {
      const { required } = (object['spec'] as JsonObject)['nodeAffinity'] as { required: { nodeSelectorTerms: unknown[] } };
      required.nodeSelectorTerms = [{ matchExpressions: [{ key: 'other', operator: 'Exists' }] }];
    };
    const fixed = await createSample();
    await fixed.create(structuredClone(volume));
    expect((await causes(fixed.update(volume, move))).join('\n')).to.equal('invalid nodeAffinity');
    const movable = await createSample({ features: { MutablePVNodeAffinity: true } });
    await movable.create(structuredClone(volume));
    expect(JSON.stringify(await movable.update(volume, move))).to.contain('"other"');
    const claim: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'o', namespace: 'other' },
      },
    };
    expect((await fixed.create(structuredClone(claim)))['spec']).to.not.have.property('dataSourceRef');
    const across = await createSample({ features: { CrossNamespaceVolumeDataSource: true } });
    expect((await across.create(structuredClone(claim)))['spec']).to.have.nested.property('dataSourceRef.namespace', 'other');
  });

  it('let the server or the scheduler read the keys of spread constraints', async () => {
    const spread: JsonObject = {
      ...pod({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, matchLabelKeys: ['a'] },
        ],
      }),
      metadata: { name: 'p', labels: { a: 'b' } },
    };
    const constraintOf = async (features: Partial<Record<FieldGate, boolean>>): Promise<JsonObject> => {
      const created = await (await createSample({ features })).create(structuredClone(spread));
      return ((created['spec'] as JsonObject)['topologySpreadConstraints'] as JsonObject[])[0]!;
    };
    const expressions = { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
    expect(await constraintOf({})).to.deep.include({ matchLabelKeys: ['a'], labelSelector: expressions });
    expect(await constraintOf({ MatchLabelKeysInPodTopologySpreadSelectorMerge: false })).to.deep.include({
      matchLabelKeys: ['a'],
      labelSelector: {},
    });
    const without = await constraintOf({ MatchLabelKeysInPodTopologySpread: false });
    expect(without).to.deep.include({ labelSelector: {} });
    expect(without).to.not.have.property('matchLabelKeys');
  });

  it('leave a bound pod nominated, or not', () => {
    const nominated = (): ApiObject => ({ metadata: { name: 'p' }, spec: {}, status: { nominatedNodeName: 'n' } });
    const binding: ApiObject = { metadata: {}, target: { name: 'm' } };
    expect(bind(nominated(), binding, '2026-01-01T00:00:00Z')['status']).to.not.have.property('nominatedNodeName');
    expect(bind(nominated(), binding, '2026-01-01T00:00:00Z', false)['status']).to.have.property('nominatedNodeName', 'n');
  });

  it('leave jobs to others only where that is known', async () => {
    const managed = job({
      managedBy: 'example.com/a',
      template: { ...template, spec: { ...(template['spec'] as JsonObject), restartPolicy: 'Never' } },
    });
    delete (managed['spec'] as { template: { metadata?: unknown } }).template.metadata;
    expect((await (await createSample()).create(structuredClone(managed)))['spec']).to.have.property('managedBy');
    expect(
      (await (await createSample({ features: { JobManagedBy: false } })).create(structuredClone(managed)))['spec'],
    ).to.not.have.property('managedBy');
  });
});
