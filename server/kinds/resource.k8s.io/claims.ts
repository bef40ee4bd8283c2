import type * as v1 from '../../../api/types/resource/v1.js';
import { inOrder, itemsOf, memberAt, objectRules, specOf, type Draft, type Kind } from '../language.js';
import { immutableSpec } from '../immutable.js';
import { claimGates } from './gated.js';
import { beginsAdminAccess, validateAdminAccess, validateAdminStatus } from './adminAccess.js';
import { claimSpec } from './claimSpec.js';
import { dropDeallocated, validateClaimStatus } from './claimStatus.js';
import { claimConversion } from './conversion.js';

const rules = objectRules<v1.ResourceClaim>({ spec: claimSpec });

const unallocated = ({ metadata }: Draft<v1.ResourceClaim>): string[] => (metadata.deletionTimestamp === undefined ? ['pending'] : []);
const allocated = (claim: Draft<v1.ResourceClaim>): string[] =>
  itemsOf(memberAt(claim, 'status', 'reservedFor')).length === 0 ? ['allocated'] : ['allocated', 'reserved'];

export const resourceClaims: Kind<Draft<v1.ResourceClaim>> = {
  name: 'resourceclaims.resource.k8s.io',
  gated: claimGates,
  versions: { 'resource.k8s.io/v1beta1': { conversion: claimConversion } },
  defaults: rules.defaults,
  validate: (claim, served) => inOrder(validateAdminAccess(specOf(claim), served), rules(claim)),
  update: {
    // Immutable parts need no further check.
    review: ['objectMeta', 'objectMetaUpdate', immutableSpec('resource.v1.ResourceClaimSpec')],
  },
  subresources: {
    status: {
      keepsMetadata: true,
      prepare: dropDeallocated,
      readsNamespace: beginsAdminAccess,
      review: [(claim, old, { context }) => validateAdminStatus(claim, old, context), 'objectMetaUpdate', validateClaimStatus],
    },
  },
  delete: { answers: 'object' },
  cells: {
    State: (object) =>
      [
        ...(object.metadata.deletionTimestamp === undefined ? [] : ['deleted']),
        ...(memberAt(object, 'status', 'allocation') === undefined ? unallocated(object) : allocated(object)),
      ].join(','),
  },
};
