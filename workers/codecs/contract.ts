/**
 * How bytes become objects. Results are values: an error thrown across threads loses its name and members.
 * Whole numbers outside the safe range of a JavaScript number are bigint, so that 64-bit integers keep their value.
 */
export type DecodeResult =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Members that occur twice, as paths: `spec.replicas`, `items[0].name`. Empty unless asked for. */ readonly duplicates: readonly string[];
    }
  | DecodeFailure;

export interface DecodeFailure {
  readonly ok: false;
  /** What the client is told; the reference's words where they are known. */
  readonly message: string;
}

export interface DecodeOptions {
  /** Report duplicate members (the last one wins either way). */
  readonly findDuplicates: boolean;
  /** Deepest nesting of objects and arrays accepted. */
  readonly depthMax: number;
}

/**
 * Deepest nesting accepted by default. The reference stops at 10,000; recursion over a tree that deep would not fit the
 * stack of a JavaScript thread, and no real object comes near this.
 */
export const depthMax = 1_000;

export type EncodingName = 'json' | 'yaml' | 'protobuf' | 'cbor';

/** The type of an object: what Protobuf needs to read or write it. The group is empty for the core group. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A codec between bytes and untyped JSON-like values. Protobuf needs the kind as well and has its own entry points. */
export interface Codec {
  readonly name: EncodingName;
  readonly mediaType: string;
  decode(bytes: Uint8Array, options: DecodeOptions): DecodeResult;
  encode(value: unknown): Buffer;
}
