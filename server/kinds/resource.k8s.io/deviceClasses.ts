import type * as v1 from '../../../api/types/resource/v1.js';
import {
  gate,
  invalid,
  isExtendedResource,
  longName,
  members,
  objectRules,
  optional,
  sameValue,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
} from '../language.js';
import { configuration, configurationsMax, selectors, storedConfiguration } from './devices.js';
import { list } from './lists.js';

const rulesWith = (each: typeof configuration): ReturnType<typeof objectRules<v1.DeviceClass>> =>
  objectRules<v1.DeviceClass>({
    spec: members<v1.DeviceClassSpec>({
      selectors,
      config: list(configurationsMax, each),
      extendedResourceName: optional(extendedResource),
    }),
  });
const [rules, rulesForStored] = [rulesWith(configuration), rulesWith(storedConfiguration)];

function extendedResource(name: string, path: Path): FieldError[] {
  return isExtendedResource(name) ? [] : [invalid(path, name, 'must be a valid extended resource name')];
}

export const deviceClasses: Kind<Draft<v1.DeviceClass>> = {
  name: 'deviceclasses.resource.k8s.io',
  gated: [gate('DRAExtendedResource', 'spec.extendedResourceName')],
  metadata: { generationOf: ['spec'], name: longName },
  validate: rules,
  update: {
    review: [
      'objectMeta',
      'objectMetaUpdate',
      (now, old) => (sameValue(now.spec?.config, old.spec?.config) ? rulesForStored(now) : rules(now)),
    ],
  },
  delete: { answers: 'object' },
};
