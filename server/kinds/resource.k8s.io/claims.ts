import type { ApiObject, JsonObject } from '../../api/object.js';
import { ensureObject, objectAt } from '../../registry/defaulting.js';
import { restoreMetadata } from '../../registry/statuswrites.js';
import type { Strategy } from '../../registry/strategy.js';
import { Path } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { printedStructure } from '../../registry/validation/internalform.js';
import { validateAdminAccess } from './adminAccess.js';
import { CLAIM_SPEC_FORM, setClaimDefaults, validateClaimSpec } from './claimSpec.js';
import { dropDeallocated, validateClaimStatus } from './claimStatus.js';

const SPEC = Path.of('spec');

const specOf = (object: ApiObject | JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

export const resourceClaims: Strategy = {
  deleteAnswers: 'object',
  setDefaults(claim) {
    setClaimDefaults(ensureObject(claim, 'spec'));
  },
  prepareForCreate(claim) {
    claim['status'] = {};
  },
  prepareForUpdate(claim, old) {
    claim['status'] = old['status'];
  },
  validate: (claim, served) => [...validateAdminAccess(specOf(claim), served), ...validateClaimSpec(specOf(claim), SPEC)],
  // What cannot change need not be checked again.
  reviewUpdate: (claim, old, metadata) => [
    ...metadata.object(),
    ...metadata.update(),
    ...unchanged(claim['spec'], old['spec'], SPEC, printedStructure(claim['spec'], CLAIM_SPEC_FORM)),
  ],
  subresources: {
    status: {
      prepareForUpdate(claim, old) {
        claim['spec'] = old['spec'];
        restoreMetadata(claim, old);
        dropDeallocated(claim, old);
      },
      reviewUpdate: (claim, old, metadata) => [...metadata.update(), ...validateClaimStatus(claim, old)],
    },
  },
};
