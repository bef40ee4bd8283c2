import type { LabelRequirement } from './selector.js';
import { labelKeyComplaints, labelValueComplaints } from './labelSyntax.js';
import { int64Of } from './match.js';

/** Complaints about one requirement, each with the field it is about, in the reference's words. Empty when it is acceptable. */
export function requirementComplaints({ key, operator, values }: LabelRequirement): string[] {
  const found = keyComplaints('key', { key });
  // A client may list very many values: nothing is made for those that are acceptable.
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

/** The complaint about a label key at `field`, as a list of none or one. */
export function keyComplaints(field: string, { key }: { readonly key: string }): string[] {
  const complaints = labelKeyComplaints(key);
  return complaints.length === 0 ? [] : [`${field}: Invalid value: ${quote(key)}: ${complaints.join('; ')}`];
}

/** Several complaints as one message. */
export function joinComplaints(complaints: readonly string[]): string {
  const distinct = [...new Set(complaints)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

export const quote = (text: string): string => JSON.stringify(text);
