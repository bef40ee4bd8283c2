import type { LabelRequirement } from './selector.js';
import { labelKeyProblems, labelValueProblems } from './labelSyntax.js';
import { int64Of } from './match.js';

/** Each error names its field in the reference's wording; none if valid. */
export function requirementProblems({ key, operator, values }: LabelRequirement): string[] {
  const found = keyProblems('key', key);
  // A client may list very many values, so valid ones allocate nothing.
  if (operator === 'gt' || operator === 'lt')
    for (const [index, value] of values.entries())
      if (int64Of(value) === null)
        found.push(`values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
  for (const [index, value] of values.entries()) {
    const problems = labelValueProblems(value);
    if (problems.length > 0) found.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${problems.join('; ')}`);
  }
  return found;
}

export function keyProblems(field: string, key: string): string[] {
  const problems = labelKeyProblems(key);
  return problems.length === 0 ? [] : [`${field}: Invalid value: ${quote(key)}: ${problems.join('; ')}`];
}

export function joinProblems(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

export const quote = (text: string): string => JSON.stringify(text);
