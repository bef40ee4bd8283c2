import type { PodTemplate } from '../../../api/types/core/v1.js';
import { all, below, hasNewGeneration, joinedAt, labelsAt, objectRules, Path, structure, type Draft, type Kind } from '../language.js';
import { podSpecGates } from './podSpec/gated.js';
import { podTemplateDefaults, validatePodTemplate } from './podSpec/template.js';
import { templateWarnings } from './podSpec/warnings/template.js';

const template = Path.of('template');
const validate = objectRules<PodTemplate>({ template: all(podTemplateDefaults, structure(validatePodTemplate)) });

export const podTemplates: Kind<Draft<PodTemplate>> = {
  name: 'podtemplates',
  gated: [below('template.spec', podSpecGates)],
  metadata: { generationOf: ['template'] },
  defaults: validate.defaults,
  validate,
  warnings: (object, old) => (hasNewGeneration(object, old) ? templateWarnings(object.template, template) : []),
  update: { review: ['objectMetaUpdate', validate] },
  delete: { answers: 'object' },
  cells: {
    Containers: joinedAt('template.spec.containers[].name'),
    Images: joinedAt('template.spec.containers[].image'),
    'Pod Labels': labelsAt('template.metadata.labels'),
  },
};
