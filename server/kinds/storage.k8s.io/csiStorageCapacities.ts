import type * as v1 from '../../../api/types/storage/v1.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { Path } from '../../registry/validation/field.js';
import { validateLabelSelector } from '../../registry/validation/labelselector.js';
import { printedSelector } from '../../registry/validation/printed.js';
import { nonNegativeQuantity } from '../../registry/validation/quantities.js';
import { objectRules, optional, orEmpty } from '../../registry/validation/table.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { deprecatedNodeLabel, namedLabel } from '../core/podSpec/warnings/placement.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';

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
