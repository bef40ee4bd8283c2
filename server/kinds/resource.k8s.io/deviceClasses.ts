import type { ApiObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { isExtendedResource } from '../../registry/validation/resourcenames.js';
import { longName } from '../../registry/validation/names.js';
import type { Kind } from '../kind.js';
import { CONFIGURATIONS_MAX, validateConfiguration, validateSelectors } from './devices.js';
import { validateList } from './lists.js';

const SPEC = Path.of('spec');

function validate(deviceClass: ApiObject): FieldError[] {
  const spec = objectAt(deviceClass, 'spec') ?? {};
  const name = spec['extendedResourceName'];
  return [
    ...validateSelectors(spec, SPEC.child('selectors')),
    ...validateList(objectsIn(spec, 'config'), CONFIGURATIONS_MAX, SPEC.child('config'), validateConfiguration),
    ...(name === undefined || isExtendedResource(String(name))
      ? []
      : [invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name')]),
  ];
}

export const deviceClasses: Kind = {
  name: 'deviceclasses.resource.k8s.io',
  metadata: { generationOf: ['spec'], name: longName },
  validate,
  update: { review: (deviceClass, _old, metadata) => [...metadata.object(), ...metadata.update(), ...validate(deviceClass)] },
  delete: { answers: 'object' },
};
