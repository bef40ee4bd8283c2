import type * as v1 from '../../../api/types/node/v1.js';
import type * as coreV1 from '../../../api/types/core/v1.js';
import {
  all,
  at,
  dnsLabel,
  duplicate,
  labelMap,
  likeness,
  members,
  objectRules,
  optional,
  Path,
  printedAs,
  required,
  strictly,
  unrepeated,
  type Draft,
  type Kind,
  type Writable,
} from '../language.js';
import { overheadOf } from '../core/podSpec/validation/resources.js';
import { plainTolerations } from '../core/podSpec/validation/scheduling.js';
import { deprecatedNodeLabel } from '../core/podSpec/warnings/placement.js';
import { immutable } from '../immutable.js';

/** Tolerations are identified by everything but their duration. */
const differing = unrepeated(
  ({ tolerationSeconds: _seconds, ...toleration }: Writable<coreV1.Toleration>) => likeness(toleration),
  (toleration, path) => [duplicate(path, printedAs('core.v1.Toleration', toleration))],
);

const validate = objectRules<v1.RuntimeClass>({
  handler: required(dnsLabel),
  // The overhead is checked like a container's limits, including paths.
  overhead: optional(({ podFixed = {} }, path) => strictly(overheadOf(podFixed, path))),
  scheduling: optional(members<v1.Scheduling>({ nodeSelector: optional(labelMap), tolerations: all(plainTolerations, differing) })),
});

/** Warns about node labels with a successor, without naming it. */
const selectorWarnings = (runtime: Draft<v1.RuntimeClass>): string[] =>
  Object.keys(runtime.scheduling?.nodeSelector ?? {}).flatMap((label) => {
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
