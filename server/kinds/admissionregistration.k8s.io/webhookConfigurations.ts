import * as enums from '../../../api/data/enums.js';
import {
  all,
  byDefault,
  countAt,
  distinct,
  dns1035LabelName,
  each,
  format,
  invalid,
  itemsOf,
  members,
  objectRulesWith,
  oneOf,
  optional,
  repeats,
  required,
  requiredAs,
  requiredPointerAs,
  sameValue,
  subdomainName,
  validateLabelSelector,
  when,
  whenFacts,
  type Draft,
  type FieldError,
  type Kind,
  type ObjectRules,
  type Path,
  type Rule,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/admissionregistration/v1.js';
import { client } from './clients.js';
import { matchConditions, webhookScope } from './expressions.js';
import { reservedNameWarnings, unreservedName } from './reservedNames.js';
import { rule } from './rules.js';

const timeoutSecondsDefault = 10;
const timeoutSecondsMax = 30;
const nameSegmentsMin = 3;
const reviewVersions = ['v1', 'v1beta1'];
const noSideEffects = ['None', 'NoneOnDryRun'];
const sideEffects = enums.SideEffectClass;

/** Both kinds; validating ones lack only the reinvocation policy. */
type Configuration = Draft<v1.MutatingWebhookConfiguration>;
type Hook = Writable<v1.MutatingWebhook>;
type HookKind = 'validating' | 'mutating';

const hooksOf = ({ webhooks }: Configuration): readonly Hook[] => itemsOf(webhooks);

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
    noSideEffects: before.every((hook) => noSideEffects.includes(hook.sideEffects ?? '')),
    knownReviewVersion: before.every(
      (hook) => itemsOf(hook.admissionReviewVersions).length === 0 || hasKnownVersion(hook.admissionReviewVersions),
    ),
    uniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
    checkConditions:
      hooks.length !== before.length || hooks.some((hook, position) => !sameValue(hook.matchConditions, before[position]?.matchConditions)),
  };
}

const hasKnownVersion = (versions: Hook['admissionReviewVersions']): boolean =>
  itemsOf(versions).some((version) => reviewVersions.includes(version));

const sideEffectsAmong = (allowed: readonly string[]): Rule<string | null | undefined, unknown, Strictness> =>
  requiredPointerAs(`must specify one of ${allowed.join(', ')}`, oneOf(...allowed));

/** Defaults have an order of their own. */
const firstDefaults = members<v1.MutatingWebhook>({
  failurePolicy: byDefault('Fail'),
  matchPolicy: byDefault('Equivalent'),
  namespaceSelector: byDefault(() => ({})),
  objectSelector: byDefault(() => ({})),
});

const rulesOf = (kind: HookKind): ObjectRules<v1.MutatingWebhookConfiguration, [Strictness]> =>
  objectRulesWith<v1.MutatingWebhookConfiguration, Strictness>({
    webhooks: distinct<Hook, unknown, Strictness>('name', (once) =>
      all(
        firstDefaults,
        members<v1.MutatingWebhook, Strictness>({
          name: required(hookName),
          rules: each(rule),
          failurePolicy: optional(oneOf(...enums.FailurePolicyType)),
          matchPolicy: optional(oneOf(...enums.MatchPolicyType)),
          sideEffects: all(
            whenFacts(({ noSideEffects }: Strictness) => noSideEffects, sideEffectsAmong(noSideEffects)),
            whenFacts(({ noSideEffects }: Strictness) => !noSideEffects, sideEffectsAmong(sideEffects)),
          ),
          timeoutSeconds: byDefault(timeoutSecondsDefault, timeout),
          namespaceSelector: optional(validateLabelSelector),
          objectSelector: optional(validateLabelSelector),
          reinvocationPolicy: kind === 'mutating' ? byDefault('Never', oneOf(...enums.ReinvocationPolicyType)) : () => [],
          clientConfig: client,
          matchConditions: whenFacts(({ checkConditions }: Strictness) => checkConditions, matchConditions(webhookScope)),
          admissionReviewVersions: requiredAs(
            `must specify one of ${reviewVersions.join(', ')}`,
            distinctVersions,
            whenFacts(({ knownReviewVersion }: Strictness) => knownReviewVersion, someKnownVersion),
          ),
        }),
        whenFacts(
          ({ uniqueNames }: Strictness) => uniqueNames,
          when(({ name = '' }: Hook) => name !== '', once),
        ),
      ),
    ),
  });

/** Names are domains, so that those of different owners do not collide. */
function hookName(name: string, path: Path): FieldError[] {
  const problems = subdomainName(name, false);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  return name.split('.').length < nameSegmentsMin
    ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

function timeout(seconds: number, path: Path): FieldError[] {
  return seconds < 1 || seconds > timeoutSecondsMax
    ? [invalid(path, seconds, `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`)]
    : [];
}

function distinctVersions(versions: string[], path: Path): FieldError[] {
  const isRepeated = repeats(versions);
  return versions.flatMap((version, position) => {
    const at = path.index(position);
    return isRepeated(position) ? [invalid(at, version, 'duplicate version')] : versionName(version, at);
  });
}
const versionName = format(dns1035LabelName);

function someKnownVersion(versions: string[], path: Path): FieldError[] {
  return hasKnownVersion(versions) ? [] : [invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}

function webhookKind(hooks: HookKind): Kind<Configuration> {
  const validate = rulesOf(hooks);
  return {
    name: `${hooks}webhookconfigurations.admissionregistration.k8s.io`,
    metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['webhooks'], tellsEmptyFromNone: true },
    defaults: validate.defaults,
    validate: (configuration) => validate(configuration, strict),
    update: {
      unconditional: false,
      review: ['objectMeta', (configuration, old) => validate(configuration, strictnessAfter(configuration, old))],
    },
    warnings: reservedNameWarnings,
    cells: { Webhooks: countAt('webhooks') },
  };
}

export const validatingWebhookConfigurations = webhookKind('validating');
export const mutatingWebhookConfigurations = webhookKind('mutating');
