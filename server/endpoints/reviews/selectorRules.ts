import type { JsonValue } from '../../../api/object.js';
import { itemsOf, textAt, memberAt } from '../../../api/json/members.js';
import { forbidden, invalid, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { labelValueProblems, qualifiedNameProblems } from '../../registry/validation/names.js';

/** Unknown operators are accepted: a newer client may use them. */
export function validateSelectors(attributes: JsonValue | undefined, path: Path): FieldError[] {
  return [
    ...validateSelector(memberAt(attributes, 'fieldSelector'), path.child('fieldSelector'), fieldRequirement),
    ...validateSelector(memberAt(attributes, 'labelSelector'), path.child('labelSelector'), labelRequirement),
  ];
}

type Requirement = (requirement: JsonValue, path: Path) => FieldError[];

function validateSelector(selector: JsonValue | undefined, path: Path, rules: Requirement): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const raw = textAt(selector, 'rawSelector');
  const requirements = itemsOf(memberAt(selector, 'requirements'));
  const findings: FieldError[] = [];
  if (raw !== '' && requirements.length > 0)
    findings.push(invalid(path.child('rawSelector'), raw, 'may not specified at the same time as requirements'));
  if (raw === '' && requirements.length === 0)
    findings.push(required(path.child('requirements'), `when ${path.toString()} is specified, requirements or rawSelector is required`));
  return [...findings, ...requirements.flatMap((requirement, position) => rules(requirement, path.child('requirements').index(position)))];
}

function validateOperator(requirement: JsonValue, path: Path): FieldError[] {
  const operator = textAt(requirement, 'operator');
  const given = itemsOf(memberAt(requirement, 'values')).length > 0;
  const at = path.child('values');
  if ((operator === 'In' || operator === 'NotIn') && !given) return [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
  return (operator === 'Exists' || operator === 'DoesNotExist') && given
    ? [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    : [];
}

const fieldRequirement: Requirement = (requirement, path) => [
  ...(textAt(requirement, 'key') === '' ? [required(path.child('key'), 'must be specified')] : []),
  ...validateOperator(requirement, path),
];

const labelRequirement: Requirement = (requirement, path) => {
  const key = textAt(requirement, 'key');
  return [
    ...validateOperator(requirement, path),
    ...qualifiedNameProblems(key).map((text) => invalid(path.child('key'), key, text)),
    ...itemsOf(memberAt(requirement, 'values')).flatMap((value, position) =>
      labelValueProblems(String(value)).map((text) => invalid(path.child('values').index(position), value, text)),
    ),
  ];
};
