import type * as v1 from '../../../api/types/storage/v1.js';
import { at, forbidden, objectRules, Path, sameValue, type Draft, type Kind } from '../language.js';
import { parameters, provisioner } from './parameters.js';

const validate = objectRules<v1.VolumeAttributesClass>({ driverName: provisioner, parameters: parameters(false) });

export const volumeAttributesClasses: Kind<Draft<v1.VolumeAttributesClass>> = {
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
