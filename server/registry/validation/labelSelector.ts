import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, keepable, type Path, required, type FieldError } from './field.js';
import { labelValueProblems, qualifiedNameProblems } from './names.js';
import { fromFound, inOrder, ofEach, type Found } from './ofEach.js';

/** Values in expressions were not checked at first. */
const badValue = 'value of a selector';

/** Selectors may have any number of values, which are checked in steps. */
export function validateLabelSelector(selector: JsonObject, path: Path): Found {
  const labels = path.child('matchLabels');
  return inOrder(
    ofEach(Object.entries(objectAt(selector, 'matchLabels') ?? {}), ([key, value]) => [
      ...qualifiedNameProblems(key).map((text) => invalid(labels, key, text)),
      ...labelValueProblems(String(value)).map((text) => invalid(labels, value, text)),
    ]),
    ofEach(objectsIn(selector, 'matchExpressions'), (requirement, position) =>
      validateRequirement(requirement, path.child('matchExpressions').index(position)),
    ),
  );
}

/** Checks operator, number of values, and key. `comparing` operators take a single value. */
export function requirementForm(requirement: JsonObject, path: Path, comparing: readonly string[] = []): FieldError[] {
  const operator = textAt(requirement, 'operator');
  const values = itemsOf(requirement['values']);
  const at = path.child('values');
  const findings: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) findings.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) findings.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (comparing.includes(operator)) {
    if (values.length !== 1) findings.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else findings.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  const key = textAt(requirement, 'key');
  return [...findings, ...qualifiedNameProblems(key).map((text) => invalid(path.child('key'), key, text))];
}

function validateRequirement(requirement: JsonObject, path: Path): Found {
  const values = itemsOf(requirement['values']);
  const at = path.child('values');
  const bad = ofEach(values, (value, position) =>
    labelValueProblems(String(value)).map((text) => invalid(at.index(position), value, text)),
  );
  return inOrder(
    requirementForm(requirement, path),
    fromFound(bad, (found) => keepable(badValue, found)),
  );
}

export const isEmptySelector = (selector: JsonObject): boolean =>
  Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0 && itemsOf(selector['matchExpressions']).length === 0;
