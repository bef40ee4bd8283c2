import type { JsonObject } from '../../../../api/object.js';
import { matchesLabels } from '../../../../api/selectors/match.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { isSet, textAt } from '../../../../api/json/members.js';
import { invalid, notSupported, type Path, required, tooLong, type FieldError } from '../../../registry/validation/field.js';
import { validateLabelSelector } from '../../../registry/validation/labelselector.js';
import { printedMap } from '../../../registry/validation/printed.js';
import { dnsSubdomain, nonNegative } from '../../../registry/validation/values.js';
import { selectorOf } from '../../core/podSpec/controlledTemplate.js';
import { validatePodTemplate } from '../../core/podSpec/template.js';
import { validateFailurePolicy } from './failurePolicy.js';
import { validateSuccessPolicy } from './successPolicy.js';
import { inOrder, type Found } from '../../../registry/validation/ofEach.js';

/** The specification of jobs and of cron jobs' templates. */

const managedByMax = 63;
const indexedParallelismMax = 100_000;
const indexedFailedMax = 100_000;
/** Above this number of completions, per-index failure counts need limits. */
const completionsSoftMax = 100_000;
const highCompletionsParallelismMax = 10_000;
const highCompletionsFailedMax = 10_000;
const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished', 'backoffLimitPerIndex'];
const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Includes the selector. */
export function validateJobSpec(spec: JsonObject, path: Path): Found {
  const selector = objectAt(spec, 'selector');
  const parsed = selectorOf(spec['selector']);
  const labels = objectAt(objectAt(objectAt(spec, 'template') ?? {}, 'metadata') ?? {}, 'labels') ?? {};
  const mismatch = parsed !== null && !matchesLabels(parsed, labels as Record<string, string>);
  return inOrder(
    validateJobTemplateSpec(spec, path),
    selector === null ? [required(path.child('selector'), '')] : validateLabelSelector(selector, path.child('selector')),
    mismatch
      ? [invalid(path.child('template', 'metadata', 'labels'), printedMap(labels), '`selector` does not match template `labels`')]
      : [],
  );
}

/** Excludes the selector. */
export function validateJobTemplateSpec(spec: JsonObject, path: Path): Found {
  return inOrder(
    counts.flatMap((member) => nonNegative(spec[member], path.child(member))),
    isSet(spec['maxFailedIndexes'])
      ? [
          ...nonNegative(spec['maxFailedIndexes'], path.child('maxFailedIndexes')),
          ...(isSet(spec['backoffLimitPerIndex'])
            ? []
            : [required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')]),
        ]
      : [],
    isSet(spec['managedBy']) ? validateManagedBy(textAt(spec, 'managedBy'), path.child('managedBy')) : [],
    validateMode(spec, path),
    isSet(spec['podFailurePolicy']) ? validateFailurePolicy(spec, path.child('podFailurePolicy')) : [],
    validateSuccessPolicy(spec, path.child('successPolicy')),
    validateReplacement(spec, path.child('podReplacementPolicy')),
    validatePodTemplate(objectAt(spec, 'template') ?? {}, path.child('template')),
    validateRestart(spec, path.child('template', 'spec', 'restartPolicy')),
  );
}

function validateManagedBy(value: string, path: Path): FieldError[] {
  const slash = value.indexOf('/');
  const [host, rest] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)];
  const long = Buffer.byteLength(value) > managedByMax ? [tooLong(path, managedByMax)] : [];
  if (value === '') return [required(path, '')];
  if (host === '' || rest === '') return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'), ...long];
  const badPath = new RegExp(`^${pathPattern}$`).test(rest)
    ? []
    : [invalid(path, rest, `Invalid path (regex used for validation is '${pathPattern}')`)];
  return [...dnsSubdomain(host, path), ...badPath, ...long];
}

/** Templates of cron jobs may omit it. */
function validateMode(spec: JsonObject, path: Path): FieldError[] {
  const mode = isSet(spec['completionMode']) ? textAt(spec, 'completionMode') : 'NonIndexed';
  if (mode === 'Indexed') return validateIndexed(spec, path);
  if (mode !== 'NonIndexed') return [notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed'])];
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((member) => isSet(spec[member]))
    .map((member) => invalid(path.child(member), spec[member], 'requires indexed completion mode'));
}

function validateIndexed(spec: JsonObject, path: Path): FieldError[] {
  const [completions, parallelism, failed] = ['completions', 'parallelism', 'maxFailedIndexes'].map((member) =>
    isSet(spec[member]) ? Number(spec[member]) : null,
  ) as [number | null, number | null, number | null];
  const failedPath = path.child('maxFailedIndexes');
  return [
    ...(completions === null ? [required(path.child('completions'), 'when completion mode is Indexed')] : []),
    ...(parallelism !== null && parallelism > indexedParallelismMax
      ? [
          invalid(
            path.child('parallelism'),
            parallelism,
            `must be less than or equal to ${indexedParallelismMax} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions !== null && failed !== null && failed > completions
      ? [invalid(failedPath, failed, 'must be less than or equal to completions')]
      : []),
    ...(failed !== null && failed > indexedFailedMax
      ? [invalid(failedPath, failed, `must be less than or equal to ${indexedFailedMax}`)]
      : []),
    ...(isSet(spec['backoffLimitPerIndex']) && completions !== null && completions > completionsSoftMax
      ? validateManyCompletions(spec, path)
      : []),
  ];
}

function validateManyCompletions(spec: JsonObject, path: Path): FieldError[] {
  const bound = (member: string, max: number): FieldError[] =>
    Number(spec[member] ?? 0) > max
      ? [
          invalid(
            path.child(member),
            spec[member],
            `must be less than or equal to ${max} when completions are above ${completionsSoftMax} and used with backoff limit per index`,
          ),
        ]
      : [];
  return [
    ...(isSet(spec['maxFailedIndexes'])
      ? []
      : [required(path.child('maxFailedIndexes'), `must be specified when completions is above ${completionsSoftMax}`)]),
    ...bound('parallelism', highCompletionsParallelismMax),
    ...bound('maxFailedIndexes', highCompletionsFailedMax),
  ];
}

/** A failure policy judges ended pods only, so replacements must wait for the end. */
function validateReplacement(spec: JsonObject, path: Path): FieldError[] {
  if (!isSet(spec['podReplacementPolicy'])) return [];
  const allowed = isSet(spec['podFailurePolicy']) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  const policy = textAt(spec, 'podReplacementPolicy');
  return allowed.includes(policy) ? [] : [notSupported(path, policy, allowed)];
}

function validateRestart(spec: JsonObject, path: Path): FieldError[] {
  const policy = textAt(spec, 'template', 'spec', 'restartPolicy');
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  return policy !== 'Never' && isSet(spec['podFailurePolicy'])
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
