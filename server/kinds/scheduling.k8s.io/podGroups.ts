import type { PodGroup } from '../../../api/types/scheduling/v1alpha2.js';
import type { EnabledFeatures } from '../../../program/features/gates.js';
import {
  below,
  conditions,
  gate,
  inOrder,
  invalid,
  itemsOf,
  objectAt,
  Path,
  setTextDefault,
  specOf,
  type Draft,
  type Found,
  type Kind,
} from '../language.js';
import { groupRules, groupGates } from './podGroupRules.js';

const status = Path.of('status');

const defaultMode = 'Pod';

/** Only claims of the group may be reported, which declarations cannot express. */
function validateStatus(group: Draft<PodGroup>): Found {
  const claims = new Set(itemsOf(specOf(group).resourceClaims).map(({ name }) => name));
  const path = status.child('resourceClaimStatuses');
  return inOrder(
    conditions(group.status?.conditions, status.child('conditions'), null),
    itemsOf(group.status?.resourceClaimStatuses).flatMap(({ name }, position) =>
      claims.has(name)
        ? []
        : [invalid(path.index(position).child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')],
    ),
  );
}

/** A default of a gated field. */
function setMode(group: Draft<PodGroup>, enabled: EnabledFeatures): void {
  const spec = objectAt(group, 'spec');
  if (spec !== null && enabled('WorkloadAwarePreemption')) setTextDefault(spec, 'disruptionMode', defaultMode);
}

/** A group may be stored without a disruption mode. */
const completed = (group: Draft<PodGroup>): Draft<PodGroup> => ({ ...group, spec: { disruptionMode: defaultMode, ...specOf(group) } });

export const podGroups: Kind<Draft<PodGroup>> = {
  name: 'podgroups.scheduling.k8s.io',
  gated: [below('spec', groupGates), gate('DRAWorkloadResourceClaims', 'status.resourceClaimStatuses')],
  prepare(group, _old, { enabled }) {
    setMode(group, enabled);
  },
  validate: groupRules.created,
  update: {
    resets: [],
    review: ['objectMetaUpdate', (group, old) => groupRules.changed(completed(group), completed(old))],
  },
  subresources: {
    status: {
      keepsMetadata: true,
      review: ['objectMetaUpdate', validateStatus, groupRules.changed],
    },
  },
};
