import type { ResourceClaim } from '../../../api/types/resource/v1.js';
import { ensureObject } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt } from '../../../api/json/members.js';
import { Path } from '../../registry/validation/field.js';
import { printedStructure } from '../../registry/validation/internalform.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { claimGates } from './gated.js';
import { beginsAdminAccess, validateAdminAccess, validateAdminStatus } from './adminAccess.js';
import { claimSpecForm, setClaimDefaults, validateClaimSpec } from './claimSpec.js';
import { dropDeallocated, validateClaimStatus } from './claimStatus.js';
import { claimConversion } from './conversion.js';

const spec = Path.of('spec');

export const resourceClaims: Kind<Draft<ResourceClaim>> = {
  name: 'resourceclaims.resource.k8s.io',
  gated: claimGates,
  versions: { 'resource.k8s.io/v1beta1': { conversion: claimConversion } },
  defaults(claim) {
    setClaimDefaults(ensureObject(claim, 'spec'));
  },
  validate: (claim, served) => [...validateAdminAccess(specOf(claim), served), ...validateClaimSpec(specOf(claim), spec)],
  update: {
    // Immutable parts need no further check.
    review: ['objectMeta', 'objectMetaUpdate', immutable('spec', (spec) => printedStructure(spec, claimSpecForm))],
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
        memberAt(object, 'status', 'allocation') === undefined ? 'pending' : 'allocated',
        ...(itemsOf(memberAt(object, 'status', 'reservedFor')).length === 0 ? [] : ['reserved']),
      ].join(','),
  },
};
