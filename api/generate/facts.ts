/**
 * The facts of the API as they stand in `api/facts`: what each kind of entry may say. CONTRIBUTING shows how to change them; `read.ts` refuses
 * an entry with a key that is not named here, so a slip of the pen is found by `npm run generate` and not by a client.
 */

/** What is known of a member of an object, or of a field of a Protobuf message; most are both. */
export interface FieldFacts {
  /** A scalar (`string`, `bytes`, `int32`, `int64`, `double`, `boolean`) or a type; `list of X`; `map of X` (its keys are text). */
  readonly type: string;
  /** Number of the Protobuf field; none for what exists in JSON alone (`kind`, `apiVersion`). */
  readonly proto?: number;
  /** The Protobuf field's name, where it differs from the JSON member's. */
  readonly protoName?: string;
  /** The Protobuf field's type, where it differs. */
  readonly protoType?: string;
  /** The members of this message stand directly in the JSON object. */
  readonly inline?: true;
  readonly required?: true;
  /** How the member looks while nobody sets it (`api/catalogue/types.ts`); left out: it is absent. */
  readonly presence?: 'value' | 'always' | 'nullable';
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: 'map' | 'set' | 'atomic';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

/** A field with what `enums.yaml` says of it. */
export interface KnownField extends FieldFacts {
  /** Values that are meant. Others are text as well: what is refused, the rules of a kind say. */
  readonly meant?: readonly string[];
}

/** An entry of `enums.yaml`: what is meant by the members that are of it, `GROUP.TYPE.MEMBER`, or by each of their items or values. */
export interface EnumFacts {
  readonly values: readonly string[];
  readonly members: readonly string[];
}

export interface TypeFacts {
  /** Its objects are of the kind of the same name in this group version. */
  readonly kind?: true;
  /** Further group versions in which the kind exists. */
  readonly kindIn?: readonly string[];
  /** JSON type and format, for a type whose JSON form is not made of its fields: `string date-time`, `any`, `object`. */
  readonly json?: string;
  /** false: exists in JSON alone. */
  readonly protobuf?: false;
  readonly mapType?: 'atomic' | 'granular';
  /** Members of which one is set; a discriminator names it. */
  readonly unions?: readonly { readonly discriminator?: string; readonly fields: Readonly<Record<string, string>> }[];
  /** Where it differs from the file's. */
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
  /** Group version of its body, where that is another one. */
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
  /** Columns of the Table form; without any: name and creation time. */
  readonly columns?: readonly ColumnFacts[];
}

/** One file, `api/facts/GROUP/VERSION.yaml`. */
export interface VersionFacts {
  /** The full name of the group; none where no kind of it is stored or sent to the server. */
  readonly group?: string;
  readonly version?: string;
  /** The Protobuf package. */
  readonly package?: string;
  /** Whether it is served unless somebody says otherwise. */
  readonly served?: boolean;
  /** The version of its group that clients should prefer. */
  readonly preferred?: true;
  readonly resources?: Readonly<Record<string, ResourceFacts>>;
  /** Types of JSON objects, and their messages. */
  readonly types?: Readonly<Record<string, TypeFacts>>;
  /** Messages that exist in Protobuf alone: those whose members stand in other objects, and versions that are no longer served. */
  readonly messages?: Readonly<Record<string, TypeFacts>>;
}

export interface TypeDescription {
  readonly description?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Everything below `api/facts`. */
export interface Facts {
  /** By place: `apps/v1`, and `machinery` for types that belong to no version. */
  readonly versions: ReadonlyMap<string, VersionFacts>;
  /** By versionless type: `apps.Deployment`; `any kind` and `any type` for what holds for members of all kinds, or of all types. */
  readonly descriptions: ReadonlyMap<string, TypeDescription>;
  /** Objects that the API server makes in an empty cluster, by resource. */
  readonly bootstrap: ReadonlyMap<string, readonly unknown[]>;
}
