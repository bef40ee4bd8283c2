/**
 * The form of the entries in `api/facts` (CONTRIBUTING shows how to change them). `read.ts` refuses unknown keys, so `npm run generate` finds typing errors.
 */

/** Facts about a member of an object, a field of a Protobuf message, or both. */
export interface FieldFacts {
  /** A scalar (`string`, `bytes`, `int32`, `int64`, `double`, `boolean`) or a type; `list of X`; `map of X` (keys are strings). */
  readonly type: string;
  /** Absent for members that only JSON has (`kind`, `apiVersion`). */
  readonly proto?: number;
  /** Set if it differs from the JSON member's. */
  readonly protoName?: string;
  /** Set if it differs from `type`. */
  readonly protoType?: string;
  /** The members of this message stand directly in the JSON object. */
  readonly inline?: true;
  readonly required?: true;
  /** Default: absent (`api/catalogue/types.ts`). */
  readonly presence?: 'value' | 'always' | 'nullable';
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: 'map' | 'set' | 'atomic';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface KnownField extends FieldFacts {
  /** Other strings are valid too unless the kind's validation refuses them. */
  readonly meant?: readonly string[];
}

/** The values of the listed members (`GROUP.TYPE.MEMBER`), or of each of their items or values, in `enums.yaml`. */
export interface EnumFacts {
  readonly values: readonly string[];
  readonly members: readonly string[];
}

export interface TypeFacts {
  /** The kind of the same name exists in this group version. */
  readonly kind?: true;
  /** Further group versions in which the kind exists. */
  readonly kindIn?: readonly string[];
  /** JSON type and format, such as `string date-time`, if the JSON form has no fields. */
  readonly json?: string;
  /** If false, the type exists in JSON alone. */
  readonly protobuf?: false;
  readonly mapType?: 'atomic' | 'granular';
  /** One of the members is set; a discriminator names it. */
  readonly unions?: readonly { readonly discriminator?: string; readonly fields: Readonly<Record<string, string>> }[];
  /** Set if it differs from the file's package. */
  readonly package?: string;
  readonly fields?: Readonly<Record<string, KnownField>>;
}

export interface ColumnFacts {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly priority?: number;
}

export interface SubresourceFacts {
  readonly kind: string;
  /** The group version of the body, if it differs. */
  readonly of?: string;
  readonly verbs: readonly string[];
}

export interface ResourceFacts {
  readonly kind: string;
  readonly singular: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceFacts>>;
  /** Default: name and creation time. */
  readonly columns?: readonly ColumnFacts[];
}

/** The content of `api/facts/GROUP/VERSION.yaml`. */
export interface VersionFacts {
  /** Absent if none of its kinds is stored or sent to the server. */
  readonly group?: string;
  readonly version?: string;
  readonly package?: string;
  readonly served?: boolean;
  /** Clients should prefer this version of the group. */
  readonly preferred?: true;
  readonly resources?: Readonly<Record<string, ResourceFacts>>;
  readonly types?: Readonly<Record<string, TypeFacts>>;
  /** Messages that only Protobuf has: inlined ones, and those of unserved versions. */
  readonly messages?: Readonly<Record<string, TypeFacts>>;
}

export interface TypeDescription {
  readonly description?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface Facts {
  /** Keyed by `apps/v1`, or `machinery` for types outside any version. */
  readonly versions: ReadonlyMap<string, VersionFacts>;
  /** Keyed by versionless type, such as `apps.Deployment`; `any kind` and `any type` cover members of all kinds or types. */
  readonly descriptions: ReadonlyMap<string, TypeDescription>;
  /** Objects of an empty cluster, by resource. */
  readonly bootstrap: ReadonlyMap<string, readonly unknown[]>;
  readonly enums: Readonly<Record<string, EnumFacts>>;
}
