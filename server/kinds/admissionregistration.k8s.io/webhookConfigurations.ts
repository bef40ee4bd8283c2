import type { MutatingWebhook, MutatingWebhookConfiguration } from '../../../api/types/admissionregistration/v1.js';
import { objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { duplicate, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { validateLabelSelector } from '../../registry/validation/labelselector.js';
import { dns1035LabelName, subdomainName } from '../../registry/validation/names.js';
import { named, optionallyOneOf } from '../../registry/validation/values.js';
import { countAt } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { setClientDefaults, validateClient } from './clients.js';
import { validateMatchConditions, webhookScope } from './expressions.js';
import { setRuleDefaults, validateRule } from './rules.js';
import { reservedNameWarnings, unreservedName } from './reservedNames.js';
import { repeats } from '../../registry/validation/repeats.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const webhooks = Path.of('webhooks');
const timeoutSecondsDefault = 10;
const timeoutSecondsMax = 30;
const nameSegmentsMin = 3;
const selectors = ['namespaceSelector', 'objectSelector'] as const;
const reviewVersions = ['v1', 'v1beta1'];
const noSideEffects = ['None', 'NoneOnDryRun'];
const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

/** Both kinds; validating ones lack only the reinvocation policy. */
type Configuration = Draft<MutatingWebhookConfiguration>;
type Hook = Writable<MutatingWebhook>;
type HookKind = 'validating' | 'mutating';

const hooksOf = (configuration: Configuration): Hook[] => objectsIn(configuration, 'webhooks');

function setDefaults(configuration: Configuration, kind: HookKind): void {
  for (const hook of hooksOf(configuration)) {
    setDefault(hook, 'failurePolicy', 'Fail');
    setDefault(hook, 'matchPolicy', 'Equivalent');
    for (const selector of selectors) setDefault(hook, selector, {});
    setDefault(hook, 'timeoutSeconds', timeoutSecondsDefault);
    if (kind === 'mutating') setDefault(hook, 'reinvocationPolicy', 'Never');
    setRuleDefaults(hook, 'rules');
    setClientDefaults(hook);
  }
}

/** Later rules, which an object that broke them before may still break. */
interface Strictness {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly checkConditions: boolean;
}
const strict: Strictness = { noSideEffects: true, knownReviewVersion: true, uniqueNames: true, checkConditions: true };

function strictnessAfter(configuration: Configuration, old: Configuration): Strictness {
  const [hooks, before] = [hooksOf(configuration), hooksOf(old)];
  return {
    noSideEffects: before.every((hook) => noSideEffects.includes(textAt(hook, 'sideEffects'))),
    knownReviewVersion: before.every((hook) => itemsOf(hook.admissionReviewVersions).length === 0 || hasKnownVersion(hook)),
    uniqueNames: new Set(before.map((hook) => hook.name)).size === before.length,
    checkConditions:
      hooks.length !== before.length || hooks.some((hook, position) => !sameValue(hook.matchConditions, before[position]?.matchConditions)),
  };
}

const hasKnownVersion = (hook: Hook): boolean =>
  itemsOf(hook.admissionReviewVersions).some((version) => reviewVersions.includes(String(version)));

function validate(configuration: Configuration, kind: HookKind, strictness: Strictness): Found {
  const hooks = hooksOf(configuration);
  const isRepeated = repeats(hooks.map((hook) => textAt(hook, 'name')));
  return ofEach(hooks, (hook, position) => {
    const path = webhooks.index(position);
    const name = textAt(hook, 'name');
    return inOrder(
      validateHook(hook, kind, strictness, path),
      validateReviewVersions(hook, strictness, path.child('admissionReviewVersions')),
      strictness.uniqueNames && name !== '' && isRepeated(position) ? [duplicate(path.child('name'), name)] : [],
    );
  });
}

function validateHook(hook: Hook, kind: HookKind, strictness: Strictness, path: Path): Found {
  const timeout = hook.timeoutSeconds;
  return inOrder(
    validateHookName(textAt(hook, 'name'), path.child('name')),
    ofEach(objectsIn(hook, 'rules'), (rule, position) => validateRule(rule, path.child('rules').index(position))),
    optionallyOneOf(hook.failurePolicy, ['Fail', 'Ignore'], path.child('failurePolicy')),
    optionallyOneOf(hook.matchPolicy, ['Equivalent', 'Exact'], path.child('matchPolicy')),
    validateSideEffects(hook.sideEffects, strictness.noSideEffects ? noSideEffects : sideEffects, path.child('sideEffects')),
    timeout !== undefined && (Number(timeout) < 1 || Number(timeout) > timeoutSecondsMax)
      ? [invalid(path.child('timeoutSeconds'), timeout, `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`)]
      : [],
    ...selectors.map((member) => validateLabelSelector(objectAt(hook, member) ?? {}, path.child(member))),
    kind === 'mutating' ? optionallyOneOf(hook.reinvocationPolicy, ['IfNeeded', 'Never'], path.child('reinvocationPolicy')) : [],
    validateClient(objectAt(hook, 'clientConfig') ?? {}, path.child('clientConfig')),
    strictness.checkConditions ? validateMatchConditions(hook, path.child('matchConditions'), webhookScope) : [],
  );
}

/** Names are domains, so that those of different owners do not collide. */
function validateHookName(name: string, path: Path): FieldError[] {
  if (name === '') return [required(path, '')];
  const problems = subdomainName(name, false);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  return name.split('.').length < nameSegmentsMin
    ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

const validateSideEffects = (value: unknown, allowed: readonly string[], path: Path): FieldError[] =>
  value === undefined || value === null
    ? [required(path, `must specify one of ${allowed.join(', ')}`)]
    : allowed.includes(String(value))
      ? []
      : [notSupported(path, value, allowed)];

function validateReviewVersions(hook: Hook, { knownReviewVersion }: Strictness, path: Path): FieldError[] {
  const versions = itemsOf(hook.admissionReviewVersions).map(String);
  if (versions.length === 0) return [required(path, `must specify one of ${reviewVersions.join(', ')}`)];
  const isRepeated = repeats(versions);
  return [
    ...versions.flatMap((version, position) => {
      const at = path.index(position);
      return isRepeated(position) ? [invalid(at, version, 'duplicate version')] : named(version, dns1035LabelName, at);
    }),
    ...(knownReviewVersion && !hasKnownVersion(hook)
      ? [invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)]
      : []),
  ];
}

const webhookKind = (hooks: HookKind): Kind<Configuration> => ({
  name: `${hooks}webhookconfigurations.admissionregistration.k8s.io`,
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['webhooks'], tellsEmptyFromNone: true },
  defaults(configuration) {
    setDefaults(configuration, hooks);
  },
  validate: (configuration) => validate(configuration, hooks, strict),
  update: {
    unconditional: false,
    review: ['objectMeta', (configuration, old) => validate(configuration, hooks, strictnessAfter(configuration, old))],
  },
  warnings: reservedNameWarnings,
  cells: { Webhooks: countAt('webhooks') },
});

export const validatingWebhookConfigurations = webhookKind('validating');
export const mutatingWebhookConfigurations = webhookKind('mutating');
