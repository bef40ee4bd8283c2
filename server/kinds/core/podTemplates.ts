import type { PodTemplate } from '../../../api/types/core/v1.js';
import { ensureObject, objectAt } from '../../registry/defaulting.js';
import { memberAt } from '../../registry/members.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import { labelsText, containersAt } from '../cells.js';
import { gatedPodFields } from './podSpec/gated.js';
import type { Draft, Kind } from '../kind.js';
import { setPodTemplateDefaults, validatePodTemplate } from './podSpec/template.js';
import { templateWarnings } from './podSpec/warnings/template.js';

const template = Path.of('template');
const validate = (object: Draft<PodTemplate>): FieldError[] => validatePodTemplate(objectAt(object, 'template') ?? {}, template);

export const podTemplates: Kind<Draft<PodTemplate>> = {
  name: 'podtemplates',
  gated: gatedPodFields('template.spec'),
  metadata: { generationOf: ['template'] },
  defaults(object) {
    setPodTemplateDefaults(ensureObject(object, 'template'));
  },
  validate,
  warnings: (object, old) =>
    old === null || object.metadata.generation !== old.metadata.generation ? templateWarnings(object.template, template) : [],
  update: { review: (object, _old, metadata) => [...metadata.update(), ...validate(object)] },
  delete: { answers: 'object' },
  cells: {
    ...containersAt('template', 'spec'),
    'Pod Labels': (object) => labelsText(memberAt(object, 'template', 'metadata', 'labels')),
  },
};
