import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { sameValue } from '../../../../api/json/equality.js';
import { objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import type { Review } from '../../../registry/rules.js';
import { forbidden, invalid, required, type FieldError } from '../../../registry/validation/field.js';
import { between } from '../../../registry/validation/values.js';
import { spacesAround } from '../podSpec/validation/containers.js';
import { validateTolerations } from '../podSpec/validation/scheduling.js';
import { validatePodAnnotationsUpdate } from './annotations.js';
import { validateGatedUpdate } from './gated.js';
import { specDifference } from '../podSpec/printed.js';
import { annotations, specPath, validatePod } from './validation.js';
import { specOf } from '../../parts.js';
import { inOrder, type Found } from '../../../registry/validation/ofEach.js';
import { outcomeOf } from '../../../registry/stepwise.js';
import { type Steps } from '../../../../api/steps.js';

/** Changeable parts of a running pod, in the reference's order. */
const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];
const deadlineMax = 2_147_483_647;

/** Some errors end the list, because later rules depend on them. */
export function* reviewPodUpdate(pod: ApiObject, old: ApiObject, { metadata }: Review): Steps<FieldError[]> {
  const [spec, before] = [specOf(pod), specOf(old)];
  const always = yield* outcomeOf(
    inOrder(metadata.update(), metadata.object(), validatePod(pod), validatePodAnnotationsUpdate(pod, old, annotations)),
  );
  for (const list of ['containers', 'initContainers']) {
    const { findings, stop } = validateContainerUpdates(spec, before, list);
    always.push(...findings);
    if (stop) return always;
  }
  const deadline = validateDeadline(spec, before);
  always.push(...deadline.findings);
  if (deadline.stop) return always;
  return yield* outcomeOf(inOrder(always, validateTolerationUpdate(spec, before), validateGates(spec, before), validateRest(spec, before)));
}

interface Step {
  readonly findings: FieldError[];
  readonly stop: boolean;
}
const go = (findings: FieldError[]): Step => ({ findings, stop: false });
const halt = (finding: FieldError): Step => ({ findings: [finding], stop: true });

function validateContainerUpdates(spec: JsonObject, before: JsonObject, list: string): Step {
  const path = specPath.child(list);
  const containers = objectsIn(spec, list);
  if (containers.length !== objectsIn(before, list).length) return halt(forbidden(path, 'pod updates may not add or remove containers'));
  return go(
    containers.flatMap((container, position) => {
      const image = textAt(container, 'image');
      const at = path.index(position).child('image');
      return [...(image === '' ? [required(at, '')] : []), ...spacesAround(image, at)];
    }),
  );
}

/** A deadline may be added or shortened. */
function validateDeadline(spec: JsonObject, before: JsonObject): Step {
  const [deadline, was] = [spec['activeDeadlineSeconds'] ?? null, before['activeDeadlineSeconds'] ?? null];
  const path = specPath.child('activeDeadlineSeconds');
  if (deadline === null) return go(was === null ? [] : [invalid(path, null, 'must not update from a positive integer to nil value')]);
  if (Number(deadline) < 0 || Number(deadline) > deadlineMax) return halt(invalid(path, deadline, between(0, deadlineMax)));
  return was !== null && Number(was) < Number(deadline)
    ? halt(invalid(path, deadline, 'must be less than or equal to previous value'))
    : go([]);
}

/** The identity of a toleration, without its duration. */
const withoutSeconds = ({ key = null, operator = null, value = null, effect = null }: JsonObject): string =>
  JSON.stringify([key, operator, value, effect]);

function validateTolerationUpdate(spec: JsonObject, before: JsonObject): Found {
  const present = new Set(objectsIn(spec, 'tolerations').map(withoutSeconds));
  const missing = objectsIn(before, 'tolerations').some((old) => !present.has(withoutSeconds(old)));
  return missing
    ? [forbidden(specPath.child('tolerations'), 'existing toleration can not be modified except its tolerationSeconds')]
    : validateTolerations(spec, specPath);
}

function validateGates(spec: JsonObject, before: JsonObject): FieldError[] {
  const known = new Set(objectsIn(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsIn(spec, 'schedulingGates').flatMap((gate, position) => {
    const name = textAt(gate, 'name');
    return known.has(name)
      ? []
      : [
          forbidden(
            specPath.child('schedulingGates').index(position).child('name'),
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ];
  });
}

/** Restores changeable parts and reports any other change. */
function validateRest(spec: JsonObject, before: JsonObject): FieldError[] {
  if (sameValue(spec, before)) return [];
  const gated = itemsOf(before['schedulingGates']).length > 0;
  const munged: JsonObject = {
    ...spec,
    tolerations: before['tolerations'],
    schedulingGates: before['schedulingGates'],
    activeDeadlineSeconds: before['activeDeadlineSeconds'],
  };
  for (const list of ['containers', 'initContainers'])
    if (munged[list] !== undefined) munged[list] = withImagesOf(objectsIn(spec, list), objectsIn(before, list));
  if (Number(before['terminationGracePeriodSeconds'] ?? 0) < 0 && munged['terminationGracePeriodSeconds'] === 1)
    munged['terminationGracePeriodSeconds'] = before['terminationGracePeriodSeconds'];
  const findings = gated ? validateGatedUpdate(munged, before) : [];
  if (!sameValue(munged, before))
    findings.push(
      forbidden(specPath, `pod updates may not change fields other than ${changeable.join(',')}\n${specDifference(before, munged)}`),
    );
  return findings;
}

const withImagesOf = (containers: readonly JsonObject[], before: readonly JsonObject[]): JsonObject[] =>
  containers.map((container, position) => ({ ...container, image: before[position]?.['image'] }));
