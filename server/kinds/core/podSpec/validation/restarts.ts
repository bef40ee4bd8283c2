import type * as v1 from '../../../../../api/types/core/v1.js';
import {
  all,
  each,
  isSet,
  itemsOf,
  maxItems,
  members,
  missing,
  off,
  on,
  oneOf,
  optional,
  requiredAs,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../../language.js';

/** Restart rules for exit codes need a policy of the container. */
const needsPolicy = ({ restartPolicy, restartPolicyRules }: Writable<v1.Container>, path: Path): FieldError[] =>
  isSet(restartPolicy) || itemsOf(restartPolicyRules).length === 0
    ? []
    : [missing(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')];

const exitCodes = members<v1.ContainerRestartRuleOnExitCodes>({ operator: oneOf('In', 'NotIn'), values: maxItems(255) });
const rule = members<v1.ContainerRestartRule>({
  action: all(
    on('RestartAllContainersOnContainerExits', oneOf('Restart', 'RestartAllContainers')),
    off('RestartAllContainersOnContainerExits', oneOf('Restart')),
  ),
  exitCodes: requiredAs('must be specified', exitCodes),
});

export const restart = all<Writable<v1.Container>>(
  needsPolicy,
  members<v1.Container>({
    restartPolicy: optional(oneOf('Always', 'Never', 'OnFailure')),
    restartPolicyRules: all(maxItems(20), each(rule)),
  }),
);

/** An init container without a policy has no further checks. */
export const restartOfInit = (container: Writable<v1.Container>, path: Path): Found =>
  (isSet(container.restartPolicy) ? restart : needsPolicy)(container, path, undefined);
