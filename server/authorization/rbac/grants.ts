import type { Attributes, Decision } from '../authorizer.js';
import { rbacGroup, type PolicyRule, type RoleRef, type Subject } from './policy.js';
import { RuleIndex } from './ruleIndex.js';

/** A role or cluster role, or a placeholder that bindings name. */
export class Role {
  /** Null while the role does not exist. */
  rules: readonly PolicyRule[] | null = null;
  bindings = 0;
  changes = 0;
  #index: RuleIndex<true> | null = null;

  constructor(readonly ref: RoleRef) {}

  set(rules: readonly PolicyRule[] | null): void {
    this.rules = rules;
    this.#index = null;
    this.changes++;
  }

  allows(attributes: Attributes): boolean {
    if (this.#index === null) {
      this.#index = new RuleIndex<true>();
      for (const rule of this.rules ?? []) this.#index.add(rule, true);
    }
    return this.#index.find(attributes) !== null;
  }

  get absence(): string {
    return `${this.ref.kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(this.ref.name)} not found`;
  }
}

/** A binding of a namespace or, with an empty one, of the cluster. */
export interface Binding {
  readonly namespace: string;
  readonly name: string;
  readonly role: Role;
  readonly subjects: readonly Subject[];
}

export class Grant {
  #made: Decision | null = null;

  constructor(
    readonly binding: Binding,
    readonly subject: Subject,
  ) {}

  get decision(): Decision {
    return (this.#made ??= { decision: 'allow', reason: `RBAC: allowed by ${this.#describe()}` });
  }

  #describe(): string {
    const {
      binding: { namespace, name, role },
      subject,
    } = this;
    const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
    const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject.name;
    const where = namespace === '' ? name : `${name}/${namespace}`;
    return `${kind} ${JSON.stringify(where)} of ${role.ref.kind} ${JSON.stringify(role.ref.name)} to ${subject.kind} ${JSON.stringify(who)}`;
  }
}

/** Limit of a subject's roles that are checked one by one; more are merged into one index. */
const askedOneByOneMax = 16;

/** The grants of one subject in a namespace, or in the whole cluster. */
export class SubjectGrants {
  /** Keyed by role: further bindings of a role grant nothing more. */
  readonly #byRole = new Map<Role, Map<Binding, Grant>>();
  #merged: RuleIndex<Grant> | null = null;
  #mergedAt = -1;
  /** The sum of its roles' changes when they were merged. */
  #mergedChanges = -1;
  #missing: readonly string[] = [];
  #missingAt = -1;

  add(grant: Grant): void {
    const grants = this.#byRole.get(grant.binding.role);
    if (grants === undefined) this.#byRole.set(grant.binding.role, new Map([[grant.binding, grant]]));
    // A binding may repeat a subject.
    else if (!grants.has(grant.binding)) grants.set(grant.binding, grant);
    this.#forget();
  }

  /** Returns true when nothing is left. */
  removeBinding(binding: Binding): boolean {
    const left = this.#byRole.get(binding.role);
    left?.delete(binding);
    if (left?.size === 0) this.#byRole.delete(binding.role);
    this.#forget();
    return this.#byRole.size === 0;
  }

  /** `epoch` grows with every change of any role's rules, which may outdate the merged index. */
  find(attributes: Attributes, epoch: number): Grant | null {
    if (this.#byRole.size > askedOneByOneMax) return this.#mergedIndex(epoch).find(attributes);
    for (const [role, grants] of this.#byRole) if (role.allows(attributes)) return firstOf(grants);
    return null;
  }

  *bindings(): Generator<Binding> {
    for (const grants of this.#byRole.values()) yield* grants.keys();
  }

  problems(epoch: number): readonly string[] {
    if (this.#missingAt !== epoch) {
      this.#missing = [...this.#byRole.keys()].filter(({ rules }) => rules === null).map(({ absence }) => absence);
      this.#missingAt = epoch;
    }
    return this.#missing;
  }

  #forget(): void {
    this.#merged = null;
    this.#missingAt = -1;
  }

  /** Rebuilds the merged index only when one of its own roles has changed. */
  #mergedIndex(epoch: number): RuleIndex<Grant> {
    if (this.#merged !== null && this.#mergedAt === epoch) return this.#merged;
    this.#mergedAt = epoch;
    let changes = 0;
    for (const role of this.#byRole.keys()) changes += role.changes;
    if (this.#merged !== null && this.#mergedChanges === changes) return this.#merged;
    this.#mergedChanges = changes;
    this.#merged = new RuleIndex<Grant>();
    for (const [role, grants] of this.#byRole) for (const rule of role.rules ?? []) this.#merged.add(rule, firstOf(grants)!);
    return this.#merged;
  }
}

const firstOf = (grants: ReadonlyMap<Binding, Grant>): Grant | null => grants.values().next().value ?? null;
