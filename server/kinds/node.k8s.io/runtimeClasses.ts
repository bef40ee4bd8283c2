import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { validateContainerResources } from '../core/podSpec/validation/resources.js';
import { validateTolerationList } from '../core/podSpec/validation/scheduling.js';
import { sameValue } from '../../registry/equality.js';
import type { Strategy } from '../../registry/strategy.js';
import { duplicate, Path, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { labelMap, requiredDnsLabel } from '../../registry/validation/values.js';

const TOLERATION: StructureForm = [
  ['key', 'Key', 'text'],
  ['operator', 'Operator', 'text'],
  ['value', 'Value', 'text'],
  ['effect', 'Effect', 'text'],
  ['tolerationSeconds', 'TolerationSeconds', 'optional'],
];

function validate(runtime: ApiObject): FieldError[] {
  const overhead = objectAt(runtime, 'overhead');
  const scheduling = objectAt(runtime, 'scheduling');
  return [
    ...requiredDnsLabel(textAt(runtime, 'handler'), Path.of('handler')),
    // The overhead is checked as if it were the limits of a container, down to the paths of what is found.
    ...(overhead === null
      ? []
      : validateContainerResources({ limits: objectAt(overhead, 'podFixed') ?? {} }, new Set(), Path.of('overhead'))),
    ...(scheduling === null ? [] : validateScheduling(scheduling, Path.of('scheduling'))),
  ];
}

function validateScheduling(scheduling: JsonObject, path: Path): FieldError[] {
  const tolerations = path.child('tolerations');
  return [
    ...labelMap(objectAt(scheduling, 'nodeSelector') ?? {}, path.child('nodeSelector')),
    ...validateTolerationList(scheduling, tolerations),
    ...repeated(objectsIn(scheduling, 'tolerations'), tolerations),
  ];
}

const repeated = (tolerations: readonly JsonObject[], path: Path): FieldError[] =>
  tolerations.flatMap((toleration, position) =>
    tolerations.slice(0, position).some((earlier) => sameValue(earlier, toleration))
      ? [duplicate(path.index(position), printedStructure(toleration, TOLERATION))]
      : [],
  );

export const runtimeClasses: Strategy = {
  createsOnUpdate: true,
  unconditionalUpdate: false,
  validate,
  reviewUpdate: (runtime, old, metadata) => [
    ...metadata.object(),
    ...validate(runtime),
    ...metadata.update(),
    ...unchanged(runtime['handler'], old['handler'], Path.of('handler')),
  ],
};
