import type { DeviceClass } from '../../../api/types/resource/v1.js';
import { objectsIn } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { memberAt } from '../../../api/json/members.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { isExtendedResource } from '../../registry/validation/resourcenames.js';
import { longName } from '../../registry/validation/names.js';
import { gate } from '../gated.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { configurationsMax, validateConfiguration, validateSelectors } from './devices.js';
import { validateList } from './lists.js';

const specPath = Path.of('spec');

function validate(deviceClass: Draft<DeviceClass>, old: Draft<DeviceClass> | null): FieldError[] {
  const spec = specOf(deviceClass);
  const name = spec.extendedResourceName;
  const stored = old !== null && sameValue(spec.config, memberAt(old, 'spec', 'config'));
  return [
    ...validateSelectors(spec, specPath.child('selectors')),
    ...validateList(objectsIn(spec, 'config'), configurationsMax, specPath.child('config'), (configuration, at) =>
      validateConfiguration(configuration, at, stored),
    ),
    ...(name === undefined || isExtendedResource(String(name))
      ? []
      : [invalid(specPath.child('extendedResourceName'), name, 'must be a valid extended resource name')]),
  ];
}

export const deviceClasses: Kind<Draft<DeviceClass>> = {
  name: 'deviceclasses.resource.k8s.io',
  gated: [gate('DRAExtendedResource', 'spec.extendedResourceName')],
  metadata: { generationOf: ['spec'], name: longName },
  validate: (deviceClass) => validate(deviceClass, null),
  update: { review: ['objectMeta', 'objectMetaUpdate', validate] },
  delete: { answers: 'object' },
};
