import type * as v1 from '../../../api/types/resource/v1.js';
import { ensureObject } from '../../../api/json/defaulting.js';
import { membersOf } from '../../../api/json/members.js';
import { Path } from '../../registry/validation/field.js';
import { metadata, printedStructure, structure } from '../../registry/validation/internalform.js';
import { validateTemplateMetadata } from '../../registry/validation/templatemetadata.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { claimTemplateGates } from './gated.js';
import { validateAdminAccess } from './adminAccess.js';
import { claimSpec, claimSpecForm, setClaimDefaults } from './claimSpec.js';
import { claimTemplateConversion } from './conversion.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');

function validateTemplate(template: Draft<v1.ResourceClaimTemplate>): Found {
  const spec = specOf(template);
  return inOrder(
    validateTemplateMetadata(membersOf(spec.metadata), specPath.child('metadata')),
    claimSpec(specOf(spec), specPath.child('spec')),
  );
}

const form = [...metadata, ...structure('spec', claimSpecForm)];

export const resourceClaimTemplates: Kind<Draft<v1.ResourceClaimTemplate>> = {
  name: 'resourceclaimtemplates.resource.k8s.io',
  gated: claimTemplateGates,
  versions: { 'resource.k8s.io/v1beta1': { conversion: claimTemplateConversion } },
  defaults(template) {
    setClaimDefaults(ensureObject(ensureObject(template, 'spec'), 'spec'));
  },
  validate: (template, served) => inOrder(validateAdminAccess(specOf(specOf(template)), served), validateTemplate(template)),
  update: {
    // An immutable specification is checked as a whole all the same, unlike a claim's.
    review: ['objectMeta', 'objectMetaUpdate', validateTemplate, immutable('spec', (spec) => printedStructure(spec, form))],
  },
  delete: { answers: 'object' },
};
