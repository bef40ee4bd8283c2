import type { JsonObject, JsonValue } from '../object.js';
import type { LabelRequirement, LabelSelector } from './selector.js';
import type { Parsed } from './parsed.js';
import { joinProblems, quote, requirementProblems } from './requirement.js';

export interface LabelSelectorObject extends JsonObject {
  matchLabels?: { [key: string]: string };
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** No value is in an empty set; an absent LabelSelector stands for this. */
export const matchesNothing: LabelSelector = Object.freeze([
  Object.freeze({ key: '', operator: 'in', values: Object.freeze([]) } as const),
]);

/** The object form spells operators out and cannot compare numbers. */
const operators: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notIn',
  Exists: 'exists',
  DoesNotExist: 'doesNotExist',
};

/** An absent selector matches nothing, an empty one everything. */
export function labelSelectorOf(object: LabelSelectorObject | null | undefined): Parsed<LabelSelector> {
  if (object === null || object === undefined) return { ok: true, selector: matchesNothing };
  const requirements: LabelRequirement[] = Object.entries(object.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in',
    values: [value],
  }));
  for (const { key, operator, values } of object.matchExpressions ?? []) {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (known === undefined) return { ok: false, message: `${quote(operator)} is not a valid label selector operator` };
    requirements.push({ key, operator: known, values: [...new Set(values ?? [])].sort() });
  }
  for (const requirement of requirements) {
    const problems = [...countProblems(requirement), ...requirementProblems(requirement)];
    if (problems.length > 0) return { ok: false, message: joinProblems(problems) };
  }
  return { ok: true, selector: requirements };
}

/** Only the object form can have the wrong number of values. */
function countProblems({ operator, values }: LabelRequirement): string[] {
  if ((operator === 'in' || operator === 'notIn') && values.length === 0)
    return [problem(null, "for 'in', 'notin' operators, values set can't be empty")];
  if ((operator === 'exists' || operator === 'doesNotExist') && values.length > 0)
    return [problem([...values], 'values set must be empty for exists and does not exist')];
  return [];
}

const problem = (value: JsonValue, why: string): string => `values: Invalid value: ${JSON.stringify(value)}: ${why}`;
