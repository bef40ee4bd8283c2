import type * as v1 from '../../../api/types/storage/v1.js';
import {
  dnsSubdomain,
  nonNegativeQuantity,
  objectAt,
  objectRules,
  objectsIn,
  optional,
  orEmpty,
  Path,
  printedSelector,
  textAt,
  validateLabelSelector,
  type Draft,
  type Kind,
} from '../language.js';
import { deprecatedNodeLabel, namedLabel } from '../core/podSpec/warnings/placement.js';
import { immutable } from '../immutable.js';

const topologyPath = Path.of('nodeTopology');

const validate = objectRules<v1.CSIStorageCapacity>({
  nodeTopology: optional(validateLabelSelector),
  storageClassName: orEmpty(dnsSubdomain),
  capacity: optional(nonNegativeQuantity),
});

function topologyWarnings(capacity: Draft<v1.CSIStorageCapacity>): string[] {
  const topology = objectAt(capacity, 'nodeTopology') ?? {};
  return [
    ...objectsIn(topology, 'matchExpressions').flatMap((expression, position) =>
      namedLabel(textAt(expression, 'key'), topologyPath.child('matchExpressions').index(position).child('key')),
    ),
    ...Object.keys(objectAt(topology, 'matchLabels') ?? {}).flatMap((label) => {
      const text = deprecatedNodeLabel(label);
      return text === null ? [] : [`${topologyPath.child('matchLabels', label)}: ${text}`];
    }),
  ];
}

export const csiStorageCapacities: Kind<Draft<v1.CSIStorageCapacity>> = {
  name: 'csistoragecapacities.storage.k8s.io',
  validate,
  warnings: (capacity) => topologyWarnings(capacity),
  update: {
    unconditional: false,
    review: ['objectMeta', validate, 'objectMetaUpdate', immutable('nodeTopology', printedSelector), immutable('storageClassName')],
  },
};
