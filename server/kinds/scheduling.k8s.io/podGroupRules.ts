import type * as v1 from '../../../api/types/scheduling/v1alpha2.js';
import type { Gated } from '../../registry/gatedFields.js';
import {
  all,
  declaredRules,
  exactlyOne,
  format,
  gate,
  immutable,
  keyedList,
  longName,
  maximum,
  members,
  minimum,
  nonZero,
  oneOf,
  optional,
  pathSegmentName,
  qualified,
  required,
  shortName,
  type Rule,
  type Writable,
} from '../language.js';

const claimsMax = 4;
const templatesMax = 8;
const priorityMax = 1_000_000_000;

export const groupGates: readonly Gated<Writable<Omit<v1.PodGroupTemplate, 'name'>>>[] = [
  gate('DRAWorkloadResourceClaims', 'resourceClaims'),
  gate('TopologyAwareWorkloadScheduling', 'schedulingConstraints'),
  gate('WorkloadAwarePreemption', 'disruptionMode', 'priorityClassName', 'priority'),
];

const claim = all<Writable<v1.PodGroupResourceClaim>>(
  exactlyOne<v1.PodGroupResourceClaim>('resourceClaimName', 'resourceClaimTemplateName'),
  members<v1.PodGroupResourceClaim>({
    name: required(format(shortName)),
    resourceClaimName: optional(format(longName)),
    resourceClaimTemplateName: optional(format(longName)),
  }),
);

const policy = all<Writable<v1.PodGroupSchedulingPolicy> | undefined>(
  exactlyOne<v1.PodGroupSchedulingPolicy>('basic', 'gang'),
  members<v1.PodGroupSchedulingPolicy>({ gang: optional(members<v1.GangSchedulingPolicy>({ minCount: required(minimum(1)) })) }),
);

const constraints = members<v1.PodGroupSchedulingConstraints>({
  topology: keyedList(1, null, members<v1.TopologyConstraint>({ key: required(qualified) })),
});

const shared = {
  schedulingPolicy: policy,
  schedulingConstraints: optional(constraints),
  resourceClaims: keyedList(claimsMax, 'name', claim),
  disruptionMode: optional(oneOf('Pod', 'PodGroup')),
  priorityClassName: nonZero(format(longName)),
  priority: optional(maximum(priorityMax)),
};

const origin = all<Writable<v1.PodGroupTemplateReference>>(
  exactlyOne<v1.PodGroupTemplateReference>('workload'),
  members<v1.PodGroupTemplateReference>({
    workload: optional(
      members<v1.WorkloadPodGroupTemplateReference>({
        workloadName: required(format(longName)),
        podGroupTemplateName: required(format(shortName)),
      }),
    ),
  }),
);

const fixed = <T extends Readonly<Record<string, Rule<never>>>>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, immutable(rule)])) as T;

export const groupRules = declaredRules<v1.PodGroup>({
  spec: members<v1.PodGroupSpec>(fixed({ podGroupTemplateRef: optional(origin), ...shared })),
  status: members<v1.PodGroupStatus>({
    resourceClaimStatuses: keyedList(
      claimsMax,
      'name',
      members<v1.PodGroupResourceClaimStatus>({ resourceClaimName: optional(format(longName)) }),
    ),
  }),
});

const controller = members<v1.TypedLocalObjectReference>({
  apiGroup: nonZero(format(longName)),
  kind: required(format(pathSegmentName)),
  name: required(format(pathSegmentName)),
});

export const workloadRules = declaredRules<v1.Workload>({
  spec: members<v1.WorkloadSpec>(
    fixed({
      controllerRef: optional(controller),
      podGroupTemplates: required(
        keyedList(templatesMax, 'name', members<v1.PodGroupTemplate>({ name: required(format(shortName)), ...shared })),
      ),
    }),
  ),
});
