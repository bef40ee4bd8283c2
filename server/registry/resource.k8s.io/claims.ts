import type { ApiObject, JsonObject } from '../../api/object.js';
import { ensureObject, objectAt } from '../defaulting.js';
import { restoreMetadata } from '../statuswrites.js';
import type { Strategy } from '../strategy.js';
import { Path, type FieldError } from '../validation/field.js';
import { unchanged } from '../validation/immutable.js';
import { printedStructure } from '../validation/internalform.js';
import { printedMap } from '../validation/printed.js';
import { validateAnnotations, validateLabels } from '../validation/metadata.js';
import { validateAdminAccess } from './adminaccess.js';
import { CLAIM_SPEC_FORM, setClaimDefaults, validateClaimSpec } from './claimspec.js';
import { dropDeallocated, validateClaimStatus } from './claimstatus.js';

const SPEC = Path.of('spec');

const specOf = (object: ApiObject | JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

export const resourceClaims: Strategy = {
  deleteAnswers: 'object',
  setDefaults(claim) { setClaimDefaults(ensureObject(claim, 'spec')); },
  prepareForCreate(claim) { claim['status'] = {}; },
  prepareForUpdate(claim, old) { claim['status'] = old['status']; },
  validate: (claim, served) => [...validateAdminAccess(specOf(claim), served), ...validateClaimSpec(specOf(claim), SPEC)],
  // What cannot change need not be checked again.
  reviewUpdate: (claim, old, metadata) => [...metadata.object(), ...metadata.update(), ...unchanged(claim['spec'], old['spec'], SPEC, printedStructure(claim['spec'], CLAIM_SPEC_FORM))],
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

/** Claims that are made of a template get its labels and annotations. */
function validateTemplate(template: ApiObject): FieldError[] {
  const spec = specOf(template);
  const { labels, annotations } = objectAt(spec, 'metadata') ?? {};
  const path = SPEC.child('metadata');
  return [
    ...validateAnnotations(annotations as Record<string, string> | undefined, path.child('annotations')),
    ...validateLabels(labels as Record<string, string> | undefined, path.child('labels')),
    ...validateClaimSpec(specOf(spec), SPEC.child('spec')),
  ];
}

function printedTemplate(template: ApiObject): JsonObject {
  const spec = specOf(template);
  const [labels, annotations] = ['labels', 'annotations'].map(member => printedMap(objectAt(spec, 'metadata')?.[member]));
  return { ...(labels === null ? {} : { labels }), ...(annotations === null ? {} : { annotations }), Spec: printedStructure(spec['spec'], CLAIM_SPEC_FORM) };
}

export const resourceClaimTemplates: Strategy = {
  deleteAnswers: 'object',
  setDefaults(template) { setClaimDefaults(ensureObject(ensureObject(template, 'spec'), 'spec')); },
  validate: (template, served) => [...validateAdminAccess(specOf(specOf(template)), served), ...validateTemplate(template)],
  reviewUpdate: (template, old, metadata) => [...metadata.update(), ...unchanged(template['spec'], old['spec'], SPEC, printedTemplate(template))],
};
