import type { VolumeAttributesClass } from '../../../api/types/storage/v1.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { at } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { validateParameters, validateProvisioner } from './parameters.js';

const validate = (attributes: Draft<VolumeAttributesClass>): FieldError[] => [
  ...validateProvisioner(textAt(attributes, 'driverName'), Path.of('driverName')),
  ...validateParameters(attributes.parameters, false, Path.of('parameters')),
];

export const volumeAttributesClasses: Kind<Draft<VolumeAttributesClass>> = {
  name: 'volumeattributesclasses.storage.k8s.io',
  validate,
  update: {
    review: [
      'objectMetaUpdate',
      (attributes, old) =>
        (['driverName', 'parameters'] as const)
          .filter((member) => !sameValue(attributes[member] ?? null, old[member] ?? null))
          .map((member) => forbidden(Path.of(member), `updates to ${member} are forbidden.`)),
      'objectMeta',
      validate,
    ],
  },
  delete: { answers: 'object' },
  cells: { DriverName: at('driverName') },
};
