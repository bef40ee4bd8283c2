// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** A column of the table of a custom resource. */
export interface CustomResourceColumnDefinition {
  /** Heading of the column. */
  readonly name: string;
  /** Type of the values, as in OpenAPI. */
  readonly type: string;
  /** Format of the values, as in OpenAPI. */
  readonly format?: string;
  /** What the column shows, for people. */
  readonly description?: string;
  /** 0 for always; greater ones are shown when there is room. */
  readonly priority?: number;
  /** Where the value stands in the object, as a simple JSON path. */
  readonly jsonPath: string;
}

/** How objects are converted between versions. */
export interface CustomResourceConversion {
  /** None changes the version alone; Webhook asks a webhook. */
  readonly strategy: string;
  /** The webhook. */
  readonly webhook?: WebhookConversion;
}

/** Adds a kind to the API: its names, versions and schemas. Objects of it are then served like built-in ones. */
export interface CustomResourceDefinition {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: CustomResourceDefinitionSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: CustomResourceDefinitionStatus;
}

/** A statement about a definition. */
export interface CustomResourceDefinitionCondition {
  /** What the statement is, such as Established or NamesAccepted. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
}

export interface CustomResourceDefinitionList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly CustomResourceDefinition[] | null;
}

/** Names of a custom resource. */
export interface CustomResourceDefinitionNames {
  /** Name in the plural, as in paths. */
  readonly plural: string;
  /** Name in the singular; the kind in small letters if not given. */
  readonly singular?: string;
  /** Short names for command lines. */
  readonly shortNames?: readonly string[];
  /** Kind of the objects. */
  readonly kind: string;
  /** Kind of lists; the kind with List after it if not given. */
  readonly listKind?: string;
  /** Groups that the resource belongs to, such as all. */
  readonly categories?: readonly string[];
}

/** What a custom resource is called, and what its objects look like. */
export interface CustomResourceDefinitionSpec {
  /** Group of the resource. */
  readonly group: string;
  /** Names of the resource. */
  readonly names: CustomResourceDefinitionNames;
  /** Cluster or Namespaced. */
  readonly scope: string;
  /** The versions. */
  readonly versions?: readonly CustomResourceDefinitionVersion[] | null;
  /** How objects are converted between versions. */
  readonly conversion?: CustomResourceConversion;
  /** Whether unknown fields are kept; must be false, since a schema says so field by field. */
  readonly preserveUnknownFields?: boolean;
}

/** What is known of a definition. */
export interface CustomResourceDefinitionStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly CustomResourceDefinitionCondition[] | null;
  /** Names in use, which may differ from those wanted. */
  readonly acceptedNames?: CustomResourceDefinitionNames;
  /** Versions in which objects were ever stored. */
  readonly storedVersions?: readonly string[] | null;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
}

/** One version of a custom resource. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version, such as v1beta1. */
  readonly name: string;
  /** Whether it is served. */
  readonly served: boolean;
  /** Whether objects are stored in it; true for exactly one. */
  readonly storage: boolean;
  /** What objects look like. */
  readonly schema?: CustomResourceValidation;
  /** Subresources that it has. */
  readonly subresources?: CustomResourceSubresources;
  /** Columns of its table. */
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  /** Whether its use is warned about. */
  readonly deprecated?: boolean;
  /** What the warning says. */
  readonly deprecationWarning?: string;
  /** Fields by which lists can be narrowed, at most 8. */
  readonly selectableFields?: readonly SelectableField[];
}

/** How to serve the subresource scale. */
export interface CustomResourceSubresourceScale {
  /** JSON path of the number of replicas wanted, below .spec. */
  readonly specReplicasPath: string;
  /** JSON path of the number of replicas present, below .status. */
  readonly statusReplicasPath: string;
  /** JSON path of the selector as text, below .spec or .status. */
  readonly labelSelectorPath?: string;
}

/** Serves the subresource status; has no settings. | */
export type CustomResourceSubresourceStatus = Readonly<Record<string, unknown>>;

/** Subresources of a custom resource. */
export interface CustomResourceSubresources {
  /** Makes the status a subresource. */
  readonly status?: CustomResourceSubresourceStatus;
  /** Makes the number of replicas a subresource. */
  readonly scale?: CustomResourceSubresourceScale;
}

/** What the objects of a custom resource look like. */
export interface CustomResourceValidation {
  /** The schema. */
  readonly openAPIV3Schema?: JSONSchemaProps;
}

/** Where more can be read. | */
export interface ExternalDocumentation {
  readonly description?: string;
  readonly url?: string;
}

/** Any JSON value. */
export type JSON = unknown;

/** Schema of a value of a custom resource: a part of JSON Schema. */
export interface JSONSchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  /** Format of a text or number, such as date-time or int64; unknown ones are ignored. */
  readonly format?: string;
  readonly title?: string;
  /** Value of who gives none. */
  readonly default?: JSON;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly JSON[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JSONSchemaPropsOrArray;
  readonly allOf?: readonly JSONSchemaProps[];
  readonly oneOf?: readonly JSONSchemaProps[];
  readonly anyOf?: readonly JSONSchemaProps[];
  readonly not?: JSONSchemaProps;
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly additionalProperties?: JSONSchemaPropsOrBool;
  readonly patternProperties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly dependencies?: Readonly<Record<string, JSONSchemaPropsOrStringArray>>;
  readonly additionalItems?: JSONSchemaPropsOrBool;
  readonly definitions?: Readonly<Record<string, JSONSchemaProps>>;
  readonly externalDocs?: ExternalDocumentation;
  readonly example?: JSON;
  readonly nullable?: boolean;
  /** Whether unknown fields are kept here. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** Whether the value is an object with kind, version and metadata. */
  readonly "x-kubernetes-embedded-resource"?: boolean;
  /** Whether the value may be a whole number or a text. */
  readonly "x-kubernetes-int-or-string"?: boolean;
  /** Fields that tell items of a list of type map apart. */
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** How lists are merged: atomic, set or map. */
  readonly "x-kubernetes-list-type"?: string;
  /** How objects are merged: granular or atomic. */
  readonly "x-kubernetes-map-type"?: string;
  /** Rules in CEL. */
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A schema, or a list of schemas. */
export type JSONSchemaPropsOrArray = unknown;

/** A schema, or whether anything is allowed. */
export type JSONSchemaPropsOrBool = unknown;

/** A schema, or a list of names. */
export type JSONSchemaPropsOrStringArray = unknown;

/** A field by which lists can be narrowed. */
export interface SelectableField {
  /** Where the field stands, as a simple JSON path. */
  readonly jsonPath: string;
}

/** A service in front of a webhook. */
export interface ServiceReference {
  /** Namespace of the service. */
  readonly namespace: string;
  /** Name of the service. */
  readonly name: string;
  /** Path of the request. */
  readonly path?: string;
  /** Port of the service; 443 if not given. */
  readonly port?: number;
}

/** A rule in CEL. */
export interface ValidationRule {
  /** CEL that is true for what is good; self is the value. */
  readonly rule: string;
  /** What is said when it is not. */
  readonly message?: string;
  /** CEL that gives what is said; it goes before the message. */
  readonly messageExpression?: string;
  /** Reason of the answer: FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate. */
  readonly reason?: string;
  /** Field that the answer names. */
  readonly fieldPath?: string;
  /** Whether the rule is looked at without an old value too. */
  readonly optionalOldSelf?: boolean;
}

/** How to reach a webhook; by a URL or a service. */
export interface WebhookClientConfig {
  /** The service. */
  readonly service?: ServiceReference;
  /** Certificates of the authority that its certificate must come from; those of the system if not given. */
  readonly caBundle?: string;
  /** The URL, by https. */
  readonly url?: string;
}

/** A webhook that converts objects. */
export interface WebhookConversion {
  /** How to reach it. */
  readonly clientConfig?: WebhookClientConfig;
  /** Versions of the review that it understands, the best first. */
  readonly conversionReviewVersions?: readonly string[] | null;
}

export const customResourceDefinitions: Resource<CustomResourceDefinition> = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false };
