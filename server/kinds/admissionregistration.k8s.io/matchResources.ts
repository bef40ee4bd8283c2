import { fromFound, inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { forbidden, invalid, notSupported, required, strictly, type FieldError, type Path } from '../../registry/validation/field.js';
import { validateLabelSelector } from '../../registry/validation/labelselector.js';
import { dns1035LabelName, pathSegmentName, subdomainName } from '../../registry/validation/names.js';
import { named, optionallyOneOf } from '../../registry/validation/values.js';
import { setRuleDefaults, validateNamedRule } from './rules.js';

const selectors = ['namespaceSelector', 'objectSelector'];
const ruleLists = ['resourceRules', 'excludeResourceRules'];
const notFoundActions = ['Deny', 'Allow'];

export function setMatchDefaults(match: JsonObject | null): void {
  if (match === null) return;
  setDefault(match, 'matchPolicy', 'Equivalent');
  for (const selector of selectors) setDefault(match, selector, {});
  for (const list of ruleLists) setRuleDefaults(match, list);
}

export const validateMatch = (match: JsonObject, path: Path): Found =>
  inOrder(
    optionallyOneOf(match['matchPolicy'], ['Equivalent', 'Exact'], path.child('matchPolicy')),
    ...selectors.map((member) => fromFound(validateLabelSelector(objectAt(match, member) ?? {}, path.child(member)), strictly)),
    ...ruleLists.map((list) =>
      ofEach(objectsIn(match, list), (rule, position) => validateNamedRule(rule, path.child(list).index(position))),
    ),
  );

export const validateParamKind = (kind: JsonObject, path: Path): FieldError[] => [
  ...validateParamVersion(textAt(kind, 'apiVersion'), path.child('apiVersion')),
  ...validateParamKindName(textAt(kind, 'kind'), path.child('kind')),
];

function validateParamVersion(apiVersion: string, path: Path): FieldError[] {
  if (apiVersion === '') return [required(path, '')];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group = '', version = ''] = parts.length === 1 ? ['', parts[0]] : parts;
  const [groupProblems, versionProblems] = [group === '' ? [] : subdomainName(group, false), dns1035LabelName(version, false)];
  const findings = groupProblems.length === 0 ? [] : [invalid(path, group, groupProblems.join(','))];
  if (version === '') return [...findings, invalid(path, apiVersion, 'version must be specified')];
  return versionProblems.length === 0 ? findings : [...findings, invalid(path, version, versionProblems.join(','))];
}

function validateParamKindName(kind: string, path: Path): FieldError[] {
  if (kind === '') return [required(path, '')];
  const problems = dns1035LabelName(kind.toLowerCase(), false);
  return problems.length === 0 ? [] : [invalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}

/** A binding takes one object by name, or those of a selector. */
export function validateParamRef(ref: JsonObject | null, path: Path): Found {
  if (ref === null) return [];
  const name = textAt(ref, 'name');
  const selector = objectAt(ref, 'selector');
  const both = name !== '' && selector !== null;
  const exclusive = (member: string): FieldError[] =>
    both ? [forbidden(path.child(member), 'name and selector are mutually exclusive')] : [];
  return inOrder(
    name === '' ? [] : named(name, pathSegmentName, path.child('name')),
    exclusive('name'),
    selector === null ? [] : fromFound(validateLabelSelector(selector, path.child('selector')), strictly),
    exclusive('selector'),
    name === '' && selector === null ? [required(path, 'one of name or selector must be specified')] : [],
    validateNotFoundAction(textAt(ref, 'parameterNotFoundAction'), path.child('parameterNotFoundAction')),
  );
}

function validateNotFoundAction(action: string, path: Path): FieldError[] {
  if (action === '') return [required(path, '')];
  return notFoundActions.includes(action) ? [] : [notSupported(path, action, notFoundActions)];
}
