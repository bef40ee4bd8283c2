import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { ApiObject } from '../../../api/object.js';
import { forbidden, notFound, type StatusError } from '../../../api/status.js';
import { groupMasters } from '../../../program/authentication/authenticator.js';
import { endedOf } from '../../registry/turns.js';
import type { Authorizer } from '../authorizer.js';
import { onlyBookkeepingChanged } from '../bookkeeping.js';
import { compareRules } from './covers.js';
import { describeRule, printed, rbacGroup, roleRefOf, rulesOf, type PolicyRule } from './policy.js';
import type { PolicyIndex } from './policyIndex.js';

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

/**
 * Prevents privilege escalation. The writer of a role must hold all its rules, or the verb "escalate" on it; the writer of a binding must hold the role's
 * rules, or "bind" on it.
 */
export function escalationCheck(index: Pick<PolicyIndex, 'distinctRulesFor' | 'rulesOfRole'>, authorize: Authorizer): AdmissionPlugin {
  const resources = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map((resource) => `${resource}.${rbacGroup}`);
  return {
    name: 'RBACEscalation',
    resources,
    async permit(request) {
      const { object, old, user, resource } = request;
      if (object === null || user.groups.includes(groupMasters) || (old !== null && onlyBookkeepingChanged(object, old))) return;
      if (resource.resource.endsWith('bindings')) await checkBinding(request, object, index, authorize);
      else await checkRole(request, object, index, authorize);
    },
  };
}

type Lookup = Pick<PolicyIndex, 'distinctRulesFor' | 'rulesOfRole'>;

async function checkRole(request: AdmissionRequest, role: ApiObject, index: Lookup, authorize: Authorizer): Promise<void> {
  const { user, namespace, resource, operation, name } = request;
  // The name counts only if the path has one, as in other checks.
  const target = { group: resource.group, resource: resource.resource, namespace, name: operation === 'CREATE' ? '' : name };
  const { decision } = await authorize({ isResource: true, user, verb: 'escalate', version: '*', subresource: '', ...target });
  if (decision === 'allow') return;
  const aggregates = [role, request.old].some((each) => each !== null && (each['aggregationRule'] ?? null) !== null);
  if (
    aggregates &&
    (await compareRules(index.distinctRulesFor(user, namespace).rules, everything, { ended: endedOf(request) }))?.rules.length !== 0
  ) {
    throw forbidden(resource, role.metadata.name ?? '', 'must have cluster-admin privileges to use the aggregationRule');
  }
  await demand(request, role, rulesOf(role), index);
}

async function checkBinding(request: AdmissionRequest, binding: ApiObject, index: Lookup, authorize: Authorizer): Promise<void> {
  const { user, namespace, resource } = request;
  const ref = roleRefOf(binding);
  // Validation refuses other kinds.
  if (ref === null) return;
  const { decision } = await authorize({
    isResource: true,
    user,
    verb: 'bind',
    group: rbacGroup,
    version: '*',
    namespace,
    resource: ref.kind === 'Role' ? 'roles' : 'clusterroles',
    subresource: '',
    name: ref.name,
  });
  if (decision === 'allow') return;
  const rules = index.rulesOfRole(ref, namespace);
  if (rules === null) throw notFound(resource, ref.name);
  await demand(request, binding, rules, index);
}

/** Characters of a refusal's list of missing rights. */
const listCharsMax = 32_768;

async function demand(request: AdmissionRequest, object: ApiObject, wanted: readonly PolicyRule[], index: Lookup): Promise<void> {
  const { user, namespace, resource } = request;
  const { rules, problems } = index.distinctRulesFor(user, namespace);
  const refusal = (why: string): StatusError => forbidden(resource, object.metadata.name ?? '', why);
  const who = `user ${JSON.stringify(user.name)} (groups=${printed(user.groups)})`;
  const missing = await compareRules(rules, wanted, { ended: endedOf(request) });
  if (missing === null)
    throw refusal(
      `${who} is attempting to grant RBAC permissions in more combinations than can be compared with those currently held; write rules with shorter lists`,
    );
  if (missing.rules.length === 0) return;
  const listed = [...new Set(missing.rules.map(describeRule))].sort().join('\n');
  const cut = missing.cut || listed.length > listCharsMax;
  const unresolved = problems.length === 0 ? '' : `; resolution errors: [${problems.join(' ')}]`;
  throw refusal(
    `${who} is attempting to grant RBAC permissions not currently held:\n${listed.slice(0, listCharsMax)}${cut ? '\n... and more' : ''}${unresolved}`,
  );
}
