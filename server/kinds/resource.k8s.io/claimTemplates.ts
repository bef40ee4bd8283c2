import type * as v1 from '../../../api/types/resource/v1.js';
import { created, inOrder, members, membersOf, objectRules, specOf, type Draft, type Kind } from '../language.js';
import { validateTemplateMetadata } from '../../registry/validation/templateMetadata.js';
import { immutableSpec } from '../immutable.js';
import { claimTemplateGates } from './gated.js';
import { validateAdminAccess } from './adminAccess.js';
import { claimSpec } from './claimSpec.js';
import { claimTemplateConversion } from './conversion.js';

const validateTemplate = objectRules<v1.ResourceClaimTemplate>({
  spec: created(
    members<v1.ResourceClaimTemplateSpec>({
      metadata: (metadata, path) => validateTemplateMetadata(membersOf(metadata), path),
      spec: claimSpec,
    }),
  ),
});

export const resourceClaimTemplates: Kind<Draft<v1.ResourceClaimTemplate>> = {
  name: 'resourceclaimtemplates.resource.k8s.io',
  gated: claimTemplateGates,
  versions: { 'resource.k8s.io/v1beta1': { conversion: claimTemplateConversion } },
  defaults: validateTemplate.defaults,
  validate: (template, served) => inOrder(validateAdminAccess(specOf(specOf(template)), served), validateTemplate(template)),
  update: {
    // An immutable specification is checked as a whole all the same, unlike a claim's.
    review: ['objectMeta', 'objectMetaUpdate', validateTemplate, immutableSpec('resource.v1.ResourceClaimTemplateSpec')],
  },
  delete: { answers: 'object' },
};
