import type { JsonValue } from '../../api/object.js';
import { configurationProblems, isUnknownMember, type ConfigurationKind } from '../../program/files/configuration.js';
import { subdomainName } from '../registry/validation/names.js';
import { levels, stages } from './event.js';
import type { Level, Stage } from './event.js';

/** Resources of a rule. Empty lists match everything. */
export interface PolicyResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly PolicyResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly Stage[];
  /** Null for the policy's own setting. */
  readonly omitManagedFields: boolean | null;
}

/** `audit.k8s.io/v1 Policy`: the first matching rule decides. */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

export type PolicyResult =
  | { readonly ok: true; readonly policy: AuditPolicy; /** Unknown members. */ readonly ignored: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const texts = { list: 'text' } as const;
const stageNames = { list: { oneOf: stages } } as const;

/** The content of the file. Its metadata is ignored. */
export const policyKind: ConfigurationKind = {
  option: '--audit-policy-file',
  kind: 'Policy',
  apiVersions: ['audit.k8s.io/v1'],
  fields: {
    metadata: 'object',
    rules: {
      list: {
        fields: {
          level: { oneOf: levels },
          users: texts,
          userGroups: texts,
          verbs: texts,
          namespaces: texts,
          nonResourceURLs: texts,
          omitStages: stageNames,
          omitManagedFields: 'bool',
          resources: { list: { fields: { group: 'text', resources: texts, resourceNames: texts } } },
        },
      },
    },
    omitStages: stageNames,
    omitManagedFields: 'bool',
  },
};

/** Absent and null members have no effect. */
type Written<T> = { readonly [name in keyof T]?: T[name] | null };
interface WrittenRule extends Omit<Written<PolicyRule>, 'resources'> {
  readonly resources?: readonly Written<PolicyResources>[] | null;
}
interface WrittenPolicy extends Omit<Written<AuditPolicy>, 'rules'> {
  readonly rules?: readonly WrittenRule[] | null;
}

/** Reads and checks a parsed policy, without members that it does not know (audit/policy/reader.go). Every error has its path. Pure. */
export function readPolicy(document: JsonValue): PolicyResult {
  const found = configurationProblems(document, policyKind);
  const ofShape = found.filter((problem) => !isUnknownMember(problem));
  if (ofShape.length > 0) return { ok: false, problems: ofShape };
  const { rules, omitStages, omitManagedFields } = document as WrittenPolicy;
  const problems = [
    ...(rules?.length ? [] : ['rules must have at least one rule']),
    ...(rules ?? []).flatMap((rule, index) => contradictions(rule, `rules[${index}]`)),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    ignored: found,
    policy: { rules: (rules ?? []).map(completeRule), omitStages: omitStages ?? [], omitManagedFields: omitManagedFields ?? false },
  };
}

function completeRule(rule: WrittenRule): PolicyRule {
  return {
    level: rule.level ?? 'None',
    users: rule.users ?? [],
    userGroups: rule.userGroups ?? [],
    verbs: rule.verbs ?? [],
    namespaces: rule.namespaces ?? [],
    resources: (rule.resources ?? []).map(({ group, resources, resourceNames }) => ({
      group: group ?? '',
      resources: resources ?? [],
      resourceNames: resourceNames ?? [],
    })),
    nonResourceURLs: rule.nonResourceURLs ?? [],
    omitStages: rule.omitStages ?? [],
    omitManagedFields: rule.omitManagedFields ?? null,
  };
}

function contradictions(written: WrittenRule, path: string): string[] {
  const { nonResourceURLs, resources, namespaces } = completeRule(written);
  const mixed = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0);
  return [
    ...(written.level ? [] : [`${path}.level must be one of ${levels.join(', ')}, not nothing`]),
    ...(mixed ? [`${path}.nonResourceURLs cannot stand beside resources or namespaces`] : []),
    ...nonResourceURLs.flatMap((url, index) => urlProblems(url, `${path}.nonResourceURLs[${index}]`)),
    ...resources.flatMap((selected, index) => resourceProblems(selected, `${path}.resources[${index}]`)),
  ];
}

function urlProblems(url: string, path: string): string[] {
  if (url === '*') return [];
  return [
    ...(url.startsWith('/') ? [] : [`${path} must begin with "/": ${JSON.stringify(url)}`]),
    ...(url.slice(0, -1).includes('*') ? [`${path} may have "*" at its end only: ${JSON.stringify(url)}`] : []),
  ];
}

function resourceProblems({ group, resources, resourceNames }: PolicyResources, path: string): string[] {
  return [
    ...(isGroup(group) ? [] : [`${path}.group is no group, which has no version: ${JSON.stringify(group)}`]),
    ...(resourceNames.length > 0 && resources.length === 0 ? [`${path}.resourceNames needs resources beside it`] : []),
  ];
}

/** Checks the name alone: a group may come later (apis/audit/validation). */
const isGroup = (group: string): boolean => group === '' || group === '*' || subdomainName(group, false).length === 0;
