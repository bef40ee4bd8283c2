import type * as v1 from '../../../../api/types/batch/v1.js';
import {
  each,
  invalid,
  isSet,
  knowing,
  maxItems,
  members,
  missing,
  nonNegative,
  printedAs,
  requiredAs,
  tooLong,
  withFacts,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../language.js';
import { parseIndexes } from './indexes.js';

type Rule = Writable<v1.SuccessPolicyRule>;
interface JobFacts {
  readonly completions: number;
}

const indexesBytesMax = 64 * 1024;

const noRules = 'at least one rules must be specified when the successPolicy is specified';
const rules = members<v1.SuccessPolicy, JobFacts>({
  rules: requiredAs(noRules, maxItems(20), each<Rule, unknown, JobFacts>(knowing(validateRule))),
});

export function successPolicy(policy: Writable<v1.SuccessPolicy>, path: Path, job: Writable<v1.JobSpec>): Found {
  if (job.completionMode !== 'Indexed')
    return [invalid(path, printedAs('batch.v1.SuccessPolicy', policy), 'requires indexed completion mode')];
  return withFacts(rules, { completions: Number(job.completions ?? 0) })(policy, path);
}

function validateRule({ succeededIndexes, succeededCount: count }: Rule, path: Path, { completions }: JobFacts): FieldError[] {
  const text = succeededIndexes ?? '';
  const at = path.child('succeededIndexes');
  const indexes = parseIndexes(text, completions);
  const listed = isSet(succeededIndexes) ? (indexes.ok ? indexes.total : 0) : null;
  return [
    ...(isSet(succeededIndexes) || isSet(count)
      ? []
      : [missing(path, 'at least one of succeededCount or succeededIndexes must be specified')]),
    ...(Buffer.byteLength(text) > indexesBytesMax ? [tooLong(at, indexesBytesMax)] : []),
    ...(indexes.ok ? [] : [invalid(at, text, `error parsing succeededIndexes: ${indexes.message}`)]),
    ...(isSet(count) ? validateCount(count, completions, listed, path.child('succeededCount')) : []),
  ];
}

/** `listed` is the number of listed indexes; null for all. */
function validateCount(count: number, completions: number, listed: number | null, path: Path): FieldError[] {
  const within = (most: number, what: string): FieldError[] =>
    count > most ? [invalid(path, count, `must be less than or equal to ${most} (the number of ${what})`)] : [];
  return [
    ...nonNegative(count, path),
    ...within(completions, 'specified completions'),
    ...(listed === null ? [] : within(listed, 'indexes in the specified succeededIndexes field')),
  ];
}
