import type { JsonObject, JsonValue } from '../../../api/object.js';
import { checkPluginConfiguration, type PluginKind } from '../configuration.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import { levelOf, minorOf, modes, noPolicy, type Mode, type Policy, type Standard } from './policy.js';

export interface PodSecurityRules {
  /** Defaults for namespaces without labels. */
  readonly defaults: Policy;
  /** Exempt users. */
  readonly users: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

export const podSecurityKind: PluginKind = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`),
  fields: {
    defaults: {
      fields: Object.fromEntries(
        modes.flatMap((mode) => [
          [mode, 'text'],
          [`${mode}-version`, 'text'],
        ]),
      ),
    },
    exemptions: { fields: { usernames: { list: 'text' }, namespaces: { list: 'text' }, runtimeClasses: { list: 'text' } } },
  },
};

/** Throws for an invalid configuration: unintended rules would be worse than none. */
export function podSecurityRules(configuration: JsonObject | null): PodSecurityRules {
  if (configuration !== null) checkPluginConfiguration('PodSecurity', configuration, podSecurityKind);
  const [defaults, exemptions] = [membersOf(configuration?.['defaults']), membersOf(configuration?.['exemptions'])];
  const standards = modes.map((mode): [Mode, Standard] => [mode, standardOf(defaults, mode)]);
  const named = (member: string): ReadonlySet<string> => new Set(itemsOf(exemptions[member]).map(String));
  return {
    defaults: { ...noPolicy, ...Object.fromEntries(standards) },
    users: named('usernames'),
    namespaces: named('namespaces'),
    runtimeClasses: named('runtimeClasses'),
  };
}

function standardOf(defaults: JsonObject, mode: Mode): Standard {
  const [level, minor] = [levelOf(given(defaults[mode], 'privileged')), minorOf(given(defaults[`${mode}-version`], 'latest'))];
  if (level === null || minor === null)
    throw new Error(`defaults.${mode} of PodSecurity must be a level, and its version "latest" or "v1.x"`);
  return { level, minor };
}

const given = (value: JsonValue | undefined, otherwise: string): string => (typeof value === 'string' && value !== '' ? value : otherwise);
