import { ensureObject, objectAt } from '../../registry/defaulting.js';
import type { Strategy } from '../../registry/strategy.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import type { ApiObject } from '../../api/object.js';
import { setPodTemplateDefaults, validatePodTemplate } from './podSpec/template.js';
import { templateWarnings } from './podSpec/warnings/template.js';

const TEMPLATE = Path.of('template');
const validate = (object: ApiObject): FieldError[] => validatePodTemplate(objectAt(object, 'template') ?? {}, TEMPLATE);

export const podTemplates: Strategy = {
  generationOf: ['template'],
  deleteAnswers: 'object',
  setDefaults(object) {
    setPodTemplateDefaults(ensureObject(object, 'template'));
  },
  validate,
  reviewUpdate: (object, _old, metadata) => [...metadata.update(), ...validate(object)],
  warnings: (object, old) =>
    old === null || object.metadata.generation !== old.metadata.generation ? templateWarnings(object['template'], TEMPLATE) : [],
};
