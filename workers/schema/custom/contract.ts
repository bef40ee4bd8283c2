import type { Steps } from '../../../api/steps.js';
import type { Json, JsonMembers } from '../../codecs/value.js';

/**
 * What the schema of a custom resource is good for, once it has been compiled. `compile.ts` has the one entrance:
 *
 *     compile(openAPIV3Schema, options): CompiledSchema
 *
 * The order in which a body, a stored object and the answer of a converter pass through:
 *
 *     body      -> receive -> (defaulted object)           -> validate / validateUpdate
 *     stored    -> restore -> (defaulted object)           -> convert if another version is wanted -> receiveConverted
 *     converted -> receiveConverted -> (not defaulted)
 *
 * Everything is pure and linear in the size of the object times the conditions that the schema sets on one value. Members named `__proto__` or
 * `constructor` are plain members. Objects belong to the caller: where a function says that it changes one, it does so in place.
 */
export type Compile = (openAPIV3Schema: JsonMembers, options: CompileOptions) => CompiledSchema;

export interface CompileOptions {
  /** `spec.preserveUnknownFields` of the definition: nothing is pruned and no null is dropped. */
  readonly preserveUnknownFields?: boolean;
  /** What defaults may add to an object that comes from a client, in bytes. Default: as much as they like. */
  readonly grownBytesMax?: number;
  /** What holds for objects within others; without it, only whether they say which kind they are is checked. */
  readonly embedded?: EmbeddedRules;
}

/** Rules about whole objects that others than workers know; `server/registry/apiextensions.k8s.io/embeddedrules.ts` has them. */
export interface EmbeddedRules {
  /** What is wrong with the name of a kind. */
  readonly kind: (kind: string) => readonly string[];
  /** Findings about the metadata of an embedded object that stands at `path` (`spec.template.metadata`). */
  readonly metadata: (metadata: JsonMembers, path: string) => readonly Cause[];
}

/** Defaults would make an object larger than anybody keeps it. */
export class GrownTooLarge extends Error {
  constructor(readonly bytesMax: number) {
    super(`defaults add more than ${bytesMax} bytes`);
  }
}

export interface CompiledSchema {
  /**
   * What a body goes through before anybody looks at it: metadata in its form, unknown fields pruned, nulls dropped, embedded objects brought into form,
   * defaults set. Changes the object in place. Throws `GrownTooLarge` if these are too many. It wants an object that says its kind and apiVersion (of this version, or of another one: nothing depends on it).
   */
  receive(object: JsonMembers): Steps<ReceiveResult>;
  /** What an object that server-side apply made goes through: as `receive`, but nulls stay where no default replaces them, to be refused. */
  receiveApplied(object: JsonMembers): Steps<ReceiveResult>;
  /**
   * What a stored object goes through: as `receive`, but metadata that does not fit is dropped instead of refused, and a generation is there. Changes the
   * object in place.
   */
  restore(object: JsonMembers): Steps<void>;
  /** What the answer of a converter goes through: as `receive`, without defaults. Changes the object in place. */
  receiveConverted(object: JsonMembers): Steps<ReceiveResult>;

  /** Takes out what the schema does not know, in place, and returns the paths of it, sorted: `spec.foo`, `spec.list[0].b`, `spec.map.key.b`. Not of the metadata. */
  prune(object: JsonMembers): string[];
  /** Sets defaults where nothing is, and where null is although that is not allowed; in place, in steps. Throws `GrownTooLarge`. */
  applyDefaults(object: JsonMembers): Steps<void>;

  /**
   * Causes of an `Invalid` answer to a create, in the order in which they are reported, without those of metadata, scale and rules. `options.between` is put
   * between the causes of values and those of embedded objects and lists: there the findings about scale stand.
   */
  validate(object: JsonMembers, options?: ValidateOptions): Steps<Cause[]>;
  /**
   * The same of an update. What was refused already in the old object and has not changed is accepted; items of keyed lists are compared with the old item
   * of the same keys, others of lists only if the list is unchanged as a whole. Keyed lists and sets are looked at only if those of the old object are right.
   */
  validateUpdate(object: JsonMembers, old: JsonMembers, options?: ValidateOptions): Steps<Cause[]>;

  /** The types for field ownership; `metadata` is that of `ObjectMeta` (root and embedded objects). Have it built once: each call builds anew. */
  mergeTypes(metadata: MergeSchema): MergeSchema;
}

export interface ValidateOptions {
  readonly between?: readonly Cause[];
  /** An update of the status subresource: of the values only `status` is looked at, against its schema alone. Embedded objects and lists are checked everywhere all the same. */
  readonly statusOnly?: boolean;
}

export type ReceiveResult =
  | {
      readonly ok: true;
      /** Paths of what was dropped because nothing is known of it, in the order of the reference; see `unknownFieldText`. Bounded by `unknownFieldsMax`. */
      readonly unknown: readonly string[];
    }
  /** Metadata (of the object or of one inside) does not fit; the message follows on `X in version "v1" cannot be handled as a X: `. */
  | { readonly ok: false; readonly message: string };

/** As `server/registry/validation/field.ts` has them: a cause can be used wherever a `FieldError` can. A finding without a place has the path `<nil>`. */
export interface Cause {
  readonly type: CauseType;
  readonly path: string;
  /** What follows on the path: `Invalid value: "x": spec.a in body should match '^y$'`. */ readonly message: string;
}

export type CauseType =
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid';

/** Causes of one object reported at most; the reference has no bound. */
export const causesMax = 1_000;
/** Unknown fields of one object reported at most. */
export const unknownFieldsMax = 1_000;

/** A dropped field as a warning, and as part of a refusal. */
export const unknownFieldText = (path: string): string => `unknown field "${path}"`;

/** What keeps rules (CEL) from being evaluated: with any of these the types of values are not what the rules were compiled for. */
export const keepsRulesFromRunning = ({ type }: Pick<Cause, 'type'>): boolean => structural.has(type);

const structural: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** In the form in which `server/patch/apply/schema.ts` takes the types of built-in kinds. */
export type MergeSchema =
  | { readonly kind: 'leaf'; readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped' }
  | {
      readonly kind: 'struct';
      readonly atomic: boolean;
      readonly field: (name: string) => MergeSchema | undefined;
      readonly open?: boolean;
      readonly always: readonly MergeAlways[];
    }
  | { readonly kind: 'map'; readonly atomic: boolean; readonly element: MergeSchema }
  | { readonly kind: 'list'; readonly relationship: 'atomic' | 'set'; readonly element: MergeSchema }
  | {
      readonly kind: 'list';
      readonly relationship: 'map';
      readonly element: MergeSchema;
      readonly keys: readonly { readonly name: string; readonly default: PlainJson }[];
    }
  | { readonly kind: 'unknown' };

export interface MergeAlways {
  readonly name: string;
  readonly schema: MergeSchema;
  readonly zero: PlainJson | 'struct';
}

/** JSON without numbers that wait for their type: what objects are made of outside of decoding. */
export type PlainJson = null | boolean | number | bigint | string | PlainJson[] | { [member: string]: PlainJson | undefined };
export type { Json, JsonMembers };
