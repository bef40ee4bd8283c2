import { DEPTH_MAX, type Codec, type DecodeResult, type EncodingName, type Kind } from './codecs/contract.js';
import { jsonCodec } from './codecs/json.js';

/** Work that may run inline or on another thread: plain data in, plain data out, never an error thrown. */
export interface DecodeJob {
  readonly bytes: Uint8Array;
  readonly encoding: EncodingName;
  /** Needed for Protobuf only, whose bytes do not name their fields; the envelope's kind is used without it. */
  readonly kind?: Kind | undefined;
  readonly findDuplicates: boolean;
}

export interface EncodeJob {
  readonly value: unknown;
  readonly encoding: EncodingName;
  /** Needed for Protobuf only. */
  readonly kind?: Kind | undefined;
}

export type EncodeResult = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly message: string };

export type Job = { readonly verb: 'decode'; readonly job: DecodeJob } | { readonly verb: 'encode'; readonly job: EncodeJob };

const CODECS: Readonly<Partial<Record<EncodingName, Codec>>> = { json: jsonCodec };

/** Decodes without looking at types, except that Protobuf cannot do without. */
export const runDecode = ({ bytes, encoding, findDuplicates }: DecodeJob): DecodeResult =>
  CODECS[encoding]?.decode(bytes, { findDuplicates, depthMax: DEPTH_MAX }) ?? { ok: false, message: `no codec for ${encoding}` };

/** Encodes; the only failure is a kind that has no Protobuf form, or a value that does not fit its type. */
export const runEncode = ({ value, encoding }: EncodeJob): EncodeResult => {
  const bytes = CODECS[encoding]?.encode(value);
  return bytes === undefined ? { ok: false, message: `no codec for ${encoding}` } : { ok: true, bytes };
};
