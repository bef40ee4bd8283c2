import type { PodGroupTemplate } from '../../../api/types/scheduling/v1alpha2.js';
import type { Gated } from '../../registry/gatedFields.js';
import {
  exactlyOne,
  immutable,
  labelKey,
  list,
  longName,
  maximum,
  members,
  minimum,
  oneOf,
  optional,
  pathSegment,
  plain,
  pointer,
  required,
  shortName,
  type Declared,
} from '../../registry/validation/declared.js';
import { gate } from '../gated.js';
import type { Writable } from '../kind.js';

/** Groups of pods scheduled together, and workloads with templates of them, as declared in `scheduling.k8s.io/v1alpha2`. */

const claimsMax = 4;
const templatesMax = 8;
const priorityMax = 1_000_000_000;

/** Gated fields of groups and their templates. */
export const groupGates: readonly Gated<Writable<Omit<PodGroupTemplate, 'name'>>>[] = [
  gate('DRAWorkloadResourceClaims', 'resourceClaims'),
  gate('TopologyAwareWorkloadScheduling', 'schedulingConstraints'),
  gate('WorkloadAwarePreemption', 'disruptionMode', 'priorityClassName', 'priority'),
];

const claim = members(
  {
    name: required(plain, shortName),
    resourceClaimName: optional(pointer, longName),
    resourceClaimTemplateName: optional(pointer, longName),
  },
  exactlyOne('resourceClaimName', 'resourceClaimTemplateName'),
);

/** The common rules of groups and their templates. */
const shared = {
  schedulingPolicy: members({ gang: optional(pointer, members({ minCount: required(plain, minimum(1)) })) }, exactlyOne('basic', 'gang')),
  schedulingConstraints: optional(pointer, members({ topology: list({ itemsMax: 1, each: members({ key: required(plain, labelKey) }) }) })),
  resourceClaims: list({ itemsMax: claimsMax, key: 'name', each: claim }),
  disruptionMode: optional(pointer, oneOf('Pod', 'PodGroup')),
  priorityClassName: optional(plain, longName),
  priority: optional(pointer, maximum(priorityMax)),
};

const origin = members(
  {
    workload: optional(pointer, members({ workloadName: required(plain, longName), podGroupTemplateName: required(plain, shortName) })),
  },
  exactlyOne('workload'),
);

const fixed = (fields: Readonly<Record<string, Declared>>): Record<string, Declared> =>
  Object.fromEntries(Object.entries(fields).map(([name, check]) => [name, immutable(check)]));

export const declaredGroup = members({
  spec: members(fixed({ podGroupTemplateRef: optional(pointer, origin), ...shared })),
  status: members({
    resourceClaimStatuses: list({
      itemsMax: claimsMax,
      key: 'name',
      each: members({ resourceClaimName: optional(pointer, longName) }),
    }),
  }),
});

export const declaredWorkload = members({
  spec: members(
    fixed({
      controllerRef: optional(
        pointer,
        members({
          apiGroup: optional(plain, longName),
          kind: required(plain, pathSegment),
          name: required(plain, pathSegment),
        }),
      ),
      podGroupTemplates: required(
        plain,
        list({ itemsMax: templatesMax, key: 'name', each: members({ name: required(plain, shortName), ...shared }) }),
      ),
    }),
  ),
});
