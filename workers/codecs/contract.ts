/** Results are values, because errors lose their name and members across threads. Integers outside the safe range are bigint, which keeps 64-bit values. */
export type DecodeResult =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Paths of repeated members: `spec.replicas`, `items[0].name`. Empty unless requested. */ readonly duplicates: readonly string[];
      /** Absent without any. */
      readonly spellings?: readonly Spelling[];
    }
  | DecodeFailure;

/** A number whose text differs from its value's: `2.0`, `1e3`. */
export interface Spelling {
  readonly path: readonly string[];
  readonly text: string;
}

export interface DecodeFailure {
  readonly ok: false;
  /** The message for the client, in the reference's words if known. */
  readonly message: string;
}

export interface DecodeOptions {
  /** The last duplicate wins, reported or not. */
  readonly findDuplicates: boolean;
  /** JSON only; false by default, since it reads the text once more. */
  readonly findSpellings?: boolean | undefined;
  readonly depthMax: number;
}

/** The default nesting limit. The reference's 10,000 would overflow a JavaScript thread's stack; real objects need far less. */
export const depthMax = 1_000;

export type EncodingName = 'json' | 'yaml' | 'protobuf' | 'cbor';

/** Identifies an object's Protobuf message. The group is empty for the core group. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Converts between bytes and untyped values. Protobuf needs the kind as well, by its own entry points. */
export interface Codec {
  readonly name: EncodingName;
  readonly mediaType: string;
  decode(bytes: Uint8Array, options: DecodeOptions): DecodeResult;
  encode(value: unknown): Buffer;
}
