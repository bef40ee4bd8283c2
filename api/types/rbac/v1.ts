// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Says from which other cluster roles a role collects its rules. */
export interface AggregationRule {
  /** Select cluster roles by their labels; the rules of each role that one of them fits are added. */
  readonly clusterRoleSelectors?: readonly metaV1.LabelSelector[];
}

/** Permissions that can be granted in the whole cluster, or in single namespaces. */
export interface ClusterRole {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is permitted. */
  readonly rules?: readonly PolicyRule[] | null;
  /** Collects the rules of other roles. */
  readonly aggregationRule?: AggregationRule;
}

/** Grants the permissions of a ClusterRole in the whole cluster. */
export interface ClusterRoleBinding {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** To whom. */
  readonly subjects?: readonly Subject[];
  /** The role that is granted. Cannot be changed. */
  readonly roleRef: RoleRef;
}

export interface ClusterRoleBindingList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ClusterRoleBinding[] | null;
}

export interface ClusterRoleList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ClusterRole[] | null;
}

/** What may be done with which resources, or at which paths. All members that are given must fit. */
export interface PolicyRule {
  /** What may be done; * for everything. */
  readonly verbs?: readonly string[] | null;
  /** Groups of the resources; empty text for the core group. */
  readonly apiGroups?: readonly string[];
  /** Resources, or resource/subresource. */
  readonly resources?: readonly string[];
  /** Names of objects; all if empty. */
  readonly resourceNames?: readonly string[];
  /** Paths that are no resources. */
  readonly nonResourceURLs?: readonly string[];
}

/** Permissions in one namespace. */
export interface Role {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is permitted. */
  readonly rules?: readonly PolicyRule[] | null;
}

/** Grants the permissions of a Role or ClusterRole in one namespace. */
export interface RoleBinding {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** To whom. */
  readonly subjects?: readonly Subject[];
  /** The role that is granted. Cannot be changed. */
  readonly roleRef: RoleRef;
}

export interface RoleBindingList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly RoleBinding[] | null;
}

export interface RoleList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Role[] | null;
}

/** Points to the role that a binding grants. */
export interface RoleRef {
  /** Group of the role, rbac.authorization.k8s.io. */
  readonly apiGroup?: string;
  /** Role or ClusterRole, as the role may be. */
  readonly kind: string;
  /** Name of the role. */
  readonly name: string;
}

/** A user, group or service account that a role is granted to. */
export interface Subject {
  /** User, Group or ServiceAccount. */
  readonly kind: string;
  /** Group of the subject; empty for ServiceAccount, rbac.authorization.k8s.io for User and Group. */
  readonly apiGroup?: string;
  /** Name of the user, group or account. */
  readonly name: string;
  /** Namespace of the account. */
  readonly namespace?: string;
}

export const clusterRoleBindings: Resource<ClusterRoleBinding> = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false };
export const clusterRoles: Resource<ClusterRole> = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles', kind: 'ClusterRole', namespaced: false };
export const roleBindings: Resource<RoleBinding> = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings', kind: 'RoleBinding', namespaced: true };
export const roles: Resource<Role> = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles', kind: 'Role', namespaced: true };
