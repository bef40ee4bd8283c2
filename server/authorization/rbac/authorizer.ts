import { follow, type Follower } from '../../storage/follow.js';
import type { Storage } from '../../storage/contract.js';
import type { Authorizer } from '../authorizer.js';
import type { RuleResolver } from '../rules.js';
import { rbacGroup } from './policy.js';
import { PolicyIndex } from './policyIndex.js';

export interface Rbac {
  readonly authorize: Authorizer;
  readonly rules: RuleResolver;
  readonly index: PolicyIndex;
  /** Settles once roles and bindings are known; before, less is granted, never more. */
  readonly synced: Promise<unknown>;
  stop(): void;
}

export function createRbac(storage: Pick<Storage, 'watch'>): Rbac {
  const index = new PolicyIndex();
  const roles: Follower = {
    put: (object) => index.putRole(object.namespace, object.decode()),
    remove: (namespace, name) => index.removeRole(namespace, name),
  };
  const bindings: Follower = {
    put: (object) => index.putBinding(object.namespace, object.decode()),
    remove: (namespace, name) => index.removeBinding(namespace, name),
  };
  const followed = [
    { of: roles, resource: 'clusterroles' },
    { of: roles, resource: 'roles' },
    { of: bindings, resource: 'clusterrolebindings' },
    { of: bindings, resource: 'rolebindings' },
  ].map(({ of, resource }) => follow(storage, { group: rbacGroup, resource }, of));
  return {
    authorize: (attributes) => index.decide(attributes),
    rules: listRules(index),
    index,
    synced: Promise.all(followed.map(({ synced }) => synced)),
    stop: () => {
      for (const following of followed) following.stop();
    },
  };
}

const listRules =
  (index: PolicyIndex): RuleResolver =>
  (user, namespace) => {
    const { rules, problems } = index.rulesFor(user, namespace);
    return {
      resourceRules: rules.filter(({ resources }) => resources.length > 0),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0),
      incomplete: false,
      problems,
    };
  };
