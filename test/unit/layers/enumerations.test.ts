import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import * as enums from '../../../api/data/enums.js';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** Lists that rules state themselves, and why each is not one of `api/facts/enums.yaml`. */
const own: Readonly<Record<string, readonly string[]>> = {
  'The reference publishes no values of the member.': [
    'admissionregistration.k8s.io/matchResources.ts: Deny, Allow',
    'admissionregistration.k8s.io/policies.ts: Forbidden, Invalid, RequestEntityTooLarge',
    'apiextensions.k8s.io/conversion.ts: None, Webhook',
    'apiextensions.k8s.io/schema/openapi.ts: atomic, granular',
    'apiextensions.k8s.io/spec.ts: Cluster, Namespaced',
    'apiregistration.k8s.io/apiServices.ts: True, False, Unknown',
    'autoscaling/autoscaler/behavior.ts: Disabled, Max, Min',
    'autoscaling/autoscaler/behavior.ts: Percent, Pods',
    'batch/job/failurePolicy.ts: False, True, Unknown',
    'core/pod/status.ts: Healthy, Unhealthy, Unknown',
    'core/podSpec/validation/restarts.ts: Always, Never, OnFailure',
    'core/podSpec/validation/restarts.ts: In, NotIn',
    'core/podSpec/validation/security.ts: MountOption, Recursive',
    'core/service/status.ts: Proxy, VIP',
    'core/service/validation.ts: PreferClose, PreferSameZone, PreferSameNode',
    'flowcontrol.apiserver.k8s.io/priorityLevels.ts: Queue, Reject',
    'flowcontrol.apiserver.k8s.io/rules.ts: Group, ServiceAccount, User',
    'networking.k8s.io/ingressClasses.ts: Cluster, Namespace',
    'rbac.authorization.k8s.io/bindings.ts: ServiceAccount, User, Group',
    'scheduling.k8s.io/podGroupRules.ts: Pod, PodGroup',
    'storage.k8s.io/csiDrivers.ts: File, None, ReadWriteOnceWithFSType',
    'storage.k8s.io/csiDrivers.ts: Persistent, Ephemeral',
  ],
  'The message has another order.': [
    'core/nodes.ts: NoSchedule, PreferNoSchedule, NoExecute',
    'core/podSpec/validation/containers.ts: File, FallbackToLogsOnError',
    'core/podSpec/validation/podSpec.ts: Always, OnFailure, Never',
    'core/podSpec/validation/podSpec.ts: ClusterFirstWithHostNet, ClusterFirst, Default, None',
    'core/podSpec/validation/podSpec.ts: PreemptLowerPriority, Never',
    'networking.k8s.io/networkPolicies.ts: Ingress, Egress',
    'networking.k8s.io/networkPolicies.ts: TCP, UDP, SCTP',
    'scheduling.k8s.io/priorityClasses.ts: PreemptLowerPriority, Never',
  ],
  'The rule takes fewer values than are published, or depends on features.': [
    'core/podSpec/controlledTemplate.ts: Always',
    'core/podSpec/validation/restarts.ts: Restart',
    'core/podSpec/validation/restarts.ts: Restart, RestartAllContainers',
    'core/podSpec/validation/security.ts: Recursive',
    'core/service/validation.ts: PreferClose',
    'rbac.authorization.k8s.io/bindings.ts: ',
    'storage.k8s.io/storageClasses.ts: Delete, Retain',
  ],
};

const folder = path.join(packageRoot, 'server/kinds');
const valuesIn = (text: string): string[] => [...text.matchAll(/'([^']*)'/g)].map(([, value = '']) => value);

function statedLists(): string[] {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) =>
    [...fs.readFileSync(path.join(folder, file), 'utf8').matchAll(/\b(?:oneOf|listed)\(\s*('[^)]*)\)/g)].map(
      ([, list = '']) => `${file.replaceAll('\\', '/')}: ${valuesIn(list).join(', ')}`,
    ),
  );
}

describe('layers/enumerations', () => {
  it('come from the facts, or have a reason to stand in a rule', () => {
    expect([...new Set(statedLists())].sort()).to.deep.equal(Object.values(own).flat().sort());
  });

  it('of the facts have another order or other values where a rule states its own', () => {
    const published = new Map(Object.values(enums).map((values) => [[...values].sort().join(), values.join(', ')]));
    const reordered = (own['The message has another order.'] ?? []).map((each) => each.replace(/^.*?: /, ''));
    for (const list of reordered) expect(published.get(list.split(', ').sort().join())).to.not.be.oneOf([undefined, list]);
  });
});
