import type { ApiObject } from '../../api/object.js';
import { textAt } from '../../registry/members.js';
import type { Strategy } from '../../registry/strategy.js';
import { sameValue } from '../../registry/equality.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { validateParameters, validateProvisioner } from './parameters.js';

const validate = (attributes: ApiObject): FieldError[] => [
  ...validateProvisioner(textAt(attributes, 'driverName'), Path.of('driverName')),
  ...validateParameters(attributes['parameters'], false, Path.of('parameters')),
];

/** A controller takes it away once nobody uses the class. */
const PROTECTION = 'kubernetes.io/vac-protection';

export const volumeAttributesClasses: Strategy = {
  deleteAnswers: 'object',
  prepareForCreate({ metadata }) {
    const finalizers = metadata.finalizers ?? [];
    metadata.finalizers = finalizers.includes(PROTECTION) ? finalizers : [...finalizers, PROTECTION];
  },
  validate,
  reviewUpdate: (attributes, old, metadata) => [
    ...metadata.update(),
    ...['driverName', 'parameters']
      .filter((member) => !sameValue(attributes[member] ?? null, old[member] ?? null))
      .map((member) => forbidden(Path.of(member), `updates to ${member} are forbidden.`)),
    ...metadata.object(),
    ...validate(attributes),
  ],
};
