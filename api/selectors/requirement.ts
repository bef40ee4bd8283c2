import type { LabelRequirement } from './selector.js';
import { labelKeyComplaints, labelValueComplaints } from './labelSyntax.js';
import { int64Of } from './match.js';

/** Each error names its field in the reference's wording; none if valid. */
export function requirementComplaints({ key, operator, values }: LabelRequirement): string[] {
  const found = keyComplaints('key', key);
  // A client may list very many values, so valid ones allocate nothing.
  if (operator === 'gt' || operator === 'lt')
    for (const [index, value] of values.entries())
      if (int64Of(value) === null)
        found.push(`values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
  for (const [index, value] of values.entries()) {
    const complaints = labelValueComplaints(value);
    if (complaints.length > 0) found.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${complaints.join('; ')}`);
  }
  return found;
}

export function keyComplaints(field: string, key: string): string[] {
  const complaints = labelKeyComplaints(key);
  return complaints.length === 0 ? [] : [`${field}: Invalid value: ${quote(key)}: ${complaints.join('; ')}`];
}

export function joinComplaints(complaints: readonly string[]): string {
  const distinct = [...new Set(complaints)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

export const quote = (text: string): string => JSON.stringify(text);
