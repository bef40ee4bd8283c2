import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, keepable, type Path, required, type FieldError } from './field.js';
import { labelValueComplaints, qualifiedNameComplaints } from './names.js';

/** Values in expressions were not checked at first; selectors that have a bad one may keep it. */
const badValue = 'value of a selector';

export function validateLabelSelector(selector: JsonObject, path: Path): FieldError[] {
  return [
    ...Object.entries(objectAt(selector, 'matchLabels') ?? {}).flatMap(([key, value]) => [
      ...qualifiedNameComplaints(key).map((text) => invalid(path.child('matchLabels'), key, text)),
      ...labelValueComplaints(String(value)).map((text) => invalid(path.child('matchLabels'), value, text)),
    ]),
    ...objectsIn(selector, 'matchExpressions').flatMap((requirement, position) =>
      validateRequirement(requirement, path.child('matchExpressions').index(position)),
    ),
  ];
}

function validateRequirement(requirement: JsonObject, path: Path): FieldError[] {
  const operator = textAt(requirement, 'operator');
  const values = itemsOf(requirement['values']);
  const at = path.child('values');
  const findings: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) findings.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) findings.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else findings.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  const key = textAt(requirement, 'key');
  findings.push(...qualifiedNameComplaints(key).map((text) => invalid(path.child('key'), key, text)));
  const bad: FieldError[] = [];
  for (const [position, value] of values.entries())
    for (const text of labelValueComplaints(String(value))) bad.push(invalid(at.index(position), value, text));
  return [...findings, ...keepable(badValue, bad)];
}

export const isEmptySelector = (selector: JsonObject): boolean =>
  Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0 && itemsOf(selector['matchExpressions']).length === 0;
