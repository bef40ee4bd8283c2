import type { ApiObject } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import type { Attributes, Decision } from '../authorizer.js';
import { Grant, Role, SubjectGrants, type Binding } from './grants.js';
import { roleRefOf, rulesOf, subjectsOf, type PolicyRule, type RoleRef, type Subject } from './policy.js';

/** Grants of a namespace or the cluster, by subject. Service accounts are users here. */
class Scope {
  readonly users = new Map<string, SubjectGrants>();
  readonly groups = new Map<string, SubjectGrants>();

  get empty(): boolean {
    return this.users.size === 0 && this.groups.size === 0;
  }
}

interface Rights {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly string[];
}

const cluster = '';
const none: readonly string[] = [];
const reportedProblemsMax = 100;
const silence: Decision = { decision: 'noOpinion', reason: '' };

/**
 * Roles and bindings by namespace, subject and role, for decisions without storage or search. Roles may arrive after the bindings that name them, and leave
 * before. Synchronous; the owner applies every change.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, Role>();
  readonly #bindings = new Map<string, Binding>();
  readonly #scopes = new Map<string, Scope>();
  /** Grows with every change of rules. */
  #epoch = 0;

  putRole(namespace: string, role: ApiObject): void {
    this.#roleAt(namespace, { kind: namespace === cluster ? 'ClusterRole' : 'Role', name: role.metadata.name ?? '' }).set(rulesOf(role));
    this.#epoch++;
  }

  removeRole(namespace: string, name: string): void {
    const role = this.#roles.get(`${namespace}/${name}`);
    role?.set(null);
    if (role !== undefined) this.#forgetUnused(namespace, role);
    this.#epoch++;
  }

  putBinding(namespace: string, object: ApiObject): void {
    const name = object.metadata.name ?? '';
    this.removeBinding(namespace, name);
    const ref = roleRefOf(object);
    if (ref === null || (ref.kind === 'Role' && namespace === cluster)) return;
    const binding: Binding = {
      namespace,
      name,
      role: this.#roleAt(ref.kind === 'Role' ? namespace : cluster, ref),
      subjects: subjectsOf(object, namespace),
    };
    binding.role.bindings++;
    this.#bindings.set(`${namespace}/${name}`, binding);
    const scope = this.#scopeAt(namespace);
    for (const subject of binding.subjects) grantsAt(scope, subject).add(new Grant(binding, subject));
  }

  removeBinding(namespace: string, name: string): void {
    const binding = this.#bindings.get(`${namespace}/${name}`);
    if (binding === undefined) return;
    this.#bindings.delete(`${namespace}/${name}`);
    const scope = this.#scopeAt(namespace);
    for (const subject of binding.subjects) {
      const map = mapOf(scope, subject);
      if (map.get(keyOf(subject))?.removeBinding(binding) === true) map.delete(keyOf(subject));
    }
    if (scope.empty) this.#scopes.delete(namespace);
    binding.role.bindings--;
    this.#forgetUnused(binding.role.ref.kind === 'Role' ? namespace : cluster, binding.role);
  }

  /** Allows, or has no opinion, with missing roles of the user's bindings as reason. */
  decide(attributes: Attributes): Decision {
    const namespace = attributes.isResource ? attributes.namespace : cluster;
    const found = this.#findIn(cluster, attributes) ?? (namespace === cluster ? null : this.#findIn(namespace, attributes));
    return found?.decision ?? this.#refusal(attributes.user, namespace);
  }

  /**
   * Returns all rights of a user in a namespace (empty: cluster-wide), once per binding (`VisitRulesFor` in pkg/registry/rbac/validation/rule.go), and what
   * could not be determined.
   */
  rulesFor(user: User, namespace: string): Rights {
    const roles = [...this.#bindingsOf(user, namespace)].map(({ role }) => role);
    return { rules: roles.flatMap(({ rules }) => rules ?? []), problems: this.#problemsOf(user, namespace) };
  }

  /** The same with each role once: repetitions make comparisons longer. */
  distinctRulesFor(user: User, namespace: string): Rights {
    const roles = new Set([...this.#bindingsOf(user, namespace)].map(({ role }) => role));
    return { rules: [...roles].flatMap(({ rules }) => rules ?? []), problems: this.#problemsOf(user, namespace) };
  }

  /** Null when there is no such role. */
  rulesOfRole(ref: RoleRef, namespace: string): readonly PolicyRule[] | null {
    return this.#roles.get(`${ref.kind === 'Role' ? namespace : cluster}/${ref.name}`)?.rules ?? null;
  }

  #findIn(namespace: string, attributes: Attributes): Grant | null {
    const scope = this.#scopes.get(namespace);
    if (scope === undefined) return null;
    const { user } = attributes;
    const own = scope.users.get(user.name)?.find(attributes, this.#epoch) ?? null;
    if (own !== null) return own;
    for (const group of user.groups) {
      const grant = scope.groups.get(group)?.find(attributes, this.#epoch) ?? null;
      if (grant !== null) return grant;
    }
    return null;
  }

  #refusal(user: User, namespace: string): Decision {
    const problems = this.#problemsOf(user, namespace);
    if (problems.length === 0) return silence;
    return { decision: 'noOpinion', reason: `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}` };
  }

  #problemsOf(user: User, namespace: string): readonly string[] {
    let found: Set<string> | null = null;
    for (const grants of this.#grantsOf(user, namespace)) {
      for (const problem of grants.problems(this.#epoch)) {
        if ((found ??= new Set()).size >= reportedProblemsMax) return [...found, 'and more'];
        found.add(problem);
      }
    }
    return found === null ? none : [...found];
  }

  #bindingsOf(user: User, namespace: string): ReadonlySet<Binding> {
    return new Set([...this.#grantsOf(user, namespace)].flatMap((grants) => [...grants.bindings()]));
  }

  *#grantsOf(user: User, namespace: string): Generator<SubjectGrants> {
    for (const name of namespace === cluster ? [cluster] : [cluster, namespace]) {
      const scope = this.#scopes.get(name);
      const own = scope?.users.get(user.name);
      if (own !== undefined) yield own;
      for (const group of user.groups) {
        const shared = scope?.groups.get(group);
        if (shared !== undefined) yield shared;
      }
    }
  }

  #roleAt(namespace: string, ref: RoleRef): Role {
    const key = `${namespace}/${ref.name}`;
    let role = this.#roles.get(key);
    if (role === undefined) this.#roles.set(key, (role = new Role(ref)));
    return role;
  }

  #forgetUnused(namespace: string, role: Role): void {
    if (role.rules === null && role.bindings === 0) this.#roles.delete(`${namespace}/${role.ref.name}`);
  }

  #scopeAt(namespace: string): Scope {
    let scope = this.#scopes.get(namespace);
    if (scope === undefined) this.#scopes.set(namespace, (scope = new Scope()));
    return scope;
  }
}

const keyOf = ({ kind, name, namespace }: Subject): string =>
  kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : name;
const mapOf = (scope: Scope, { kind }: Subject): Map<string, SubjectGrants> => (kind === 'Group' ? scope.groups : scope.users);

function grantsAt(scope: Scope, subject: Subject): SubjectGrants {
  const map = mapOf(scope, subject);
  const key = keyOf(subject);
  let grants = map.get(key);
  if (grants === undefined) map.set(key, (grants = new SubjectGrants()));
  return grants;
}
