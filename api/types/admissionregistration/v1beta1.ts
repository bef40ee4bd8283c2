// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** A change written as a configuration to apply. */
export interface ApplyConfiguration {
  /** CEL that gives the configuration; it is merged like a server-side apply. */
  readonly expression?: string;
}

/** A note for the audit log. */
export interface AuditAnnotation {
  /** Name of the note, unique in the policy. */
  readonly key: string;
  /** CEL that gives the text, or null for no note. */
  readonly valueExpression: string;
}

/** What is doubtful about an expression. */
export interface ExpressionWarning {
  /** Where the expression stands. */
  readonly fieldRef: string;
  /** What the check of types found. */
  readonly warning: string;
}

/** A change written as a JSON patch. */
export interface JSONPatch {
  /** CEL that gives a list of patch operations. */
  readonly expression?: string;
}

/** A further condition for a request to be looked at. */
export interface MatchCondition {
  /** Name of the condition, unique in its list. */
  readonly name: string;
  /** CEL that gives true or false. */
  readonly expression: string;
}

/** Which requests a policy looks at. */
export interface MatchResources {
  /** Selects namespaces by their labels. */
  readonly namespaceSelector?: metaV1.LabelSelector;
  /** Selects objects by their labels. */
  readonly objectSelector?: metaV1.LabelSelector;
  /** Rules of which one must fit. */
  readonly resourceRules?: readonly NamedRuleWithOperations[];
  /** Rules of which none may fit. */
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  /** Exact or Equivalent: whether a request in another version counts; Equivalent if not given. */
  readonly matchPolicy?: string;
}

/** Rules, written as expressions, that change objects on their way into storage. */
export interface MutatingAdmissionPolicy {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: MutatingAdmissionPolicySpec;
}

/** Puts a mutating admission policy into effect, with parameters and for selected objects. */
export interface MutatingAdmissionPolicyBinding {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly MutatingAdmissionPolicyBinding[] | null;
}

/** Which policy is in force, where and with what. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  readonly policyName?: string;
  /** The parameters. */
  readonly paramRef?: ParamRef;
  /** Narrows down which requests are changed. */
  readonly matchResources?: MatchResources;
}

export interface MutatingAdmissionPolicyList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly MutatingAdmissionPolicy[] | null;
}

/** Which requests are changed, and how. */
export interface MutatingAdmissionPolicySpec {
  /** Kind of the parameters; none if not given. */
  readonly paramKind?: ParamKind;
  /** Which requests are looked at. */
  readonly matchConstraints?: MatchResources;
  /** Expressions with names for the others to use. */
  readonly variables?: readonly Variable[];
  /** The changes, in this order. */
  readonly mutations?: readonly Mutation[];
  /** Fail or Ignore: what happens when an expression cannot be computed; Fail if not given. */
  readonly failurePolicy?: string;
  /** Further conditions, at most 64. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Never or IfNeeded: whether to look again after others changed the object. */
  readonly reinvocationPolicy?: string;
}

/** One change of an object. */
export interface Mutation {
  /** ApplyConfiguration or JSONPatch. */
  readonly patchType: string;
  /** The change as a configuration to apply. */
  readonly applyConfiguration?: ApplyConfiguration;
  /** The change as a JSON patch. */
  readonly jsonPatch?: JSONPatch;
}

/** Operations on resources, perhaps on some names alone. */
export interface NamedRuleWithOperations {
  /** Names of objects; all if empty. */
  readonly resourceNames?: readonly string[];
  /** CREATE, UPDATE, DELETE, CONNECT or * for all. */
  readonly operations?: readonly string[];
  /** Groups; * for all. */
  readonly apiGroups?: readonly string[];
  /** Versions; * for all. */
  readonly apiVersions?: readonly string[];
  /** Resources, with subresources after a slash; * for all. */
  readonly resources?: readonly string[];
  /** Cluster, Namespaced or * for both, which is the default. */
  readonly scope?: string;
}

/** The kind of the parameters of a policy. */
export interface ParamKind {
  /** Group and version of the kind. */
  readonly apiVersion?: string;
  /** The kind. */
  readonly kind?: string;
}

/** Which objects are the parameters. */
export interface ParamRef {
  /** Name of the object; not together with a selector. */
  readonly name?: string;
  /** Namespace of the object; that of the request if not given. */
  readonly namespace?: string;
  /** Selects objects by labels; not together with a name. */
  readonly selector?: metaV1.LabelSelector;
  /** Allow or Deny: what happens when there is no such object. */
  readonly parameterNotFoundAction?: string;
}

/** What the check of types found. */
export interface TypeChecking {
  /** What is doubtful, expression by expression. */
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

/** Rules, written as expressions, that objects must meet to be stored. */
export interface ValidatingAdmissionPolicy {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ValidatingAdmissionPolicySpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ValidatingAdmissionPolicyStatus;
}

/** Puts a validating admission policy into effect, with parameters and for selected objects. */
export interface ValidatingAdmissionPolicyBinding {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ValidatingAdmissionPolicyBinding[] | null;
}

/** Which policy is in force, where and with what. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  readonly policyName?: string;
  /** The parameters. */
  readonly paramRef?: ParamRef;
  /** Narrows down which requests are checked. */
  readonly matchResources?: MatchResources;
  /** What happens when a check fails: Deny, Warn or Audit. */
  readonly validationActions?: readonly string[];
}

export interface ValidatingAdmissionPolicyList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ValidatingAdmissionPolicy[] | null;
}

/** Which requests are checked, and how. */
export interface ValidatingAdmissionPolicySpec {
  /** Kind of the parameters; none if not given. */
  readonly paramKind?: ParamKind;
  /** Which requests are looked at. */
  readonly matchConstraints?: MatchResources;
  /** The checks. */
  readonly validations?: readonly Validation[];
  /** Fail or Ignore: what happens when an expression cannot be computed; Fail if not given. */
  readonly failurePolicy?: string;
  /** Notes for the audit log. */
  readonly auditAnnotations?: readonly AuditAnnotation[];
  /** Further conditions, at most 64. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Expressions with names for the others to use. */
  readonly variables?: readonly Variable[];
}

/** What is known of a policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** What the check of types found. */
  readonly typeChecking?: TypeChecking;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

/** A check. */
export interface Validation {
  /** CEL that is true for what is good. */
  readonly expression: string;
  /** What is said when it is not. */
  readonly message?: string;
  /** Reason of the answer: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge; Invalid if not given. */
  readonly reason?: string;
  /** CEL that gives what is said; it goes before the message. */
  readonly messageExpression?: string;
}

/** An expression with a name. */
export interface Variable {
  /** Name, by which others refer to it as variables.NAME. */
  readonly name: string;
  /** The expression, in CEL. */
  readonly expression: string;
}

export const mutatingAdmissionPolicies: Resource<MutatingAdmissionPolicy> = { group: 'admissionregistration.k8s.io', version: 'v1beta1', resource: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy', namespaced: false };
export const mutatingAdmissionPolicyBindings: Resource<MutatingAdmissionPolicyBinding> = { group: 'admissionregistration.k8s.io', version: 'v1beta1', resource: 'mutatingadmissionpolicybindings', kind: 'MutatingAdmissionPolicyBinding', namespaced: false };
export const validatingAdmissionPolicies: Resource<ValidatingAdmissionPolicy> = { group: 'admissionregistration.k8s.io', version: 'v1beta1', resource: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy', namespaced: false };
export const validatingAdmissionPolicyBindings: Resource<ValidatingAdmissionPolicyBinding> = { group: 'admissionregistration.k8s.io', version: 'v1beta1', resource: 'validatingadmissionpolicybindings', kind: 'ValidatingAdmissionPolicyBinding', namespaced: false };
