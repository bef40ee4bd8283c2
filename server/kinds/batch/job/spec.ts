import type * as v1 from '../../../../api/types/batch/v1.js';
import { matchesLabels } from '../../../../api/selectors/match.js';
import {
  all,
  byDefault,
  dnsSubdomain,
  inOrder,
  invalid,
  isSet,
  maximum,
  members,
  missing,
  nonNegative,
  notSupported,
  optional,
  printedMap,
  requiredPointer,
  structure,
  tooLong,
  validateLabelSelector,
  whole,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../language.js';
import { selectorOf } from '../../core/podSpec/controlledTemplate.js';
import { podTemplateDefaults, validatePodTemplate } from '../../core/podSpec/template.js';
import { failurePolicy } from './failurePolicy.js';
import { successPolicy } from './successPolicy.js';

type Spec = Writable<v1.JobSpec>;

const backoffLimit = 6;
/** A limit per index replaces that of the whole job. */
const noBackoffLimit = 2 ** 31 - 1;
const managedByMax = 63;
const indexedParallelismMax = 100_000;
const indexedFailedMax = 100_000;
/** Above this number of completions, per-index failure counts need limits. */
const completionsSoftMax = 100_000;
const highCompletionsParallelismMax = 10_000;
const highCompletionsFailedMax = 10_000;
const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

function validateManagedBy(value: string, path: Path): FieldError[] {
  const slash = value.indexOf('/');
  const [host, rest] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)];
  const long = Buffer.byteLength(value) > managedByMax ? [tooLong(path, managedByMax)] : [];
  if (value === '') return [missing(path, '')];
  if (host === '' || rest === '') return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'), ...long];
  const badPath = new RegExp(`^${pathPattern}$`).test(rest)
    ? []
    : [invalid(path, rest, `Invalid path (regex used for validation is '${pathPattern}')`)];
  return [...dnsSubdomain(host, path), ...badPath, ...long];
}

/** Templates of cron jobs may omit it. */
function completionMode(spec: Spec, path: Path): Found {
  const mode = spec.completionMode ?? 'NonIndexed';
  if (mode === 'Indexed') return indexed(spec, path);
  return mode === 'NonIndexed'
    ? unindexed(spec, path, spec)
    : [notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed'])];
}

const ofIndexed = optional((value: number, path: Path): FieldError[] => [invalid(path, value, 'requires indexed completion mode')]);
const unindexed = members<v1.JobSpec>({ backoffLimitPerIndex: ofIndexed, maxFailedIndexes: ofIndexed });

const atMost = (most: number, why = '') =>
  optional((value: number, path: Path): FieldError[] =>
    value > most ? [invalid(path, value, `must be less than or equal to ${most}${why}`)] : [],
  );

const indexedCounts = members<v1.JobSpec>({
  completions: (count, path) => (isSet(count) ? [] : [missing(path, 'when completion mode is Indexed')]),
  parallelism: atMost(indexedParallelismMax, ' when completion mode is Indexed'),
  maxFailedIndexes: all<number | undefined, Spec>(
    (failed, path, { completions }) =>
      isSet(completions) && isSet(failed) && failed > completions
        ? [invalid(path, failed, 'must be less than or equal to completions')]
        : [],
    optional(maximum(indexedFailedMax)),
  ),
});

function indexed(spec: Spec, path: Path): Found {
  const many = isSet(spec.backoffLimitPerIndex) && (spec.completions ?? 0) > completionsSoftMax;
  return inOrder(indexedCounts(spec, path, spec), many ? manyCompletions(spec, path, spec) : []);
}

const high = ` when completions are above ${completionsSoftMax} and used with backoff limit per index`;
const manyCompletions = all<Spec>(
  ({ maxFailedIndexes }, path) =>
    isSet(maxFailedIndexes)
      ? []
      : [missing(path.child('maxFailedIndexes'), `must be specified when completions is above ${completionsSoftMax}`)],
  members<v1.JobSpec>({
    parallelism: atMost(highCompletionsParallelismMax, high),
    maxFailedIndexes: atMost(highCompletionsFailedMax, high),
  }),
);

/** A failure policy judges ended pods only, so replacements must wait for the end. */
function replacement(policy: string, path: Path, { podFailurePolicy }: Spec): FieldError[] {
  const allowed = isSet(podFailurePolicy) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return allowed.includes(policy) ? [] : [notSupported(path, policy, allowed)];
}

function restart({ template, podFailurePolicy }: Spec, specPath: Path): FieldError[] {
  const policy = template?.spec?.restartPolicy ?? '';
  const path = specPath.child('template', 'spec', 'restartPolicy');
  if (policy === '' || policy === 'Always') return [missing(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  return policy !== 'Never' && isSet(podFailurePolicy)
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

const count = optional(nonNegative);

/** Excludes the selector. */
export const jobTemplateSpec = all<Spec | null | undefined>(
  members<v1.JobSpec>({
    parallelism: count,
    completions: count,
    activeDeadlineSeconds: count,
    backoffLimit: count,
    ttlSecondsAfterFinished: count,
    backoffLimitPerIndex: count,
    maxFailedIndexes: count,
  }),
  whole<v1.JobSpec>(({ maxFailedIndexes, backoffLimitPerIndex }, path) =>
    isSet(maxFailedIndexes) && !isSet(backoffLimitPerIndex)
      ? [missing(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')]
      : [],
  ),
  members<v1.JobSpec>({ managedBy: optional(validateManagedBy) }),
  whole<v1.JobSpec>(completionMode),
  members<v1.JobSpec>({
    podFailurePolicy: optional(failurePolicy),
    successPolicy: optional(successPolicy),
    podReplacementPolicy: optional(replacement),
    template: all(podTemplateDefaults, structure(validatePodTemplate)),
  }),
  whole<v1.JobSpec>(restart),
);

function selectsTemplate({ selector, template }: Spec, path: Path): FieldError[] {
  const parsed = selectorOf(selector);
  const labels = template?.metadata?.labels;
  return parsed === null || matchesLabels(parsed, labels ?? {})
    ? []
    : [invalid(path.child('template', 'metadata', 'labels'), printedMap(labels), '`selector` does not match template `labels`')];
}

/** Includes the selector. */
export const jobSpec = all<Spec>(
  jobTemplateSpec,
  members<v1.JobSpec>({
    // A job with neither runs one pod.
    completions: byDefault(({ parallelism }) => (isSet(parallelism) ? undefined : 1)),
    parallelism: byDefault(1),
    backoffLimit: byDefault(({ backoffLimitPerIndex }) => (isSet(backoffLimitPerIndex) ? noBackoffLimit : backoffLimit)),
    completionMode: byDefault('NonIndexed'),
    suspend: byDefault(false),
    podReplacementPolicy: byDefault(({ podFailurePolicy }) => (isSet(podFailurePolicy) ? 'Failed' : 'TerminatingOrFailed')),
    manualSelector: byDefault(false),
    selector: requiredPointer(validateLabelSelector),
  }),
  selectsTemplate,
);
