import type * as v1 from '../../../../api/types/core/v1.js';
import {
  between,
  forbidden,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  outcomeOf,
  sameValue,
  specOf,
  type Draft,
  type FieldError,
  type Found,
  type Review,
  type Steps,
  type Writable,
} from '../../language.js';
import { required } from '../../../registry/validation/field.js';
import { imageWithoutSpaces } from '../podSpec/validation/containers.js';
import { tolerations } from '../podSpec/validation/scheduling.js';
import { validatePodAnnotationsUpdate } from './annotations.js';
import { validateGatedUpdate } from './gated.js';
import { specDifference } from '../podSpec/printed.js';
import { annotations, specPath, validatePod } from './validation.js';

type PodSpec = Writable<v1.PodSpec>;
type Container = Writable<v1.Container>;

/** Changeable parts of a running pod, in the reference's order. */
const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];
const deadlineMax = 2_147_483_647;

const changeableLists = ['containers', 'initContainers'] as const;

/** Some errors end the list, because later rules depend on them. */
export function* reviewPodUpdate(pod: Draft<v1.Pod>, old: Draft<v1.Pod>, { metadata }: Review): Steps<FieldError[]> {
  const [spec, before] = [specOf(pod), specOf(old)];
  const always = yield* outcomeOf(
    inOrder(metadata.update(), metadata.object(), validatePod(pod), validatePodAnnotationsUpdate(pod, old, annotations)),
  );
  for (const list of changeableLists) {
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

function validateContainerUpdates(spec: PodSpec, before: PodSpec, list: (typeof changeableLists)[number]): Step {
  const path = specPath.child(list);
  const containers = itemsOf(spec[list]);
  if (containers.length !== itemsOf(before[list]).length) return halt(forbidden(path, 'pod updates may not add or remove containers'));
  return go(
    containers.flatMap(({ image = '' }, position) => {
      const at = path.index(position).child('image');
      return image === '' ? [required(at, '')] : imageWithoutSpaces(image, at);
    }),
  );
}

/** A deadline may be added or shortened. */
function validateDeadline({ activeDeadlineSeconds: deadline }: PodSpec, { activeDeadlineSeconds: was }: PodSpec): Step {
  const path = specPath.child('activeDeadlineSeconds');
  if (!isSet(deadline)) return go(isSet(was) ? [invalid(path, null, 'must not update from a positive integer to nil value')] : []);
  if (deadline < 0 || deadline > deadlineMax) return halt(invalid(path, deadline, between(0, deadlineMax)));
  return isSet(was) && was < deadline ? halt(invalid(path, deadline, 'must be less than or equal to previous value')) : go([]);
}

const withoutSeconds = ({ key, operator, value, effect }: Writable<v1.Toleration>): string =>
  JSON.stringify([key, operator, value, effect]);

function validateTolerationUpdate(spec: PodSpec, before: PodSpec): Found {
  const path = specPath.child('tolerations');
  const present = new Set(itemsOf(spec.tolerations).map(withoutSeconds));
  const missing = itemsOf(before.tolerations).some((old) => !present.has(withoutSeconds(old)));
  return missing
    ? [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')]
    : tolerations(spec.tolerations, path, spec);
}

function validateGates(spec: PodSpec, before: PodSpec): FieldError[] {
  const known = new Set(itemsOf(before.schedulingGates).map(({ name = '' }) => name));
  return itemsOf(spec.schedulingGates).flatMap(({ name = '' }, position) => {
    const at = specPath.child('schedulingGates').index(position).child('name');
    return known.has(name) ? [] : [forbidden(at, `only deletion is allowed, but found new scheduling gate '${name}'`)];
  });
}

/** Restores changeable parts and reports any other change. */
function validateRest(spec: PodSpec, before: PodSpec): FieldError[] {
  if (sameValue(spec, before)) return [];
  const gated = itemsOf(before.schedulingGates).length > 0;
  const munged: PodSpec = {
    ...spec,
    tolerations: before.tolerations,
    schedulingGates: before.schedulingGates,
    activeDeadlineSeconds: before.activeDeadlineSeconds,
  };
  for (const list of changeableLists)
    if (munged[list] !== undefined) munged[list] = withImagesOf(itemsOf(spec[list]), itemsOf(before[list]));
  if (Number(before.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1)
    munged.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  const findings = gated ? validateGatedUpdate(munged, before) : [];
  if (!sameValue(munged, before))
    findings.push(
      forbidden(specPath, `pod updates may not change fields other than ${changeable.join(',')}\n${specDifference(before, munged)}`),
    );
  return findings;
}

const withImagesOf = (containers: readonly Container[], before: readonly Container[]): Container[] =>
  containers.map((container, position) => ({ ...container, image: before[position]?.image }));
