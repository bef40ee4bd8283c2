import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../../api/json/members.js';
import { duplicate, forbidden, invalid, keepable, required, type FieldError, type Path } from '../../../../registry/validation/field.js';
import { labelValueProblems, subdomainName, dnsLabelName } from '../../../../registry/validation/names.js';
import { whileOff, whileOn } from '../../../../registry/validation/gatedFindings.js';
import { between, labelMap, oneOf, optionallyOneOf, qualified } from '../../../../registry/validation/values.js';
import { requirementForm, validateLabelSelector } from '../../../../registry/validation/labelselector.js';
import { fromFound, inOrder, ofEach, type Found } from '../../../../registry/validation/ofEach.js';

/** Placement of pods: affinity, tolerations, spread, gates. */

function nodeRequirement(requirement: JsonObject, isField: boolean, checkValues: boolean, path: Path): FieldError[] {
  const values = itemsOf(requirement['values']);
  const at = path.child('values');
  if (isField) return fieldRequirement(textAt(requirement, 'key'), textAt(requirement, 'operator'), values.map(String), path);
  const findings = requirementForm(requirement, path, ['Gt', 'Lt']);
  return checkValues
    ? [
        ...findings,
        ...keepable(
          'value of a node selector',
          values.flatMap((value, position) => labelValueProblems(String(value)).map((text) => invalid(at.index(position), value, text))),
        ),
      ]
    : findings;
}

function fieldRequirement(key: string, operator: string, values: readonly string[], path: Path): FieldError[] {
  const findings: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      findings.push(required(path.child('values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  } else findings.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  if (key !== 'metadata.name') return [...findings, invalid(path.child('key'), key, 'not a valid field selector key')];
  return [
    ...findings,
    ...values.flatMap((value, position) =>
      subdomainName(value, false).map((text) => invalid(path.child('values').index(position), value, text)),
    ),
  ];
}

/** False for preferences, where invalid label values only cause a warning. */
function validateNodeSelectorTerm(term: JsonObject, path: Path, checkValues = true): Found {
  const ofList = (list: string, isField: boolean): Found =>
    ofEach(objectsIn(term, list), (requirement, position) =>
      nodeRequirement(requirement, isField, checkValues, path.child(list).index(position)),
    );
  return inOrder(ofList('matchExpressions', false), ofList('matchFields', true));
}

export function validateNodeSelector(selector: JsonObject, path: Path): Found {
  const terms = objectsIn(selector, 'nodeSelectorTerms');
  const at = path.child('nodeSelectorTerms');
  return terms.length === 0
    ? [required(at, 'must have at least one node selector term')]
    : ofEach(terms, (term, position) => validateNodeSelectorTerm(term, at.index(position)));
}

const weight = (value: unknown, path: Path): FieldError[] =>
  Number(value ?? 0) < 1 || Number(value) > 100 ? [invalid(path.child('weight'), value ?? 0, 'must be in the range 1-100')] : [];

function podAffinityTerm(term: JsonObject, path: Path): Found {
  const topologyKey = textAt(term, 'topologyKey');
  const namespaces = itemsOf(term['namespaces']).map(String);
  return inOrder(
    selectorAt(term, 'labelSelector', path),
    selectorAt(term, 'namespaceSelector', path),
    namespaces.flatMap((name) => dnsLabelName(name, false).map((text) => invalid(path.child('namespace'), name, text))),
    labelKeys(term, 'matchLabelKeys', path),
    labelKeys(term, 'mismatchLabelKeys', path),
    repeatedKeys(term, path),
    contradictingKeys(term, path),
    topologyKey === '' ? [required(path.child('topologyKey'), 'can not be empty')] : [],
    qualified(topologyKey, path.child('topologyKey')),
  );
}

function selectorAt(holder: JsonObject, member: string, path: Path): Found {
  const selector = objectAt(holder, member);
  return selector === null ? [] : validateLabelSelector(selector, path.child(member));
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(spec: JsonObject, specPath: Path): Found {
  const affinity = objectAt(spec, 'affinity');
  if (affinity === null) return [];
  const path = specPath.child('affinity');
  const node = objectAt(affinity, 'nodeAffinity');
  const ofPods = ['podAffinity', 'podAntiAffinity'].map((kind) => {
    const pods = objectAt(affinity, kind);
    return pods === null ? [] : podAffinity(pods, path.child(kind));
  });
  return inOrder(node === null ? [] : nodeAffinity(node, path.child('nodeAffinity')), ...ofPods);
}

function nodeAffinity(affinity: JsonObject, path: Path): Found {
  const needed = objectAt(affinity, requiredTerms);
  return inOrder(
    needed === null ? [] : validateNodeSelector(needed, path.child(requiredTerms)),
    ofEach(objectsIn(affinity, preferredTerms), (term, position) => {
      const at = path.child(preferredTerms).index(position);
      return inOrder(
        weight(term['weight'], at),
        validateNodeSelectorTerm(objectAt(term, 'preference') ?? {}, at.child('preference'), false),
      );
    }),
  );
}

function podAffinity(affinity: JsonObject, path: Path): Found {
  return inOrder(
    ofEach(objectsIn(affinity, requiredTerms), (term, position) => podAffinityTerm(term, path.child(requiredTerms).index(position))),
    ofEach(objectsIn(affinity, preferredTerms), (term, position) => {
      const at = path.child(preferredTerms).index(position);
      return inOrder(weight(term['weight'], at), podAffinityTerm(objectAt(term, 'podAffinityTerm') ?? {}, at.child('podAffinityTerm')));
    }),
  );
}

const deadlineMax = 2_147_483_647;
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Joins several messages into one finding, as the reference does. */
const joined = (problems: readonly string[]): string[] => (problems.length === 0 ? [] : [problems.join(';')]);

/** Taints compare as 64-bit integers. */
function validateComparison(operator: string, value: string, path: Path): FieldError[] {
  if (operator !== 'Gt' && operator !== 'Lt') return oneOf(operator, ['Equal', 'Exists', 'Gt', 'Lt'], path.child('operator'));
  return /^(0|-?[1-9]\d*)$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value)
    ? []
    : [invalid(path.child('operator'), value, 'value must be a valid integer')];
}

export const validateTolerations = (spec: JsonObject, specPath: Path): Found => validateTolerationList(spec, specPath.child('tolerations'));

export function validateTolerationList(holder: JsonObject, path: Path): Found {
  return ofEach(objectsIn(holder, 'tolerations'), (toleration, position) => {
    const at = path.index(position);
    const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((member) => textAt(toleration, member)) as [
      string,
      string,
      string,
      string,
    ];
    const findings = key === '' ? [] : qualified(key, at.child('key'));
    if (key === '' && operator !== 'Exists')
      findings.push(
        invalid(at.child('operator'), operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'),
      );
    const seconds = toleration['tolerationSeconds'];
    if (seconds !== undefined && seconds !== null && effect !== 'NoExecute')
      findings.push(invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    if (operator === 'Equal' || operator === '')
      findings.push(...joined(labelValueProblems(value)).map((text) => invalid(at.child('operator'), value, text)));
    else if (operator === 'Exists') {
      if (value !== '') findings.push(invalid(at.child('operator'), value, "value must be empty when `operator` is 'Exists'"));
    } else
      findings.push(
        ...whileOff('TaintTolerationComparisonOperators', oneOf(operator, ['Equal', 'Exists'], at.child('operator'))),
        ...whileOn('TaintTolerationComparisonOperators', validateComparison(operator, value, at)),
      );
    return effect === '' ? findings : [...findings, ...optionallyOneOf(effect, taintEffects, at.child('effect'))];
  });
}

export function validateTopologySpread(spec: JsonObject, specPath: Path): Found {
  const constraints = objectsIn(spec, 'topologySpreadConstraints');
  const kinds = constraints.map((constraint) => `{${textAt(constraint, 'topologyKey')}, ${textAt(constraint, 'whenUnsatisfiable')}}`);
  const last = new Map(kinds.map((kind, position) => [kind, position]));
  return ofEach(constraints, (constraint, position) => {
    const at = specPath.child('topologySpreadConstraints').index(position);
    const kind = kinds[position] ?? '';
    const action = textAt(constraint, 'whenUnsatisfiable');
    const domains = constraint['minDomains'];
    return inOrder(
      aboveZero(constraint['maxSkew'], at.child('maxSkew')),
      textAt(constraint, 'topologyKey') === '' ? [required(at.child('topologyKey'), 'can not be empty')] : [],
      optionallyOneOf(action, ['DoNotSchedule', 'ScheduleAnyway'], at.child('whenUnsatisfiable')),
      // Only the last of several equal entries is valid.
      (last.get(kind) ?? position) > position ? [duplicate(at.child('{topologyKey, whenUnsatisfiable}'), kind)] : [],
      domains === undefined || domains === null ? [] : minDomains(Number(domains), action, at),
      ['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((policy) =>
        optionallyOneOf(constraint[policy], ['Honor', 'Ignore'], at.child(policy)),
      ),
      keepable('label keys of a spread', [...labelKeys(constraint, 'matchLabelKeys', at), ...repeatedKeys(constraint, at)]),
      fromFound(selectorAt(constraint, 'labelSelector', at), (findings) => keepable('selector of a spread', findings)),
    );
  });
}

function labelKeys(holder: JsonObject, list: string, path: Path): FieldError[] {
  const keys = itemsOf(holder[list]).map(String);
  if (keys.length === 0) return [];
  if (objectAt(holder, 'labelSelector') === null)
    return [forbidden(path.child(list), 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, position) => qualified(key, path.child(list).index(position)));
}

/**
 * A pod's keys are expressions by now (`pod/prepare.ts`); in a template only a selector that repeats itself is found. The path lacks the name of the list, as
 * in the reference.
 */
function repeatedKeys(holder: JsonObject, path: Path): FieldError[] {
  const selector = objectAt(holder, 'labelSelector');
  if (selector === null) return [];
  const keys = new Map(itemsOf(holder['matchLabelKeys']).map((key, position) => [String(key), position]));
  const named = new Set(Object.keys(objectAt(selector, 'matchLabels') ?? {}));
  return objectsIn(selector, 'matchExpressions').flatMap((expression) => {
    const key = textAt(expression, 'key');
    const position = keys.get(key);
    const repeated = position !== undefined && named.has(key);
    named.add(key);
    return repeated ? [invalid(path.index(position), key, 'exists in both matchLabelKeys and labelSelector')] : [];
  });
}

/** One label cannot have to match and to differ. */
function contradictingKeys(term: JsonObject, path: Path): FieldError[] {
  const matching = new Map(itemsOf(term['matchLabelKeys']).map((key, position) => [String(key), position]));
  return itemsOf(term['mismatchLabelKeys'])
    .map(String)
    .filter((key) => matching.has(key))
    .map((key) =>
      invalid(path.child('matchLabelKeys').index(matching.get(key) ?? 0), key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
    );
}

const aboveZero = (value: JsonValue | undefined, path: Path): FieldError[] =>
  Number(value ?? 0) <= 0 ? [invalid(path, value ?? 0, 'must be greater than zero')] : [];

function minDomains(domains: number, action: string, path: Path): FieldError[] {
  const findings = aboveZero(domains, path.child('minDomains'));
  if (action !== 'DoNotSchedule')
    findings.push(invalid(path.child('minDomains'), domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`));
  return findings;
}

export function validateSchedulingGates(spec: JsonObject, specPath: Path): Found {
  const seen = new Set<string>();
  return ofEach(objectsIn(spec, 'schedulingGates'), (gate, position) => {
    const at = specPath.child('schedulingGates').index(position);
    const name = textAt(gate, 'name');
    const findings = qualified(name, at);
    if (seen.has(name)) findings.push(duplicate(at, name));
    seen.add(name);
    return findings;
  });
}

export function validateDeadline(spec: JsonObject, path: Path): FieldError[] {
  const deadline = spec['activeDeadlineSeconds'];
  const bad = deadline !== undefined && deadline !== null && (Number(deadline) < 1 || Number(deadline) > deadlineMax);
  return bad ? [invalid(path.child('activeDeadlineSeconds'), deadline, between(1, deadlineMax))] : [];
}

export const validateNodeLabels = (spec: JsonObject, path: Path): Found =>
  labelMap(objectAt(spec, 'nodeSelector') ?? {}, path.child('nodeSelector'));
