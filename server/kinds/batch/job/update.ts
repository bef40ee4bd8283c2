import type * as v1 from '../../../../api/types/batch/v1.js';
import type * as coreV1 from '../../../../api/types/core/v1.js';
import {
  inOrder,
  invalid,
  isSet,
  itemsOf,
  Path,
  printedAs,
  printedSelector,
  sameValue,
  specOf,
  unchanged,
  type Draft,
  type FieldError,
  type Found,
  type JsonValue,
  type Writable,
} from '../../language.js';
import type { EnabledFeatures } from '../../../../program/features/gates.js';
import { printedPodSpec, printedPodTemplate } from '../../core/podSpec/printed.js';
import { jobSpec } from './spec.js';

type Spec = Writable<v1.JobSpec>;
type Template = Writable<coreV1.PodTemplateSpec>;
type PodSpec = Writable<coreV1.PodSpec>;
type Container = Writable<coreV1.Container>;

const specPath = Path.of('spec');
/** Immutable members, and the type of structures. */
const fixed: readonly (readonly [member: keyof v1.JobSpec, structure: string | null])[] = [
  ['completionMode', null],
  ['podFailurePolicy', 'batch.v1.PodFailurePolicy'],
  ['backoffLimitPerIndex', null],
  ['managedBy', null],
  ['successPolicy', 'batch.v1.SuccessPolicy'],
];

export function validateJobSpecUpdate(job: Draft<v1.Job>, old: Draft<v1.Job>, enabled: EnabledFeatures): Found {
  const [spec, before] = [specOf(job), specOf(old)];
  return inOrder(
    jobSpec(spec, specPath, null),
    validateCompletions(spec, before),
    unchanged(printedSelector(spec.selector), printedSelector(before.selector), specPath.child('selector')),
    validateTemplate(spec, before, changeable(old, enabled)),
    fixed.flatMap(([member, structure]) => unchanged(spec[member], before[member], specPath.child(member), shown(spec[member], structure))),
  );
}

const shown = (value: JsonValue | undefined, structure: string | null): JsonValue =>
  value === undefined || value === null ? null : structure === null ? value : printedAs(structure, value);

/** An indexed job can be resized, together with its parallelism. */
function validateCompletions({ completions, completionMode, parallelism }: Spec, before: Spec): FieldError[] {
  const path = specPath.child('completions');
  if (completionMode !== 'Indexed') return unchanged(completions, before.completions, path);
  if (!isSet(completions) || sameValue(completions, before.completions ?? null)) return [];
  return completions === parallelism ? [] : [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')];
}

interface Changeable {
  readonly placement: boolean;
  readonly resources: boolean;
}

/** A queue may decide placement and resources of a job without pods. */
function changeable({ spec, status }: Draft<v1.Job>, enabled: EnabledFeatures): Changeable {
  const suspended = spec?.suspend === true;
  const unstarted = !isSet(status?.startTime);
  const idle = suspended && (unstarted || (status?.active ?? 0) === 0);
  return {
    placement: enabled('MutableSchedulingDirectivesForSuspendedJobs') ? idle : suspended && unstarted,
    resources: enabled('MutablePodResourcesForSuspendedJobs') && idle,
  };
}

function validateTemplate({ template = {} }: Spec, { template: old = {} }: Spec, changeable: Changeable): FieldError[] {
  const path = specPath.child('template');
  const [now, before] = changeable.placement ? [withoutPlacement(template), withoutPlacement(old)] : [template, old];
  if (!changeable.resources) return unchanged(now, before, path, printedPodTemplate(template));
  return unchanged(withoutResources(specOf(now)), withoutResources(specOf(before)), path.child('spec'), printedPodSpec(specOf(template)));
}

function withoutPlacement({ metadata = {}, spec = {}, ...template }: Template): Template {
  const { labels: _l, annotations: _a, ...fixedMetadata } = metadata;
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _g, affinity = {}, ...fixedSpec } = spec;
  const { nodeAffinity: _na, ...others } = affinity;
  return {
    ...template,
    metadata: fixedMetadata,
    spec: { ...fixedSpec, ...(Object.keys(others).length === 0 ? {} : { affinity: others }) },
  };
}

function withoutResources({ initContainers, containers, ...others }: PodSpec): PodSpec {
  const bare = ({ resources: _r, ...container }: Container): Container => container;
  return { ...others, initContainers: itemsOf(initContainers).map(bare), containers: itemsOf(containers).map(bare) };
}
