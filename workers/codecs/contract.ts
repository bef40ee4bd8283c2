/**
 * How bytes become objects. Results are values: an error thrown across threads loses its name and members.
 * Whole numbers outside the safe range of a JavaScript number are bigint, so that 64-bit integers keep their value.
 */
export type DecodeResult =
  | { readonly ok: true; readonly value: unknown; /** Members that occur twice, as paths: `spec.replicas`, `data["a.b"]`. Empty unless asked for. */ readonly duplicates: readonly string[] }
  | { readonly ok: false; readonly message: string };

export interface DecodeOptions {
  /** Report duplicate members (the last one wins either way). */
  readonly findDuplicates: boolean;
  /** Deepest nesting of objects and arrays accepted. */
  readonly depthMax: number;
}

export type EncodingName = 'json' | 'yaml' | 'protobuf' | 'cbor';

/** A codec between bytes and untyped JSON-like values. Protobuf needs the kind as well and has its own entry points. */
export interface Codec {
  readonly name: EncodingName;
  readonly mediaType: string;
  decode(bytes: Uint8Array, options: DecodeOptions): DecodeResult;
  encode(value: unknown): Buffer;
}
