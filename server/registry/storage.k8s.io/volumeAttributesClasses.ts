import type { ApiObject } from '../../api/object.js';
import { textAt } from '../members.js';
import type { Strategy } from '../strategy.js';
import { Path, type FieldError } from '../validation/field.js';
import { unchanged } from '../validation/immutable.js';
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
    ...metadata.object(), ...validate(attributes), ...metadata.update(),
    ...['driverName', 'parameters'].flatMap(member => unchanged(attributes[member], old[member], Path.of(member))),
  ],
};
