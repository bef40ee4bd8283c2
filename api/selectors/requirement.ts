import type { LabelRequirement } from './selector.js';
import { labelKeyComplaints, labelValueComplaints } from './labelSyntax.js';
import { int64Of } from './match.js';

/** Complaints about one requirement, each with the field it is about, in the reference's words. Empty when it is acceptable. */
export function requirementComplaints({ key, operator, values }: LabelRequirement): string[] {
  const ordered = operator === 'gt' || operator === 'lt';
  return [
    ...keyComplaints('key', { key }),
    ...values.flatMap((value, index) =>
      ordered && int64Of(value) === null
        ? [`values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`]
        : [],
    ),
    ...values.flatMap((value, index) => {
      const complaints = labelValueComplaints(value);
      return complaints.length === 0 ? [] : [`values[${index}][${key}]: Invalid value: ${quote(value)}: ${complaints.join('; ')}`];
    }),
  ];
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
