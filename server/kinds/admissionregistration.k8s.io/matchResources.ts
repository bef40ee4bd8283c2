import * as enums from '../../../api/data/enums.js';
import {
  all,
  byDefault,
  changed,
  dns1035LabelName,
  each,
  forbiddenAs,
  format,
  invalid,
  isSet,
  members,
  missing,
  nonZero,
  oneOf,
  optional,
  pathSegmentName,
  required,
  strictly,
  subdomainName,
  validateLabelSelector,
  whenOwner,
  type FieldError,
  type Path,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/admissionregistration/v1.js';
import { namedRule } from './rules.js';

type ParamRef = Writable<v1.ParamRef>;

const selector = optional(changed(validateLabelSelector, strictly));

export const matchResources = members<v1.MatchResources>({
  matchPolicy: byDefault('Equivalent', oneOf(...enums.MatchPolicyType)),
  namespaceSelector: byDefault(() => ({}), selector),
  objectSelector: byDefault(() => ({}), selector),
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
});

export const paramKind = members<v1.ParamKind>({ apiVersion: required(paramVersion), kind: required(paramKindName) });

function paramVersion(apiVersion: string, path: Path): FieldError[] {
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group = '', version = ''] = parts.length === 1 ? ['', parts[0]] : parts;
  const [groupProblems, versionProblems] = [group === '' ? [] : subdomainName(group, false), dns1035LabelName(version, false)];
  const findings = groupProblems.length === 0 ? [] : [invalid(path, group, groupProblems.join(','))];
  if (version === '') return [...findings, invalid(path, apiVersion, 'version must be specified')];
  return versionProblems.length === 0 ? findings : [...findings, invalid(path, version, versionProblems.join(','))];
}

function paramKindName(kind: string, path: Path): FieldError[] {
  const problems = dns1035LabelName(kind.toLowerCase(), false);
  return problems.length === 0 ? [] : [invalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}

const selectsBoth = ({ name = '', selector }: ParamRef): boolean => name !== '' && isSet(selector);
const exclusive = whenOwner(selectsBoth, forbiddenAs('name and selector are mutually exclusive'));

/** A binding takes one object by name, or those of a selector. */
export const paramRef = all<ParamRef>(
  members<v1.ParamRef>({ name: all(nonZero(format(pathSegmentName)), exclusive), selector: all(selector, exclusive) }),
  ({ name = '', selector }, path) => (name === '' && !isSet(selector) ? [missing(path, 'one of name or selector must be specified')] : []),
  members<v1.ParamRef>({ parameterNotFoundAction: required(oneOf('Deny', 'Allow')) }),
);
