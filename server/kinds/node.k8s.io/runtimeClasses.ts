import type * as v1 from '../../../api/types/node/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { likeness } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { duplicate, Path, strictly, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { labelMap, requiredDnsLabel } from '../../registry/validation/values.js';
import { at } from '../cells.js';
import { overheadOf } from '../core/podSpec/validation/resources.js';
import { tolerations } from '../core/podSpec/validation/scheduling.js';
import { deprecatedNodeLabel } from '../core/podSpec/warnings/placement.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { repeats } from '../../registry/validation/repeats.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const tolerationForm: StructureForm = [
  ['key', 'Key', 'text'],
  ['operator', 'Operator', 'text'],
  ['value', 'Value', 'text'],
  ['effect', 'Effect', 'text'],
  ['tolerationSeconds', 'TolerationSeconds', 'optional'],
];

function validate(runtime: Draft<v1.RuntimeClass>): Found {
  const overhead = objectAt(runtime, 'overhead');
  const scheduling = objectAt(runtime, 'scheduling');
  return inOrder(
    requiredDnsLabel(textAt(runtime, 'handler'), Path.of('handler')),
    // The overhead is checked like a container's limits, including paths.
    overhead === null ? [] : strictly(overheadOf(objectAt(overhead, 'podFixed') ?? {}, Path.of('overhead'))),
    scheduling === null ? [] : validateScheduling(scheduling, Path.of('scheduling')),
  );
}

function validateScheduling(scheduling: Writable<v1.Scheduling>, path: Path): Found {
  return inOrder(
    labelMap(objectAt(scheduling, 'nodeSelector') ?? {}, path.child('nodeSelector')),
    tolerations(scheduling.tolerations, path.child('tolerations'), scheduling),
    repeated(objectsIn(scheduling, 'tolerations'), path.child('tolerations')),
  );
}

/** Tolerations are identified by everything but their duration. */
const withoutSeconds = ({ tolerationSeconds: _seconds, ...toleration }: JsonObject): JsonObject => toleration;

function repeated(tolerations: readonly JsonObject[], path: Path): FieldError[] {
  const isRepeated = repeats(tolerations.map((toleration) => likeness(withoutSeconds(toleration))));
  return tolerations.flatMap((toleration, position) =>
    isRepeated(position) ? [duplicate(path.index(position), printedStructure(toleration, tolerationForm))] : [],
  );
}

/** Warns about node labels with a successor, without naming it. */
const selectorWarnings = (runtime: Draft<v1.RuntimeClass>): string[] =>
  Object.keys(objectAt(objectAt(runtime, 'scheduling') ?? {}, 'nodeSelector') ?? {}).flatMap((label) => {
    const text = deprecatedNodeLabel(label);
    return text === null ? [] : [`${Path.of('scheduling', 'nodeSelector')}: ${text}`];
  });

export const runtimeClasses: Kind<Draft<v1.RuntimeClass>> = {
  name: 'runtimeclasses.node.k8s.io',
  metadata: { anyFinalizers: true },
  validate,
  warnings: (runtime) => selectorWarnings(runtime),
  update: {
    creates: true,
    unconditional: false,
    review: ['objectMeta', validate, 'objectMetaUpdate', immutable('handler')],
  },
  cells: { Handler: at('handler') },
};
