import * as enums from '../../../../api/data/enums.js';
import {
  all,
  duplicate,
  each,
  insteadOfZero,
  invalid,
  isSet,
  itemsOf,
  knowing,
  maxItems,
  members,
  oneOf,
  optional,
  orEmpty,
  qualified,
  repeats,
  requiredAs,
  tooMany,
  withFactsOf,
  type FieldError,
  type Path,
  type Writable,
} from '../../language.js';
import type * as v1 from '../../../../api/types/batch/v1.js';

type Rule = Writable<v1.PodFailurePolicyRule>;
type ExitCodes = Writable<v1.PodFailurePolicyOnExitCodesRequirement>;

interface JobFacts {
  /** Names of containers that end. */ readonly names: ReadonlySet<string>;
  readonly perIndex: boolean;
}

const exitCodesMax = 255;

const quoted = (values: readonly string[]): string => `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
const listed = (...values: string[]) => requiredAs(quoted(values), oneOf(...values));
const known = oneOf(...enums.PodFailurePolicyAction);

const action = requiredAs(
  quoted(enums.PodFailurePolicyAction),
  knowing((value: string, path, { perIndex }: JobFacts): FieldError[] =>
    value === 'FailIndex' && !perIndex ? [invalid(path, value, 'requires the backoffLimitPerIndex to be set')] : known(value, path),
  ),
);

const container = knowing((name: string, path, { names }: JobFacts): FieldError[] =>
  names.has(name) ? [] : [invalid(path, name, 'must be one of the container or initContainer names in the pod template')],
);

function values(list: number[] | null | undefined, path: Path, { operator }: ExitCodes): FieldError[] {
  const codes = [...itemsOf(list)];
  if (codes.length === 0) return [invalid(path, list ?? null, 'at least one value is required')];
  const isRepeated = repeats(codes);
  return [
    ...(codes.length > exitCodesMax ? [tooMany(path, codes.length, exitCodesMax)] : []),
    ...codes.flatMap((value, position) => [
      ...(operator === 'In' && value === 0 ? [invalid(path.index(position), value, 'must not be 0 for the In operator')] : []),
      ...(isRepeated(position) ? [duplicate(path.index(position), value)] : []),
    ]),
    ...(codes.some((value, position) => position > 0 && (codes[position - 1] ?? 0) > value)
      ? [invalid(path, codes, 'must be ordered')]
      : []),
  ];
}

/** A finding about a whole structure, which is not shown. */
const wrong = (path: Path, why: string): FieldError => ({
  type: 'FieldValueInvalid',
  path: path.toString(),
  message: `Invalid value: ${why}`,
});

function oneMatch({ onExitCodes, onPodConditions }: Rule, path: Path): FieldError[] {
  const [codes, conditions] = [isSet(onExitCodes), itemsOf(onPodConditions).length > 0];
  if (codes && conditions) return [wrong(path, 'specifying both OnExitCodes and OnPodConditions is not supported')];
  return codes || conditions ? [] : [wrong(path, 'specifying one of OnExitCodes and OnPodConditions is required')];
}

const condition = members<v1.PodFailurePolicyOnPodConditionsPattern>({
  type: orEmpty(qualified),
  status: insteadOfZero('True', listed('False', 'True', 'Unknown')),
});

const rule = all<Rule, unknown, JobFacts>(
  members<v1.PodFailurePolicyRule, JobFacts>({
    action,
    onExitCodes: optional(
      members<v1.PodFailurePolicyOnExitCodesRequirement, JobFacts>({
        operator: listed(...enums.PodFailurePolicyOnExitCodesOperator),
        containerName: optional(container),
        values,
      }),
    ),
    onPodConditions: all(maxItems(20), each(condition)),
  }),
  oneMatch,
);
const rules = members<v1.PodFailurePolicy, JobFacts>({
  rules: all<Rule[] | null | undefined, unknown, JobFacts>(maxItems(20), each(rule)),
});

function factsOf({ template, backoffLimitPerIndex }: Writable<v1.JobSpec>): JobFacts {
  const pod = template?.spec;
  const names = new Set([...itemsOf(pod?.initContainers), ...itemsOf(pod?.containers)].map(({ name = '' }) => name));
  return { names, perIndex: isSet(backoffLimitPerIndex) };
}

export const failurePolicy = withFactsOf(factsOf, rules);
