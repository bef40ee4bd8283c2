import type { Steps } from '../../../api/steps.js';
import type { JsonMembers } from '../../codecs/value.js';

/**
 * The compiled schema of a custom resource. `compile.ts` makes it:
 *
 *     compile(openAPIV3Schema, options): CompiledSchema
 *
 * A body, a stored object and a converter's response pass through, in order:
 *
 *     body      -> receive -> (defaulted object)           -> validate / validateUpdate
 *     stored    -> restore -> (defaulted object)           -> convert if another version is requested -> receiveConverted
 *     converted -> receiveConverted -> (not defaulted)
 *
 * All are pure and linear in the size of the object times the conditions on one value. Members named `__proto__` or `constructor` are ordinary. Functions
 * documented to change an object do so in place.
 */
export type Compile = (openAPIV3Schema: JsonMembers, options: CompileOptions) => CompiledSchema;

export interface CompileOptions {
  /** The definition's `spec.preserveUnknownFields`: nothing is pruned and no null is dropped. */
  readonly preserveUnknownFields?: boolean;
  /** Bytes that defaults may add to a client's object. Default: unlimited. */
  readonly grownBytesMax?: number;
  /** Rules for embedded objects. Default: only their kind must be present. */
  readonly embedded?: EmbeddedRules;
}

/** `server/kinds/apiextensions.k8s.io/embeddedRules.ts` implements them. */
export interface EmbeddedRules {
  readonly kind: (kind: string) => readonly string[];
  /** `path` is that of the metadata, such as `spec.template.metadata`. */
  readonly metadata: (metadata: JsonMembers, path: string) => readonly Cause[];
}

/** Defaults would make an object larger than storage accepts. */
export class GrownTooLarge extends Error {
  constructor(readonly bytesMax: number) {
    super(`defaults add more than ${bytesMax} bytes`);
  }
}

export interface CompiledSchema {
  /**
   * Normalises metadata and embedded objects, prunes unknown fields, drops nulls and sets defaults, in place. Throws `GrownTooLarge` for too large defaults.
   * The object must name kind and apiVersion, of any version.
   */
  receive(object: JsonMembers): Steps<ReceiveResult>;
  /** Works like `receive` on the result of server-side apply, but keeps nulls that no default replaces, to be refused. */
  receiveApplied(object: JsonMembers): Steps<ReceiveResult>;
  /** Works like `receive` on a stored object, but drops invalid metadata and sets a missing generation. */
  restore(object: JsonMembers): Steps<void>;
  /** Works like `receive` on a converter's response, in place, without defaults. */
  receiveConverted(object: JsonMembers): Steps<ReceiveResult>;

  /** Removes unknown fields outside metadata, in place, and returns their sorted paths: `spec.foo`, `spec.list[0].b`, `spec.map.key.b`. */
  prune(object: JsonMembers): string[];
  /** Sets defaults for absent values and nulls that are not allowed; in place, in steps. Throws `GrownTooLarge`. */
  applyDefaults(object: JsonMembers): Steps<void>;

  /**
   * Returns the causes of an `Invalid` response, in reported order, without those of metadata, scale and rules. `options.between` is inserted between the
   * causes of values and those of embedded objects and lists: findings about scale belong there.
   */
  validate(object: JsonMembers, options?: ValidateOptions): Steps<Cause[]>;
  /**
   * Accepts unchanged values that were invalid before. Items of keyed lists are compared by key, other items only if the whole list is unchanged. Keyed lists
   * and sets are checked only if the old object's are valid.
   */
  validateUpdate(object: JsonMembers, old: JsonMembers, options?: ValidateOptions): Steps<Cause[]>;

  /** Builds the types for field ownership anew; `metadata` is that of `ObjectMeta`, for root and embedded objects. */
  mergeTypes(metadata: MergeSchema): MergeSchema;
}

export interface ValidateOptions {
  readonly between?: readonly Cause[];
  /** Set for updates of the status subresource: checks only the values of `status`, against its schema alone, but embedded objects and lists everywhere. */
  readonly statusOnly?: boolean;
}

export type ReceiveResult =
  | {
      readonly ok: true;
      /** Paths of dropped unknown fields, in the reference's order; see `unknownFieldText`. Bounded by `unknownFieldsMax`. */
      readonly unknown: readonly string[];
    }
  /** Metadata (of the object or an embedded one) is invalid; the message continues `X in version "v1" cannot be handled as a X: `. */
  | { readonly ok: false; readonly message: string };

/** Compatible with `FieldError` (`server/registry/validation/field.ts`). A finding without a place has the path `<nil>`. */
export interface Cause {
  readonly type: CauseType;
  readonly path: string;
  /** Follows the path: `Invalid value: "x": spec.a in body should match '^y$'`. */ readonly message: string;
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

/** The reference has no bound. */
export const causesMax = 1_000;
export const unknownFieldsMax = 1_000;

export const unknownFieldText = (path: string): string => `unknown field "${path}"`;

/** Returns whether a cause prevents the evaluation of CEL rules, because values lack the types that these were compiled for. */
export const keepsRulesFromRunning = ({ type }: Pick<Cause, 'type'>): boolean => structural.has(type);

const structural: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The form in which `server/patch/apply/schema.ts` takes built-in types. */
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

/** JSON without number literals, as objects have after decoding. */
export type PlainJson = null | boolean | number | bigint | string | PlainJson[] | { [member: string]: PlainJson | undefined };
export type { JsonMembers };
