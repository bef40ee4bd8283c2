import { groupAuthenticated, groupMasters, groupUnauthenticated } from '../authentication/authenticator.js';
import type { Attributes, Authorizer, Decision } from './authorizer.js';

const allow: Decision = { decision: 'allow', reason: '' };
const silence: Decision = { decision: 'noOpinion', reason: '' };

export const alwaysAllow: Authorizer = () => allow;
export const alwaysDeny: Authorizer = () => ({ decision: 'noOpinion', reason: 'Everything is forbidden.' });
/** Administrators by definition: no rule can take this away, so a broken rule set can always be repaired. */
export const masters: Authorizer = ({ user }) => (user.groups.includes(groupMasters) ? allow : silence);

interface Rule {
  readonly groups: readonly string[];
  readonly verbs: readonly string[];
  /** Paths that name no resource; a trailing `*` stands for any ending. */
  readonly paths?: readonly string[];
  readonly resources?: readonly { readonly group: string; readonly resource: string }[];
}

/** What the bootstrap roles `system:public-info-viewer`, `system:discovery` and `system:basic-user` grant to everybody. */
const rules: readonly Rule[] = [
  { groups: [groupAuthenticated, groupUnauthenticated], verbs: ['get'], paths: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
  { groups: [groupAuthenticated], verbs: ['get'], paths: ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'] },
  {
    groups: [groupAuthenticated], verbs: ['create'], resources: [
      { group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' },
      { group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' },
      { group: 'authentication.k8s.io', resource: 'selfsubjectreviews' },
    ],
  },
];

/** Grants what every cluster grants to everybody. Roles and bindings of the cluster's own take its place once they are evaluated. */
export const bootstrapRules: Authorizer = (attributes) => (rules.some((rule) => matches(rule, attributes)) ? allow : silence);

function matches(rule: Rule, attributes: Attributes): boolean {
  if (!rule.verbs.includes(attributes.verb) || !rule.groups.some((group) => attributes.user.groups.includes(group))) return false;
  if (!attributes.isResource) return rule.paths?.some((pattern) => pathMatches(pattern, attributes.path)) ?? false;
  const { group, resource, subresource } = attributes;
  return subresource === '' && (rule.resources?.some((granted) => granted.group === group && granted.resource === resource) ?? false);
}

const pathMatches = (pattern: string, path: string): boolean => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern);
