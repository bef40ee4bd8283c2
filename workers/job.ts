import { cborCodec, encodeCborObject } from './codecs/cbor.js';
import { depthMax, type Codec, type DecodeResult, type EncodingName, type Kind } from './codecs/contract.js';
import { jsonCodec } from './codecs/json.js';
import { protobufDecode, protobufEncode, type EncodeResult } from './codecs/protobuf/index.js';
import { yamlCodec } from './codecs/yaml.js';
import type { DecodeObjectRequest } from './decode.js';

/** Plain data in and out, inline or on another thread, and never a thrown error. */
export interface DecodeJob {
  readonly bytes: Uint8Array;
  readonly encoding: EncodingName;
  /** Needed for Protobuf whose envelope names no kind. */
  readonly kind?: Kind | undefined;
  readonly findDuplicates: boolean;
  readonly findSpellings?: boolean;
}

export interface EncodeJob {
  readonly value: unknown;
  readonly encoding: EncodingName;
  /** Needed for Protobuf of a value without its kind, and for CBOR of one that may have bytes. */
  readonly kind?: Kind | undefined;
}

export type { EncodeResult };

export type Job =
  | { readonly verb: 'decode'; readonly job: DecodeJob }
  | { readonly verb: 'decodeObject'; readonly job: DecodeObjectRequest }
  | { readonly verb: 'encode'; readonly job: EncodeJob };

const codecs: Readonly<Record<Exclude<EncodingName, 'protobuf'>, Codec>> = { json: jsonCodec, yaml: yamlCodec, cbor: cborCodec };

/** Only Protobuf needs the kind. */
export const runDecode = ({ bytes, encoding, kind, findDuplicates, findSpellings }: DecodeJob): DecodeResult => {
  if (encoding === 'protobuf') return protobufDecode(bytes, kind);
  return codecs[encoding].decode(bytes, { findDuplicates, findSpellings, depthMax: depthMax });
};

/** Fails for a kind without a Protobuf form, or an unencodable value. */
export const runEncode = ({ value, encoding, kind }: EncodeJob): EncodeResult => {
  if (encoding === 'protobuf') return protobufEncode(value, kind);
  try {
    return { ok: true, bytes: encoding === 'cbor' && kind !== undefined ? encodeCborObject(value, kind) : codecs[encoding].encode(value) };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return { ok: false, message: error.message };
    throw error;
  }
};
